/* Run one TCP connection of this machine's kernel over an emulated path, for a given time.
 *
 *   emulator < INSTRUCTIONS
 *
 * The process makes two network namespaces, each with a TUN device. It changes nothing outside of
 * them, and the kernel removes them when the process ends. A thread in one namespace sends as fast
 * as TCP allows, a thread in the other receives, and the main thread carries the packets:
 *
 *   sender -> forward delay -> [loss] -> drop-tail queue -> server -> [loss] -> hand-off -> backward
 *   delay -> receiver; acknowledgements return at once.
 *
 * The emulator draws no random numbers. The instructions list the losses, the pauses of the server,
 * its rates and the hand-offs; each line has a key and its values. All times are in seconds since
 * the start. The program prints results as lines of a key and a value. If it fails, it prints one
 * line to stderr and returns status 1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char SENDER_ADDRESS[] = "10.55.0.1", RECEIVER_ADDRESS[] = "10.55.0.2";
enum { PORT = 5001, LONGEST_PACKET = 65536, CHUNK = 1 << 18, TIP_BYTES = 40 };

static _Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void *room_for(void *old, size_t bytes) {
    void *memory = realloc(old, bytes);
    if (!memory) fail("out of memory");
    return memory;
}

/* ---- Instructions ------------------------------------------------------------------------- */

typedef struct {
    double *values;
    size_t count;
} List;

static struct {
    List mss_bytes, header_bytes, forward_s, backward_s, buffer_packets, window_bytes, loss_before;
    List lost_packets;   /* numbers, from 0, of the lost packets, counted where losses occur */
    List bad_s;          /* pairs of start and end times between which all packets are lost */
    List stopped_s;      /* pairs of start and end times between which no packet is served */
    List capacity;       /* pairs of a start time and the rate from then on in bit/s */
    List delay;          /* pairs of a start time and a delay in s, which replaces backward_s */
    List handoffs_s, handoff_packets, late_s; /* late_s < 0: hand-offs lose packets */
    List delay_steps_s;  /* delays in s that replace backward_s in turn, one at each hand-off */
    List initial_window_packets, quick_ack, option_bytes;
    List warm_up_s, measured_s, transfer_bytes;
} given;

static const struct {
    const char *key;
    List *list;
} KEYS[] = {
#define KEY(name) {#name, &given.name}
    KEY(mss_bytes),       KEY(header_bytes),  KEY(forward_s),      KEY(backward_s),
    KEY(buffer_packets),  KEY(window_bytes),  KEY(loss_before),    KEY(lost_packets),
    KEY(bad_s),           KEY(stopped_s),     KEY(capacity),       KEY(handoffs_s),
    KEY(handoff_packets), KEY(late_s),        KEY(delay_steps_s),  KEY(initial_window_packets),
    KEY(quick_ack),       KEY(option_bytes),  KEY(warm_up_s),      KEY(measured_s),
    KEY(transfer_bytes),  KEY(delay),
#undef KEY
};

enum { MOST_SETTINGS = 64 };
static struct {
    char name[64], value[64];
} settings[MOST_SETTINGS];
static int setting_count;
static char congestion[32];

static void read_values(List *list, char *text) {
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *end;
        double value = strtod(word, &end);
        if (*end) fail("instructions: %s is no number", word);
        if ((list->count & (list->count - 1)) == 0)
            list->values = room_for(list->values, sizeof(double) * (list->count ? 2 * list->count : 1));
        list->values[list->count++] = value;
    }
}

