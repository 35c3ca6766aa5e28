"""Loss recovery as a machine of four states, as in the kernel's tcp_ack and tcp_enter_loss.

OPEN: no loss is suspected. DISORDER: packets were reported or are being retransmitted, but none
counts as lost. RECOVERY: lost packets are retransmitted, and the window falls. LOSS: after a
timeout, all missing packets count as lost, except recently sent ones if RACK is used.

`s` and `r` are the records of sender and receiver, `a` are the arrays of the run, `now` is the time
in ticks, and `rng` is the source of random numbers, of which only BBR draws.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.receiver import STAMPS_PER_TICK, stamp
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.scoreboard import (
    duplicates,
    f_rto,
    growth,
    hybrid_start,
    linux_cubic,
    marks,
    probe,
    rack,
    reduction,
    timers,
    undo,
)
from tcpgoodput.simulator.senders.scoreboard.bbr import modes, pacing, samples
from tcpgoodput.simulator.senders.scoreboard.marks import (
    EVER_REPEATED,
    LOST,
    REPEATED,
    SACKED,
    in_flight,
    marks_of,
    outstanding,
    sent_at,
)
from tcpgoodput.simulator.senders.scoreboard_state import (
    DISORDER,
    HEAD,
    LOSS,
    LOST_FIRST,
    NEW_FIRST,
    NOTHING,
    OPEN,
    PROBE,
    PROBE_TIMER,
    RECOVERY,
    REORDER_TIMER,
    TIMEOUT_TIMER,
)
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.senders.window import ROUNDING


@compiled
def on_ack(s, r, a, reported, now, rng):  # type: ignore[no-untyped-def]
    """React to the receiver's ACK.

    `reported`: a packet above a missing one that the ACK reports for the first time, or NONE.
    """
    s.action, s.sent_any = NOTHING, False
    if outstanding(s) == 0:
        return
    if s.bbr:
        samples.begin(s)
    lost_before, s.arrived_before = s.marked_lost, s.arrived_count
    s.original_arrived, s.newest_sent = False, NEVER
    twice = s.dsack and r.twice != NONE and undo.note_twice(s, a, r.twice)
    was_probe = twice and r.twice + 1 == s.probe_high
    if twice:
        _take_second_report(s, a, r.twice)
    reported_at, acked_before, fack_before = NEVER, s.acked, s.fack
    is_report = s.has_sack and reported != NONE
    if is_report:
        reported_at = _take_report(s, a, reported, now)
    advanced = r.last_in_order > s.acked
    if advanced:
        s.retries = 0
        _take_acknowledged(s, r, a, reported_at, fack_before, now)
    elif reported_at != NEVER:
        _sample(s, now - reported_at, now)
    # Restart the timer if the ACK acknowledges new data, or reports a packet that was sent before
    # the first outstanding one.
    restarts = advanced or reported_at < sent_at(a, s.acked + 1)
    rack.adapt(s, s.newest_sent, now)
    probe.on_ack(s, advanced, is_report, was_probe)
    if not advanced or is_report or twice or s.state != OPEN:
        is_duplicate = not (advanced or is_report or twice)
        waits = _react(s, r, a, acked_before, is_report, is_duplicate, now)
        restarts = restarts and not waits
    if restarts and not timers.schedule_probe(s, a, True, now):
        timers.restart(s, a, now)
    arrived = s.arrived_count - s.arrived_before
    if s.bbr:
        modes.on_ack(s, arrived, s.marked_lost - lost_before, now, rng)
    elif s.state == RECOVERY:
        reduction.go_on(s, arrived, s.marked_lost - lost_before, advanced)
    elif advanced or (is_report and s.reordering > s.dupthresh):
        growth.open_window(s, arrived, now)


@compiled
def _take_report(s, a, packet, now):  # type: ignore[no-untyped-def]
    """Mark a packet that SACK reports as arrived; update RACK and the measured reordering.

    Return its send time in ticks if it gives a round-trip sample, which needs a packet that was
    sent only once; else NEVER.
    """
    place = packet & mask_of(a.marks)
    known, sent = a.marks[place], a.sent_at[place]
    s.newest_sent = sent
    rack.advance(s, known, packet, sent, now)
    sampled = NEVER
    if not known & EVER_REPEATED:
        if packet < s.fack and (s.state != LOSS or s.undo_from != NONE):
            _note_reordering(s, packet)
        if packet < s.high_seq:
            s.original_arrived = True
        sampled = sent
    marks.mark_sacked(s, a, packet)
    s.arrived_count += 1
    if s.bbr:
        samples.on_delivered(s, a, packet)
    s.fack = max(s.fack, packet)
    return sampled


@compiled
def _take_second_report(s, a, packet):  # type: ignore[no-untyped-def]
    """Note reordering if a D-SACK reports a resent packet that SACK had reported before."""
    known = marks_of(a, packet) if packet > s.acked else 0
    if known & SACKED and known & EVER_REPEATED and (s.state != LOSS or s.undo_from != NONE):
        _note_reordering(s, packet)


@compiled
def _note_reordering(s, packet):  # type: ignore[no-untyped-def]
    """Update the measured amount of reordering from a packet that arrived behind later ones.

    The last of the later ones is the highest that SACK reports, or the last acknowledged one if
    SACK reports none (tcp_check_sack_reordering).
    """
    last = s.fack if s.has_sack and s.sacked_out > 0 else s.acked
    distance = last + 1 - packet
    if distance > s.reordering and s.most_reordering != NONE:
        s.reordering = min(distance, s.most_reordering)
    s.reorder_seen = True


@compiled
def _take_acknowledged(s, r, a, reported_at, fack_before, now):  # type: ignore[no-untyped-def]
    """Remove acknowledged packets from the scoreboard, and take a round-trip sample if possible.

    A packet that was sent once arrived late if an earlier ACK had reported a later packet. A
    delayed ACK of an ordinary packet may itself report a packet behind a gap, so the highest packet
    reported earlier, `fack_before`, decides.
    """
    first_sent, last_sent, lowest = NEVER, NEVER, NEVER
    any_repeat = False
    acked = r.last_in_order - s.acked
    for packet in range(s.acked + 1, r.last_in_order + 1):
        known, sent = marks_of(a, packet), sent_at(a, packet)
        if known & EVER_REPEATED:
            any_repeat = True
            if not known & SACKED:
                marks.remove_repeat(s, a, packet)
            if known & REPEATED:
                s.repeats_out -= 1
        elif not known & SACKED:
            first_sent, last_sent = min(first_sent, sent), sent
            lowest = min(lowest, packet)
            if packet < s.high_seq:
                s.original_arrived = True
        if s.has_sack:
            if known & SACKED:
                s.sacked_out -= 1
            else:
                s.arrived_count += 1
                s.newest_sent = sent
                if s.bbr:
                    samples.on_delivered(s, a, packet)
                if not (known & EVER_REPEATED and undo.echoes_earlier(s, r, sent)):
                    rack.advance(s, known, packet, sent, now)
        if known & LOST:
            s.lost_out -= 1
    s.acked = r.last_in_order
    if not s.has_sack:
        duplicates.remove(s, acked)
        if any_repeat:
            s.original_arrived = False
    elif lowest < fack_before:
        _note_reordering(s, lowest)
    if first_sent != NEVER and not any_repeat:
        note_delay(s, now - last_sent, now)
        timers.sample(s, now - first_sent, now)
    elif reported_at != NEVER:
        _sample(s, now - reported_at, now)
    elif s.timestamps:
        units = max(stamp(now) - stamp(r.echo), 1)  # whole units of timestamps (tcp_rtt_tsopt_us)
        _sample(s, int(units / STAMPS_PER_TICK), now)


@compiled
def _sample(s, rtt, now):  # type: ignore[no-untyped-def]
    note_delay(s, rtt, now)
    timers.sample(s, rtt, now)


@compiled
def note_delay(s, delay, now):  # type: ignore[no-untyped-def]
    """Record a round-trip sample in ticks for RACK, BBR, and HyStart of Linux's CUBIC."""
    rack.note_min_rtt(s, delay, now)
    s.last_rtt = delay
    if s.hybrid_start or s.linux_cubic:
        hybrid_start.note_delay(s, delay, now)


