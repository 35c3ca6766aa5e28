// One TCP connection over a bottleneck in htsim, to time that simulator; see simulator.py.
//
//   htsim SECONDS LOSS BUFFER    prints the number of packets that the sender sent
//
// The path is that of simulator.py: 10 Mbit/s, 25 ms each way, packets of 1000 bytes. LOSS is the
// probability that a packet is lost before the queue, which holds BUFFER packets. htsim's sender is
// NewReno without a limit of its window, and its receiver acknowledges every packet.
#include <cstdlib>
#include <iostream>

#include "clock.h"
#include "eventlist.h"
#include "pipe.h"
#include "randomqueue.h"
#include "tcp.h"

int main(int count, char **arguments) {
    if (count != 4) {
        std::cerr << "usage: htsim SECONDS LOSS BUFFER\n";
        return 2;
    }
    const double seconds = atof(arguments[1]), loss = atof(arguments[2]);
    const linkspeed_bps rate = speedFromMbps(uint64_t{10});
    EventList &events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(1000);
    const mem_b buffer = memFromPkt(atof(arguments[3]));

    Queue tail(rate, buffer, events, nullptr);
    RandomQueue lossy(rate, buffer, events, nullptr, 0);
    lossy.set_packet_loss_rate(loss);
    Queue &queue = loss > 0 ? lossy : tail;
    Pipe forward(timeFromMs(25), events), backward(timeFromMs(25), events);
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    TcpSrc sender(nullptr, nullptr, events);
    TcpSink receiver;
    timers.registerTcp(sender);
    route_t there, back;
    for (PacketSink *hop : {(PacketSink *)&queue, (PacketSink *)&forward, (PacketSink *)&receiver})
        there.push_back(hop);
    for (PacketSink *hop : {(PacketSink *)&backward, (PacketSink *)&sender}) back.push_back(hop);
    sender.connect(there, back, receiver, 0);

    std::cout.setstate(std::ios::failbit);  // htsim prints a line for each lost packet
    while (events.doNextEvent()) {
    }
    std::cout.clear();
    std::cout << sender._packets_sent / sender._mss << "\n";
}