static void read_instructions(void) {
    char *line = NULL;
    size_t room = 0;
    bool whole = false;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        whole = !strcmp(line, "end");
        if (whole) break;
        char *rest = strchr(line, ' ');
        if (rest) *rest++ = 0;
        if (!strcmp(line, "congestion") && rest) {
            snprintf(congestion, sizeof congestion, "%s", rest);
            continue;
        }
        if (!strcmp(line, "sysctl") && rest) {
            if (setting_count == MOST_SETTINGS) fail("instructions: too many settings");
            if (sscanf(rest, "%63s %63[^\n]", settings[setting_count].name,
                       settings[setting_count].value) != 2)
                fail("instructions: a setting without a value");
            setting_count++;
            continue;
        }
        size_t at = 0;
        while (at < sizeof KEYS / sizeof *KEYS && strcmp(line, KEYS[at].key)) at++;
        if (at == sizeof KEYS / sizeof *KEYS) fail("instructions: no key is called %s", line);
        if (rest) read_values(KEYS[at].list, rest);
    }
    free(line);
    if (!whole || !given.capacity.count) fail("instructions: cut short");
}

static double only(List list, double otherwise) { return list.count ? list.values[0] : otherwise; }

/* ---- Time --------------------------------------------------------------------------------- */

static double started_s;

static double clock_s(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double now_s(void) { return clock_s(CLOCK_MONOTONIC) - started_s; }

static void sleep_until(double at_s) {
    double absolute = at_s + started_s;
    struct timespec t = {(time_t)absolute, (long)(1e9 * (absolute - floor(absolute)))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
}

static void be_real_time(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    if (sched_setscheduler(0, SCHED_RR, &parameters)) fail("SCHED_RR: %s", strerror(errno));
}

/* ---- Network namespaces --------------------------------------------------------------------- */

static void set_system(const char *name, const char *value) {
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/net/%s", name);
    int file = open(path, O_WRONLY);
    if (file < 0 || write(file, value, strlen(value)) < 0)
        fail("%s = %s: %s", path, value, strerror(errno));
    close(file);
}

typedef struct {
    struct nlmsghdr header;
    char body[512];
} Request;

static void *append(Request *request, int type, const void *data, int length) {
    struct rtattr *attribute =
        (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(length);
    if (length) memcpy(RTA_DATA(attribute), data, length);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(RTA_LENGTH(length));
    return attribute;
}

static void ask_kernel(Request *request, const char *what) {
    int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    request->header.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[1024];
    } answer;
    if (netlink < 0 || send(netlink, request, request->header.nlmsg_len, 0) < 0 ||
        recv(netlink, &answer, sizeof answer, 0) < 0)
        fail("%s: %s", what, strerror(errno));
    if (answer.header.nlmsg_type == NLMSG_ERROR && answer.error.error)
        fail("%s: %s", what, strerror(-answer.error.error));
    close(netlink);
}

/* Send one packet per segment, because offloading would pass several packets to the path as one. */
static void forbid_segmentation(int index) {
    Request request = {.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                                  .nlmsg_type = RTM_NEWLINK}};
    struct ifinfomsg *link = NLMSG_DATA(&request.header);
    link->ifi_index = index;
    uint32_t one = 1;
    append(&request, IFLA_GSO_MAX_SEGS, &one, sizeof one);
    ask_kernel(&request, "gso_max_segs");
}

static void add_route(int index, const char *peer) {
    Request request = {.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
                                  .nlmsg_type = RTM_NEWROUTE,
                                  .nlmsg_flags = NLM_F_CREATE}};
    struct rtmsg *route = NLMSG_DATA(&request.header);
    *route = (struct rtmsg){.rtm_family = AF_INET, .rtm_dst_len = 32, .rtm_table = RT_TABLE_MAIN,
                            .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_LINK,
                            .rtm_type = RTN_UNICAST};
    in_addr_t destination = inet_addr(peer);
    append(&request, RTA_DST, &destination, sizeof destination);
    append(&request, RTA_OIF, &index, sizeof index);
    struct rtattr *metrics = append(&request, RTA_METRICS, NULL, 0);
    uint32_t window = (uint32_t)only(given.initial_window_packets, 0);
    uint32_t quick = (uint32_t)only(given.quick_ack, 0);
    if (window) append(&request, RTAX_INITCWND, &window, sizeof window);
    if (quick) append(&request, RTAX_QUICKACK, &quick, sizeof quick);
    metrics->rta_len = (char *)&request + request.header.nlmsg_len - (char *)metrics;
    ask_kernel(&request, "route");
}