@compiled
def _react(s, r, a, acked_before, is_report, is_duplicate, now):  # type: ignore[no-untyped-def]
    """React to an ACK depending on `s.state`; return whether RACK's timer was started.

    `acked_before`: the last packet that was acknowledged in order before this ACK. `is_report`: the
    ACK reports a further packet by SACK. `is_duplicate`: the ACK reports nothing new.
    """
    advanced = s.acked > acked_before
    if s.state == OPEN:
        s.repeated_at = NEVER
    elif s.acked + 1 >= s.high_seq and s.state == RECOVERY:
        if not s.has_sack:
            s.sacked_out = 0
        if _leave(s, r, a):
            return False
        reduction.end(s)
    if s.state == RECOVERY:
        if not advanced:
            if not s.has_sack and is_duplicate:
                duplicates.add(s)
        elif s.undo_from != NONE and undo.was_delayed(s, r):
            _note_reordering(s, acked_before + 1)
            if s.repeats_out > 0:
                return False  # send only new packets until the resent packets are acknowledged
            marks.forget_repeats(s, a)
            undo.restore(s, a, True)
            _keep_open(s, a)
        if s.undo_from != NONE and s.undo_repeats == 0:
            _undo_reported(s, a)
            _keep_open(s, a)
        waits = _find_losses(s, a, advanced, now)
        if s.state != RECOVERY:
            if s.lost_out == 0:
                return waits
            _enter_recovery(s, a)
        s.action = LOST_FIRST
        return waits
    if s.state == LOSS:
        _process_loss(s, r, a, advanced, is_report, is_duplicate)
        repeats_before = s.repeats_out
        waits = _find_losses(s, a, advanced, now)
        lost_again = s.repeats_out < repeats_before and s.rack
        if s.state != OPEN and not lost_again:
            return waits
    else:
        if not s.has_sack:
            if advanced:
                s.sacked_out = 0
            if is_duplicate:
                duplicates.add(s)
        if s.undo_from != NONE and s.undo_repeats == 0:
            _undo_reported(s, a)
        waits = _find_losses(s, a, advanced, now)
        if s.lost_out == 0:
            marks.forget_repeats(s, a)
    if s.lost_out == 0:
        _keep_open(s, a)
        return waits
    _enter_recovery(s, a)
    s.action = LOST_FIRST
    return waits


