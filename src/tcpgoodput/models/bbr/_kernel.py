"""The loop of BBR's fluid over time steps, compiled by numba.

`varying_capacity` imports this module inside functions, because the import of numba takes long.

The first index of each ring is the number of a time step, modulo `RING`.
"""

from __future__ import annotations

import numpy as np

from tcpgoodput.compilation import kept

ROUNDS = 10
"""Number of round trips for which a delivery rate counts (bbr_bw_rtts)."""

RING = 2**17
"""Number of remembered time steps; no packet takes longer, or its delivery rate is that of so many
steps."""

PHASES = 8

RUN = np.dtype(
    [
        # Constants; times in steps, amounts in packets.
        ("buffer", "f8"),
        ("max_window", "f8"),
        ("forward", "i8"),
        ("round_trip", "i8"),
        ("room", "f8"),  # packets of the window beyond twice what the path holds
        ("rtt_window", "i8"),  # ten seconds
        ("probe_rtt_steps", "i8"),
        # State.
        ("at", "i8"),
        ("queue", "f8"),
        ("sent", "f8"),  # packets sent, accepted by the buffer, and acknowledged, since the start
        ("accepted", "f8"),
        ("acked", "f8"),
        ("known_lost", "f8"),
        ("sent_step", "i8"),  # the step in which the packet acknowledged now was sent
        ("round", "i8"),
        ("round_ends", "f8"),
        ("phase", "i8"),
        ("phase_at", "i8"),
        ("probed_at", "i8"),  # the last step of the last PROBE_RTT
        ("probing_until", "i8"),  # end of PROBE_RTT; -1: not begun, 0: not in PROBE_RTT
        # Sums since they were last set to 0.
        ("of_capacity", "f8"),
        ("of_served", "f8"),
    ],
    align=True,
)

_compiled = kept(nogil=True, error_model="numpy")


@_compiled
def advance(run, capacity, sent, accepted, served, lost, acked, rates):  # type: ignore[no-untyped-def]
    """Advance the fluid by the steps of a block, in which the link can carry `capacity` packets.

    The rings have a step's packets `sent`, `served` (leaving the buffer) and `lost`, and those
    `accepted` by the buffer and `acked` up to a step. `rates` are the largest delivery rates of the
    last round trips, in packets per step.
    """
    s = run[0]
    mask, backward = RING - 1, s.round_trip - s.forward
    for carried in capacity:
        k = s.at
        arriving = sent[(k - s.forward) & mask]
        ready = s.queue + arriving
        departing = min(carried, ready)
        s.queue = min(ready - departing, s.buffer)
        lost[k & mask] = ready - departing - s.queue
        served[k & mask] = departing
        s.accepted += arriving - lost[k & mask]
        accepted[k & mask] = s.accepted
        s.known_lost += lost[(k - backward) & mask]
        newly = served[(k - backward) & mask]
        s.acked += newly
        acked[k & mask] = s.acked
        if newly > 0:
            _sample(s, accepted, acked, rates)
        flight = s.sent - s.acked - s.known_lost
        sent[k & mask] = _sending(s, flight, lost[(k - backward) & mask] > 0, rates.max())
        s.sent += sent[k & mask]
        s.of_capacity += carried
        s.of_served += departing
        s.at += 1


@_compiled
def _sample(s, accepted, acked, rates):  # type: ignore[no-untyped-def]
    """Take the delivery rate of the packet acknowledged now, and count its round trip."""
    mask, k = RING - 1, s.at
    arrived = max(s.sent_step + s.forward, k - RING + 1)
    while arrived < k and accepted[arrived & mask] < s.acked:
        arrived += 1
    s.sent_step = max(arrived - s.forward, k - RING + 1)
    took = max(k - s.sent_step, 1)
    before = acked[s.sent_step & mask]
    if before >= s.round_ends:
        s.round_ends = s.acked
        s.round += 1
        if s.probing_until == 0:
            rates[s.round % rates.size] = 0.0
    place = s.round % rates.size
    rates[place] = max(rates[place], (s.acked - before) / took)


@_compiled
def _sending(s, flight, loses, bandwidth):  # type: ignore[no-untyped-def]
    """Return the packets to send in the step, by pacing rate and window."""
    k, held = s.at, bandwidth * s.round_trip
    window = max(2 * held + s.room, 4.0)
    gain = 1.0
    if s.probing_until == 0 and k - s.probed_at > s.rtt_window:
        s.probing_until = -1
    if s.probing_until != 0:
        window = 4.0
        if s.probing_until < 0 and flight <= 4.0:
            s.probing_until = k + s.probe_rtt_steps
        elif 0 < s.probing_until <= k:
            s.probing_until = 0
            s.probed_at = s.phase_at = k
            s.phase = 2
    else:
        lasts = k - s.phase_at
        if s.phase == 0:
            ends = lasts > s.round_trip and (loses or flight >= 1.25 * held)
        elif s.phase == 1:
            ends = lasts > s.round_trip or flight <= held + s.room
        else:
            ends = lasts > s.round_trip
        if ends:
            s.phase = (s.phase + 1) % PHASES
            s.phase_at = k
        if s.phase == 0:
            gain = 1.25
        elif s.phase == 1:
            gain = 0.75
    window = min(window, s.max_window)
    return min(0.99 * gain * bandwidth, max(window - flight, 0.0))