static void configure(int control, struct ifreq *device, unsigned long what, const char *name) {
    if (ioctl(control, what, device)) fail("%s: %s", name, strerror(errno));
}

static void set_address(int control, struct ifreq *device, unsigned long what, const char *address) {
    struct sockaddr_in *in = (struct sockaddr_in *)&device->ifr_addr;
    *in = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(address)};
    configure(control, device, what, address);
}

/* Files with the kernel's counts of each namespace's devices. A file belongs to the namespace in
 * which it was opened. */
static int device_tables[2], device_count;

/* Move this thread to a new namespace with a TUN device; return the device's file. */
static int enter_namespace(const char *own, const char *peer) {
    if (unshare(CLONE_NEWNET)) fail("a network namespace: %s", strerror(errno));
    int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct ifreq device = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strcpy(device.ifr_name, "path");
    if (tun < 0 || ioctl(tun, TUNSETIFF, &device)) fail("/dev/net/tun: %s", strerror(errno));
    for (int i = 0; i < setting_count; i++) set_system(settings[i].name, settings[i].value);
    int control = socket(AF_INET, SOCK_DGRAM, 0);
    set_address(control, &device, SIOCSIFADDR, own);
    set_address(control, &device, SIOCSIFNETMASK, "255.255.255.255");
    device.ifr_mtu = (int)(only(given.mss_bytes, 0) + only(given.option_bytes, 0)) + TIP_BYTES;
    configure(control, &device, SIOCSIFMTU, "MTU");
    device.ifr_qlen = 100000;
    configure(control, &device, SIOCSIFTXQLEN, "queue of the device");
    configure(control, &device, SIOCGIFFLAGS, "flags");
    device.ifr_flags |= IFF_UP | IFF_RUNNING;
    configure(control, &device, SIOCSIFFLAGS, "up");
    configure(control, &device, SIOCGIFINDEX, "index");
    forbid_segmentation(device.ifr_ifindex);
    add_route(device.ifr_ifindex, peer);
    close(control);
    int table = open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC);
    if (table < 0) fail("/proc/net/dev: %s", strerror(errno));
    device_tables[device_count++] = table;
    return tun;
}

/* ---- Threads that send, receive and record --------------------------------------------------- */

typedef struct {
    uint64_t sent, again, lost, dropped, handoffs;
} Counts;

static _Atomic uint64_t received_bytes;
static _Atomic bool finished;
static int listening, sending = -1;
static Counts counts; /* written by the main thread only; a simultaneous read is off by a packet */

static void write_counters(const char *when, const char *file) {
    char path[64], line[8192];
    snprintf(path, sizeof path, "/proc/thread-self/net/%s", file);
    FILE *table = fopen(path, "r");
    if (!table) fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, table))
        if (!strncmp(line, "TcpExt:", 7) || !strncmp(line, "Tcp:", 4)) printf("%s %s", when, line);
    fclose(table);
}

/* Return the number of packets that the kernel dropped at the TUN devices in both directions. */
static unsigned long long host_drops(void) {
    unsigned long long drops = 0;
    for (int i = 0; i < device_count; i++) {
        char text[4096], *row;
        ssize_t length = pread(device_tables[i], text, sizeof text - 1, 0);
        if (length < 0) fail("/proc/net/dev: %s", strerror(errno));
        text[length] = 0;
        unsigned long long received, sent;
        if (!(row = strstr(text, "path:")) ||
            sscanf(row, "path: %*u %*u %*u %llu %*u %*u %*u %*u %*u %*u %*u %llu", &received,
                   &sent) < 2)
            fail("/proc/net/dev does not tell of the device");
        drops += received + sent;
    }
    return drops;
}