@compiled
def _find_losses(s, a, advanced, now):  # type: ignore[no-untyped-def]
    if outstanding(s) == 0:
        return False
    if s.rack:
        return rack.mark(s, a, now)
    if s.has_sack:
        duplicates.mark_below(s, a)
    else:
        duplicates.mark_first(s, a, advanced)
    return False


@compiled
def _leave(s, r, a):  # type: ignore[no-untyped-def]
    """End a recovery, with an undo if possible; return whether `_holds_state` forbids its end."""
    if undo.is_possible(s, r):
        undo.restore(s, a, False)
    elif s.reorder_kept > 0:
        s.reorder_kept -= 1
    if _holds_state(s, a):
        return True
    s.state = OPEN
    return False


@compiled
def _holds_state(s, a):  # type: ignore[no-untyped-def]
    """Return whether to keep the state until `high_seq` is acknowledged (RFC 6582, section 5).

    `high_seq` is the first packet that was unsent when the state began. Only a sender without SACK
    keeps its state, so that late duplicate ACKs do not cause another recovery.
    """
    if s.acked + 1 == s.high_seq and not s.has_sack:
        marks.forget_repeats(s, a)
        return True
    return False


@compiled
def _undo_reported(s, a):  # type: ignore[no-untyped-def]
    """Restore the window, because D-SACKs have shown that no retransmission was necessary.

    RACK keeps its widened reordering window for one more recovery, at most `RECOVERIES_KEPT`.
    """
    s.reorder_kept = min(rack.RECOVERIES_KEPT, s.reorder_kept + 1)
    undo.restore(s, a, False)