static void write_mark(const char *when) {
    Counts c = counts;
    printf("%s_s %.9f\n%s_bytes %llu\n", when, now_s(), when,
           (unsigned long long)atomic_load(&received_bytes));
    printf("%s_sent %llu\n%s_again %llu\n%s_lost %llu\n%s_dropped %llu\n%s_handoffs %llu\n", when,
           (unsigned long long)c.sent, when, (unsigned long long)c.again, when,
           (unsigned long long)c.lost, when, (unsigned long long)c.dropped, when,
           (unsigned long long)c.handoffs);
    write_counters(when, "netstat");
    write_counters(when, "snmp");
}

static void *receive(void *unused) {
    (void)unused;
    int connection = accept(listening, NULL, NULL);
    if (connection < 0) fail("accept: %s", strerror(errno));
    char *buffer = room_for(NULL, CHUNK);
    for (;;) {
        ssize_t got = recv(connection, buffer, CHUNK, 0);
        if (got <= 0) return NULL;
        atomic_fetch_add(&received_bytes, (uint64_t)got);
    }
}

static void *send_all(void *unused) {
    (void)unused;
    char *buffer = room_for(NULL, CHUNK);
    memset(buffer, 'x', CHUNK);
    double total = only(given.transfer_bytes, 0), left = total ? total : INFINITY;
    while (left > 0) {
        ssize_t put = send(sending, buffer, left < CHUNK ? (size_t)left : CHUNK, MSG_NOSIGNAL);
        if (put < 0) return NULL;
        left -= (double)put;
    }
    return NULL;
}

/* Connect, start the sending thread, and print the counts at the measured time's start and end. */
static void *record(void *unused) {
    (void)unused;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT),
                             .sin_addr.s_addr = inet_addr(RECEIVER_ADDRESS)};
    if (connect(sending, (struct sockaddr *)&to, sizeof to)) fail("connect: %s", strerror(errno));
    double begun_s = now_s(), warm_s = begun_s + only(given.warm_up_s, 0);
    double end_s = warm_s + only(given.measured_s, 1), total = only(given.transfer_bytes, 0);
    pthread_t sender;
    if (pthread_create(&sender, NULL, send_all, NULL)) fail("a thread: %s", strerror(errno));
    be_real_time(51);
    printf("connected_s %.9f\n", begun_s);
    double window = 0, rtt_s = 0, samples = 0;
    bool warm = total > 0;
    if (warm) write_mark("warm");
    for (double at_s = begun_s; at_s < end_s;) {
        double next_s = fmin(at_s + (total ? 0.001 : 0.01), end_s);
        if (!warm && next_s > warm_s) next_s = warm_s;
        sleep_until(at_s = next_s);
        if (!warm && at_s >= warm_s) {
            warm = true;
            write_mark("warm");
        }
        struct tcp_info info;
        socklen_t size = sizeof info;
        if (warm && !getsockopt(sending, IPPROTO_TCP, TCP_INFO, &info, &size)) {
            window += info.tcpi_snd_cwnd;
            rtt_s += 1e-6 * info.tcpi_rtt;
            samples++;
        }
        if (total && atomic_load(&received_bytes) >= (uint64_t)total) break;
    }
    write_mark("end");
    printf("host_drops %llu\n", host_drops());
    if (total && atomic_load(&received_bytes) < (uint64_t)total) printf("unfinished\n");
    printf("window_packets %.9g\nrtt_s %.9g\n", window / samples, rtt_s / samples);
    atomic_store(&finished, true);
    return NULL;
}

/* ---- The path -------------------------------------------------------------------------------- */

typedef struct {
    double at_s;
    uint64_t number;
    int to, length;
    unsigned char *bytes;
} Packet;

static Packet *heap;
static size_t heap_count, heap_room;
static uint64_t packets_seen;

static bool is_before(const Packet *a, const Packet *b) {
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->number < b->number);
}

static void push(double at_s, int to, const unsigned char *bytes, int length) {
    if (heap_count == heap_room)
        heap = room_for(heap, sizeof *heap * (heap_room = heap_room ? 2 * heap_room : 1024));
    Packet packet = {at_s, packets_seen++, to, length, room_for(NULL, length)};
    memcpy(packet.bytes, bytes, length);
    size_t at = heap_count++;
    while (at && is_before(&packet, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = packet;
}

static Packet pop(void) {
    Packet first = heap[0], last = heap[--heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap_count) break;
        if (child + 1 < heap_count && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &last)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* Return the number of a list's groups of `width` values whose first value, a time, is not after
 * `time_s`. `at` is the previous result; successive times must not decrease. */
static size_t advance(List list, size_t width, size_t at, double time_s) {
    while (at * width < list.count && list.values[at * width] <= time_s) at++;
    return at;
}

static double service_end(double start_s, double bits) {
    static size_t at;
    at = advance(given.capacity, 2, at, start_s);
    for (size_t step = at;; step++) {
        double bps = given.capacity.values[2 * (step - 1) + 1];
        bool is_last = 2 * step >= given.capacity.count;
        double until_s = is_last ? INFINITY : given.capacity.values[2 * step];
        double needed_s = bps > 0 ? bits / bps : INFINITY;
        if (start_s + needed_s <= until_s) return start_s + needed_s;
        bits -= (until_s - start_s) * bps;
        start_s = until_s;
    }
}

static double service_may_start(double at_s) {
    static size_t at;
    at = advance(given.stopped_s, 2, at, at_s);
    if (at && given.stopped_s.values[2 * at - 1] > at_s) return given.stopped_s.values[2 * at - 1];
    return at_s;
}

/* Return when a packet that leaves the server at `left_s` arrives. Packets stay in order even if
 * the delay decreases. */
static double arrival(double left_s, double backward_s) {
    static size_t at;
    static double in_order_s;
    if (!given.delay.count) return left_s + backward_s;
    at = advance(given.delay, 2, at, left_s);
    in_order_s = fmax(left_s + given.delay.values[2 * at - 1], in_order_s);
    return in_order_s;
}

static bool is_lost(double at_s) {
    static size_t next_lost, bad;
    static double crossed;
    double number = crossed++;
    bad = advance(given.bad_s, 2, bad, at_s);
    if (bad && given.bad_s.values[2 * bad - 1] > at_s) return true;
    while (next_lost < given.lost_packets.count && given.lost_packets.values[next_lost] < number)
        next_lost++;
    return next_lost < given.lost_packets.count && given.lost_packets.values[next_lost] == number;
}

/* Send a data packet over the path; return when it reaches the receiver, or NAN if it is lost. */
static double transmit(double sent_s, int payload, bool is_first) {
    static double free_s, *departures;
    static size_t room, first, next;
    static double hits_left;
    static size_t handoff;
    static double backward_s = -1;
    if (backward_s < 0) backward_s = only(given.backward_s, 0);
    double at_s = sent_s + only(given.forward_s, 0), buffer = only(given.buffer_packets, 0);
    counts.sent++;
    counts.again += !is_first;
    if (only(given.loss_before, 0) && is_lost(at_s)) {
        counts.lost++;
        return NAN;
    }
    while (first < next && departures[first % room] <= at_s) first++;
    if (buffer > 0 && next - first >= buffer) {
        counts.dropped++;
        return NAN;
    }
    double bits = 8 * (payload + only(given.header_bytes, 0));
    free_s = service_end(service_may_start(fmax(at_s, free_s)), bits);
    if (next - first == room) {
        double *longer = room_for(NULL, sizeof *longer * (room ? 2 * room : 1024));
        for (size_t n = first; n < next; n++) longer[n - first] = departures[n % room];
        free(departures);
        departures = longer;
        room = room ? 2 * room : 1024;
        next -= first;
        first = 0;
    }
    departures[next++ % room] = free_s;
    while (handoff < given.handoffs_s.count && given.handoffs_s.values[handoff] <= sent_s) {
        List steps = given.delay_steps_s;
        if (steps.count) backward_s = steps.values[handoff % steps.count];
        hits_left = only(given.handoff_packets, 0);
        counts.handoffs++;
        handoff++;
    }
    double arrives_s = arrival(free_s, backward_s);
    bool hit = is_first && hits_left > 0;
    hits_left -= hit;
    double late_s = only(given.late_s, 0);
    if ((!only(given.loss_before, 0) && is_lost(free_s)) || (hit && late_s < 0)) {
        counts.lost++;
        return NAN;
    }
    return arrives_s + (hit ? late_s : 0);
}

typedef struct {
    int header, payload;
    uint32_t sequence;
    unsigned char *tcp;
    bool synchronises;
} Segment;

static bool parse(unsigned char *packet, int length, Segment *segment) {
    if (length < TIP_BYTES || packet[0] >> 4 != 4 || packet[9] != IPPROTO_TCP) return false;
    segment->tcp = packet + 4 * (packet[0] & 15);
    segment->header = 4 * (segment->tcp[12] >> 4);
    segment->payload = length - 4 * (packet[0] & 15) - segment->header;
    segment->sequence = ntohl(*(uint32_t *)(segment->tcp + 4));
    segment->synchronises = segment->tcp[13] & 2;
    return segment->payload >= 0;
}

/* Reduce the window that an ACK advertises to the configured window of the receiver. */
static void clamp_window(Segment *ack) {
    static int scale;
    double limit = only(given.window_bytes, 0);
    if (limit <= 0) return;
    if (ack->synchronises) {
        if (ack->header < 20) return;
        for (int at = 20; at + 2 < ack->header && ack->tcp[at];) {
            if (ack->tcp[at] == 3) scale = ack->tcp[at + 2];
            at += ack->tcp[at] == 1 ? 1 : ack->tcp[at + 1] > 1 ? ack->tcp[at + 1] : 2;
        }
    }
    double unit = ack->synchronises ? 1 : 1 << scale;
    if (unit > only(given.mss_bytes, 0)) fail("net.core.rmem_max is too large: windows are scaled by %g", unit);
    uint32_t old = ntohs(*(uint16_t *)(ack->tcp + 14));
    uint32_t most = (uint32_t)fmin(ceil(limit / unit), 65535);
    if (old <= most) return;
    *(uint16_t *)(ack->tcp + 14) = htons((uint16_t)most);
    /* Update the TCP checksum for the changed window (RFC 1624). */
    uint32_t sum = (uint16_t)~ntohs(*(uint16_t *)(ack->tcp + 16)) + (uint16_t)~old + most;
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    *(uint16_t *)(ack->tcp + 16) = htons((uint16_t)~sum);
}

static void from_sender(int receiver, unsigned char *packet, int length) {
    static uint32_t highest;
    static bool known;
    double sent_s = now_s();
    Segment segment;
    if (!parse(packet, length, &segment)) return;
    double at_s = sent_s + only(given.forward_s, 0) + only(given.backward_s, 0);
    if (segment.payload > 0) {
        uint32_t end = segment.sequence + (uint32_t)segment.payload;
        bool is_first = !known || (int32_t)(end - highest) > 0;
        if (is_first) highest = end;
        known = true;
        at_s = transmit(sent_s, segment.payload, is_first);
    }
    if (!isnan(at_s)) push(at_s, receiver, packet, length);
}

/* Number of packets by the microseconds by which they were released too late. */
enum { LATEST_US = 1000000 };
static uint32_t lateness[LATEST_US + 1];
static uint64_t released;

static void note_lateness(double late_s) {
    int us = late_s <= 0 ? 0 : late_s * 1e6 >= LATEST_US ? LATEST_US : (int)(late_s * 1e6);
    lateness[us]++;
    released++;
}

/* Write a packet to a TUN device. Fail if it is refused, as it would seem lost on the path. */
static void deliver(int to, const unsigned char *bytes, size_t length) {
    if (write(to, bytes, length) < 0) fail("a TUN device took no packet: %s", strerror(errno));
}

static void release(Packet packet) {
    note_lateness(now_s() - packet.at_s);
    deliver(packet.to, packet.bytes, (size_t)packet.length);
    free(packet.bytes);
}

static int late_us(double share) {
    uint64_t below = 0;
    for (int us = 0; us <= LATEST_US; us++)
        if ((below += lateness[us]) >= share * released && below) return us;
    return 0;
}

static void carry(int sender, int receiver) {
    unsigned char packet[LONGEST_PACKET];
    struct pollfd files[] = {{sender, POLLIN, 0}, {receiver, POLLIN, 0}};
    while (!atomic_load(&finished)) {
        double wait_s = heap_count ? fmax(heap[0].at_s - now_s(), 0) : 0.1;
        wait_s = fmin(wait_s, 0.1);
        struct timespec wait = {0, (long)(1e9 * wait_s)};
        double until_s = now_s() + wait_s;
        int ready = ppoll(files, 2, &wait, NULL);
        if (ready < 0 && errno != EINTR) fail("poll: %s", strerror(errno));
        if (ready == 0 && !heap_count) note_lateness(now_s() - until_s); /* stalls while idle */
        while (heap_count && heap[0].at_s <= now_s()) release(pop());
        ssize_t length;
        while ((length = read(sender, packet, sizeof packet)) > 0)
            from_sender(receiver, packet, (int)length);
        while ((length = read(receiver, packet, sizeof packet)) > 0) {
            Segment ack;
            if (!parse(packet, (int)length, &ack)) continue;
            clamp_window(&ack);
            deliver(sender, packet, (size_t)length);
        }
    }
}

static int new_socket(void) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) fail("a socket: %s", strerror(errno));
    if (setsockopt(made, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion)))
        fail("congestion control %s: %s", congestion, strerror(errno));
    return made;
}