@compiled
def _keep_open(s, a):  # type: ignore[no-untyped-def]
    state = OPEN
    if s.sacked_out + s.lost_out > 0 or marks.any_repeated(s, a):
        state = DISORDER
    if s.state != state:
        s.state = state
        s.high_seq = s.highest_sent + 1


@compiled
def _enter_recovery(s, a):  # type: ignore[no-untyped-def]
    marks.forget_repeats(s, a)  # has no effect while a retransmission is under way
    undo.mark(s)
    s.prior_ssthresh = _current_ssthresh(s)
    reduction.begin(s)
    s.fast_retransmits += 1
    s.state = RECOVERY


@compiled
def _current_ssthresh(s):  # type: ignore[no-untyped-def]
    if s.state == RECOVERY:
        return s.ssthresh
    return max(s.ssthresh, float(int(s.cwnd) // 2 + int(s.cwnd) // 4))


@compiled
def _process_loss(s, r, a, advanced, is_report, is_duplicate):  # type: ignore[no-untyped-def]
    """React to an ACK in the state LOSS, which begins with a timeout; see `_react`."""
    recovered = s.acked + 1 >= s.high_seq
    if advanced and _undo_loss(s, r, a, False):
        return
    if s.false_timeout != f_rto.OVER:
        if s.original_arrived and _undo_loss(s, r, a, True):  # F-RTO, step (3.b)
            return
        if f_rto.test(s, advanced, is_report or is_duplicate):
            return
    if recovered:
        _leave(s, r, a)
        return
    if not s.has_sack:
        if s.highest_sent + 1 > s.high_seq and is_duplicate:
            duplicates.add(s)
        elif advanced:
            s.sacked_out = 0
    s.action = LOST_FIRST


@compiled
def _undo_loss(s, r, a, proved):  # type: ignore[no-untyped-def]
    if not (proved or undo.is_possible(s, r)):
        return False
    undo.restore(s, a, True)
    s.retries = 0
    if not _holds_state(s, a) and (proved or s.has_sack):
        s.state = OPEN
    return True


@compiled
def on_timer(s, a, now, rng):  # type: ignore[no-untyped-def]
    """React to the expiry of the sender's timer: reordering, probe or retransmission timeout."""
    s.action, s.sent_any = NOTHING, False
    s.arrived_before = s.arrived_count
    if s.timer == REORDER_TIMER:
        _on_reordering(s, a, now)
    elif s.timer == PROBE_TIMER:
        probe.on_timer(s, a, now)
    else:
        _on_timeout(s, a, now, rng)


@compiled
def _on_reordering(s, a, now):  # type: ignore[no-untyped-def]
    """Mark overdue packets as lost, and resend them, when RACK's timer expires (RFC 8985, 6.3)."""
    before, lost_before = in_flight(s), s.marked_lost
    rack.detect(s, a, now)
    s.deadline = NEVER
    if in_flight(s) != before:
        if s.state != RECOVERY:
            _enter_recovery(s, a)
            if not s.bbr:
                reduction.go_on(s, 1, s.marked_lost - lost_before, False)
        s.action = LOST_FIRST
    s.deadline = now
    timers.restart(s, a, now)


@compiled
def _on_timeout(s, a, now, rng):  # type: ignore[no-untyped-def]
    """Mark packets as lost at a timeout (with RACK not the recent ones), and send one packet."""
    s.timeouts += 1
    is_first = s.state < RECOVERY
    if not s.has_sack:
        s.sacked_out = 0
    head = s.acked + 1
    for packet in range(head, s.highest_sent + 1):
        recent = s.rack and s.rack_rtt - (now - sent_at(a, packet)) > 0
        if packet == head or not recent:
            marks.mark_lost(s, a, packet)
    if s.state <= DISORDER or s.high_seq <= head or (s.state == LOSS and s.retries == 0):
        s.prior_ssthresh = _current_ssthresh(s)
        s.prior_cwnd = s.cwnd
        reduction.cut(s)
        undo.mark(s)
    s.after_timeout = True
    s.cwnd = float(in_flight(s) + 1)
    s.counted = 0.0
    if s.state <= DISORDER and s.sacked_out >= s.dupthresh:
        s.reordering = min(s.reordering, s.dupthresh)
    if s.linux_cubic:
        linux_cubic.forget(s, now)
    if s.bbr:
        modes.on_timeout(s, rng)
    s.state = LOSS
    s.high_seq = s.highest_sent + 1
    s.probe_high = NONE
    f_rto.begin(s, is_first or s.retries > 0)
    s.retries += 1
    s.action = HEAD
    timer.back_off(s)
    timers.start(s, TIMEOUT_TIMER, s.rto, now)


@compiled
def on_pacing(s):  # type: ignore[no-untyped-def]
    """Let the sender send when the time of a waiting packet has come (tcp_tsq_write)."""
    s.pacing_deadline = NEVER
    s.sent_any = False
    s.action = LOST_FIRST if s.lost_out > s.repeats_out else NOTHING


@compiled
def next_packet(s, a, now):  # type: ignore[no-untyped-def]
    """Return the next packet to send and record it as sent; NONE if no packet may be sent."""
    packet = NONE
    if s.action == PROBE:
        packet = probe.send(s, a, now)
        s.action = NOTHING
        if packet <= s.highest_sent:
            if s.bbr:
                samples.on_sent(s, a, packet, now)
            probe.note_repeat(s, a, packet, now)
            if s.bbr:
                pacing.on_sent(s, now)
            return packet
        _note_sent(s, a, packet, now)
        return packet
    if s.action == HEAD:
        s.action = NOTHING
        packet = s.acked + 1
        _note_sent(s, a, packet, now)
        return packet
    if s.action == NEW_FIRST:
        packet = _unsent(s, now)
        if packet == NONE:
            if s.highest_sent + 1 > s.high_seq:
                s.action = NOTHING
            else:
                s.false_timeout = f_rto.OVER
                s.action = LOST_FIRST
    if s.action == LOST_FIRST:
        if in_flight(s) < int(s.cwnd + ROUNDING):
            packet = marks.next_lost(s, a)
            if s.bbr and packet != NONE and not pacing.may_send(s, now):
                packet = NONE
        if packet == NONE:
            s.action = NOTHING
        else:
            _note_sent(s, a, packet, now)
            if packet == s.acked + 1 and s.timer != REORDER_TIMER:
                timers.start(s, TIMEOUT_TIMER, s.rto, now)
            return packet
    if packet == NONE:
        packet = _unsent(s, now)
    if packet != NONE:
        idle = outstanding(s) == 0
        _note_sent(s, a, packet, now)
        if idle or s.timer == PROBE_TIMER:
            timers.restart(s, a, now)
        s.sent_any = True
        return packet
    if s.sent_any:
        timers.schedule_probe(s, a, False, now)
    pacing.end_burst(s)
    growth.note_use(s)
    s.sent_any = False
    return NONE


@compiled
def _unsent(s, now):  # type: ignore[no-untyped-def]
    """Return the next new packet if cwnd, receiver's window and pacing allow it, or NONE."""
    unsent = s.highest_sent + 1
    allowed = in_flight(s) < int(s.cwnd + ROUNDING) and unsent - s.acked <= s.max_window
    if not allowed or unsent >= s.transfer:
        return NONE
    return NONE if s.bbr and not pacing.may_send(s, now) else unsent


@compiled
def _note_sent(s, a, packet, now):  # type: ignore[no-untyped-def]
    if s.bbr:
        samples.on_sent(s, a, packet, now)
    marks.on_sent(s, a, packet, now)
    if s.bbr:
        pacing.on_sent(s, now)