enum { SPARE_WINDOWS = 4 }; /* largest window that the kernel advertises, in configured windows */

/* Limit the largest possible window, so that TCP chooses a small unit (scale) of windows. */
static void choose_window_scale(int receiver) {
    int most = (int)fmin(fmax(SPARE_WINDOWS * only(given.window_bytes, 0), 65535), 1 << 30);
    if (only(given.window_bytes, 0) > 0 &&
        setsockopt(receiver, IPPROTO_TCP, TCP_WINDOW_CLAMP, &most, sizeof most))
        fail("the window's clamp: %s", strerror(errno));
}

int main(void) {
    pid_t driver = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != driver) fail("the driver is gone");
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    read_instructions();
    started_s = clock_s(CLOCK_MONOTONIC);
    mlockall(MCL_CURRENT | MCL_FUTURE);

    int receiver = enter_namespace(RECEIVER_ADDRESS, SENDER_ADDRESS);
    listening = new_socket();
    choose_window_scale(listening);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    if (bind(listening, (struct sockaddr *)&here, sizeof here) || listen(listening, 1))
        fail("listen: %s", strerror(errno));
    pthread_t thread; /* a thread stays in the namespace in which it was created */
    if (pthread_create(&thread, NULL, receive, NULL)) fail("a thread: %s", strerror(errno));

    int sender = enter_namespace(SENDER_ADDRESS, RECEIVER_ADDRESS);
    sending = new_socket();
    started_s = clock_s(CLOCK_MONOTONIC);
    if (pthread_create(&thread, NULL, record, NULL)) fail("a thread: %s", strerror(errno));

    be_real_time(50);
    carry(sender, receiver);
    printf("late_us_median %d\nlate_us_99 %d\nlate_us_max %d\ncpu_s %.6f\nreleased %llu\n",
           late_us(0.5), late_us(0.99), late_us(1), clock_s(CLOCK_THREAD_CPUTIME_ID),
           (unsigned long long)released);
    printf("done\n");
    fflush(stdout);
    _exit(0);
}
