"""Every rule of a sender is tested by a packet script: if the rule is broken, a script fails.

The simulator's files are copied, one rule is broken in the copy, and the scripts run on it without
compilation by numba. A packet script has the expected events at a sender.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tcpgoodput

PACKAGE = Path(tcpgoodput.__file__).parent
ROOT = Path(__file__).parents[2]

MUTATIONS = [
    # Growth and reduction of the window.
    ("window", "s.cwnd + 1.0,", "s.cwnd + 2.0,", "slow start"),
    ("window", "if s.cwnd < s.ssthresh", "if s.cwnd <= s.ssthresh", "avoidance at ssthresh"),
    ("window", "s.cwnd += 1.0 / s.cwnd", "s.cwnd += 0.5 / s.cwnd", "congestion avoidance"),
    ("window", "math.floor(s.cwnd + ROUNDING)\n", "s.cwnd\n", "the floor increment"),
    ("window", "s.cwnd_after if s.in_recovery else s.cwnd", "s.cwnd", "the inflation left out"),
    ("window", "SMALLEST_SSTHRESH = 2.0", "SMALLEST_SSTHRESH = 1.0", "two packets at least"),
    ("window", "min(base, float(s.highest_sent - s.acked))", "base", "the flight, not the window"),
    ("window", "min(window_now, float(s.max_window))", "float(s.max_window)",
     "the window, not the flight"),
    ("window", "min(window_now, float(s.max_window))", "window_now", "no more than is allowed"),
    ("window", "min(s.cwnd + 1.0, s.grows_to)", "s.cwnd + 1.0", "CUBIC's slow start has an end"),
    ("window", "if not s.halves_window:", "if True:", "half of the window, if told"),
    ("window", "s.recover = s.highest_sent\n", "pass\n", "a timeout moves recover"),
    ("window", "s.in_recovery = False\n", "pass\n", "a timeout ends recovery"),
    # Timeouts, and which packets a sender may send.
    ("sender", "if s.timed_out != s.acked + 1:", "if True:", "ssthresh held"),
    ("sender", "timer.back_off(s)\n", "pass\n", "back-off"),
    ("sender", "LIMITED_TRANSMIT = 2", "LIMITED_TRANSMIT = 3", "two packets beyond the window"),
    ("sender", "s.beyond_window = 0 if repeating else s.duplicates",
     "s.beyond_window = s.duplicates", "no limited transmit while repeating"),
    ("sender", "s.next_packet = max(s.next_packet, s.acked + 1)\n", "pass\n",
     "an ACK that jumps ahead"),
    ("sender", "if packet > last or packet >= s.transfer", "if packet > last",
     "the transfer's end"),
    ("sender", "while r.last_in_order < packet <= r.highest", "while False",
     "SACK skips what arrived"),
    ("sender", "if reports_new:", "if True:", "duplicates with news"),
    ("sender", "min(window(s) + s.beyond_window, s.max_window)", "window(s) + s.beyond_window",
     "the receiver's window"),
    # Rules of Tahoe, Reno and NewReno.
    ("tahoe", "s.duplicates == s.dupthresh", "s.duplicates == s.dupthresh + 1", "Tahoe's third"),
    ("tahoe", " and s.acked > s.recover", "", "Tahoe's guard"),
    ("tahoe", "s.recovery != OLDTAHOE and", "", "OldTahoe has no fast retransmit"),
    ("tahoe", "        timer.restart(s, now)\n        return True", "        return True",
     "Tahoe's timer"),
    ("reno", "s.duplicates == s.dupthresh", "s.duplicates == s.dupthresh - 1",
     "the third duplicate"),
    ("reno", " and s.acked > s.recover", "", "the guard of recover"),
    ("reno", "s.cwnd_after + s.dupthresh", "s.cwnd_after", "inflation by dupthresh"),
    ("reno", "        s.cwnd += 1.0\n", "", "inflation by one"),
    ("reno", "    s.cwnd = s.cwnd_after\n", "", "deflation at the end"),
    ("reno", "        s.recover = s.highest_sent\n", "", "recover at entry"),
    ("newreno", "s.cwnd - newly_acked + 1", "s.cwnd - newly_acked", "one packet added back"),
    ("newreno", "s.cwnd - newly_acked + 1", "s.cwnd", "partial deflation"),
    ("newreno", "s.steady or s.partial_acks == 1", "True", "the impatient timer"),
    ("newreno", "s.steady or s.partial_acks == 1", "s.partial_acks == 1", "the steady timer"),
    ("newreno", "elif s.partial_window == SSTHRESH", "elif False", "no deflation"),
    ("newreno", "elif s.partial_window == SSTHRESH", "else", "the unchanged window"),
    ("newreno", "ends_recovery and s.ends_at_flight", "s.ends_at_flight", "the full ACK alone"),
    ("newreno", "s.highest_sent - s.acked + 1.0", "s.highest_sent - s.acked", "one packet more"),
    ("newreno", "min(s.cwnd, s.highest", "(s.highest", "at most ssthresh"),
    ("newreno", "s.partial_window == DEFLATED", "not s.steady",
     "deflation is not the timer's rule"),
    ("newreno", "    s.repeat_first = True\n", "", "the next hole"),
    # Loss recovery with selective acknowledgements.
    ("sack", " or s.lost_below > s.acked + 1", "", "entry by IsLost"),
    ("sack", " and s.acked >= s.recover", "", "no recovery before RecoveryPoint"),
    ("sack", "s.acked >= s.recover", "s.acked > s.recover", "RecoveryPoint itself"),
    ("sack", "s.high_rxt = s.rescue_rxt = s.acked + 1",
     "s.high_rxt = s.acked + 1\n        s.rescue_rxt = NONE - 1", "RescueRxt at entry"),
    ("sack", "s.rescue_rxt = s.recover", "pass", "one rescue"),
    ("sack", "packet = _last_hole(s, board)", "pass", "the rescue"),
    ("sack", "packet = _next_hole(s, board, r.highest)", "pass", "rule 3"),
    ("sack", "packet = _next_hole(s, board, s.lost_below)", "pass", "rule 1"),
    ("sack", "unsent - s.acked <= s.max_window", "True", "the receiver's window"),
    ("sack", "s.pipe = not_lost + repeated", "s.pipe = not_lost", "what was repeated is under way"),
    ("sack", "        s.pipe += 1", "        s.pipe += 0", "each packet fills the pipe"),
    ("sack", "elif s.limited_transmit and", "elif", "limited transmit off"),
    # Rules of CUBIC.
    ("cubic", "BETA = 0.7", "BETA = 0.5", "the decrease"),
    ("cubic", "C = 0.4", "C = 0.5", "the growth"),
    ("cubic", "1.0 if s.w_est >= s.cwnd_prior else ALPHA", "ALPHA", "alpha becomes 1"),
    ("cubic", "cwnd * (1 + BETA) / 2 if cwnd < s.w_max else cwnd", "cwnd", "fast convergence"),
    ("cubic", "    s.cwnd = min(s.cwnd, s.grows_to)\n", "", "growth up to the receiver's window"),
    ("cubic", "LARGEST_STEP = 1.5", "LARGEST_STEP = 15.0", "the target's limit"),
    ("cubic", "s.after_timeout or ", "", "K after a timeout"),
    ("cubic", "        s.cwnd = s.w_est\n", "        s.cwnd += (target - s.cwnd) / s.cwnd\n",
     "the Reno-friendly region"),
    ("cubic", "t + max(s.srtt_s, 0.0)", "t", "one round trip ahead"),
    ("cubic", "alpha * newly_acked", "alpha", "W_est counts packets"),
    ("cubic", "    s.w_max, s.k_s, s.w_est = s.undo", "    _, _, _ = s.undo", "W_max and K return"),
    ("cubic", "    s.cwnd_prior, s.epoch_start = s.undo", "    _, _ = s.undo", "the epoch returns"),
    # The retransmission timer.
    ("timer", "SRTT_GAIN = 1 / 8", "SRTT_GAIN = 1 / 4", "SRTT's gain"),
    ("timer", "RTTVAR_GAIN = 1 / 4", "RTTVAR_GAIN = 1 / 8", "RTTVAR's gain"),
    ("timer", "DEVIATIONS = 4", "DEVIATIONS = 2", "four deviations"),
    ("timer", "BACKOFF = 2", "BACKOFF = 3", "doubling"),
    ("timer", "max(rto_s, s.min_rto_s)", "rto_s", "the minimum"),
    ("timer", "set_rto(s, min(BACKOFF * s.rto_s, s.max_rto_s))", "set_rto(s, BACKOFF * s.rto_s)",
     "the maximum"),
    ("timer", "max(s.tick_s, DEVIATIONS * s.rttvar_s)", "DEVIATIONS * s.rttvar_s", "G"),
    ("timer", "rtt_s / s.tick_s + 0.5", "rtt_s / s.tick_s", "the nearest tick"),
    ("timer", "        s.timed_packet = NONE  # Karn", "        pass  # Karn", "Karn's rule"),
    ("timer", "measured_s / 2", "measured_s", "the first RTTVAR"),
    ("timer", " if s.highest_sent > s.acked else NEVER", "", "off when nothing is outstanding"),
    ("timer", "    if not s.fixed_rto:\n        set_rto(s, min(BACK",
     "    if True:\n        set_rto(s, min(BACK", "a fixed RTO"),
    # Rules of senders with a scoreboard.
    ("growth", "if s.counts_packets else 1", "if False else 1", "growth by packets"),
    ("growth", "if not s.validates or _is_limited(s)", "if True", "a window that is not used"),
    ("growth", "s.cwnd < 2 * s.most_out", "s.cwnd < 3 * s.most_out", "twice what was outstanding"),
    ("growth", "if s.whole_increment:", "if False:", "the whole increment"),
    ("growth", "        s.counted -= whole * packets\n", "", "what was counted is used up"),
    ("reduction", "if not s.halves_window:", "if True:", "half of the window"),
    ("reduction", "s.cwnd if s.validates else min", "min", "all of a window that is validated"),
    ("reduction", "min(s.cwnd, float(s.max_window))", "s.cwnd", "no more than is allowed"),
    ("reduction", "    if not s.proportional:", "    if True:",
     "the window falls with what is delivered"),
    ("reduction", "    if s.halves_window:\n        return s.cwnd\n", "", "Linux falls from cwnd"),
    ("reduction", "    if s.has_sack:\n        flight -=", "    if False:\n        flight -=",
     "reported"),
    ("reduction", " - (s.arrived_count - s.arrived_before)", "", "reported by this ACK"),
    ("reduction", "    elif under_way > s.ssthresh:", "    elif True:", "down to ssthresh only"),
    ("reduction", "may_send = max(may_send, 1)", "pass", "the repeat at entry"),
    ("reduction", "        s.cwnd = s.ssthresh\n", "        pass\n", "the window after recovery"),
    ("rack", "s.min_rtt // 4", "s.min_rtt // 2", "a quarter of the round trip"),
    ("rack", "s.sacked_out >= s.reordering", "False", "three reports are enough"),
    ("rack", "s.state >= RECOVERY or ", "", "no waiting in recovery"),
    ("rack", "marks & LOST and not marks & REPEATED", "marks & LOST", "a lost repeat"),
    ("timers", "LEAST = ticks(0.002)", "LEAST = 0", "the two milliseconds"),
    ("timers", "int(2 * s.srtt_s", "int(3 * s.srtt_s", "two round trips"),
    ("timers", "_most_ack_delay(s) if outstanding(s) == 1 else LEAST", "LEAST", "a delayed ACK"),
    ("timers", "MOST_ACK_DELAY = ticks(0.2)", "MOST_ACK_DELAY = ticks(1.0)", "0.2 s"),
    ("timers", " if s.floor_on_variation else MOST_ACK_DELAY", "", "0.2 s by the RFC"),
    ("timers", "if s.floor_on_variation else MOST", "if False else MOST", "Linux's least timeout"),
    ("timers", "FIRST_PROBE = ticks(1.0)", "FIRST_PROBE = ticks(3.0)", "one second at first"),
    ("rack", "if s.min_rtt != NEVER and", "if", "a first repeat's round trip"),
    ("timers", "2 * rtt_s", "rtt_s", "the first deviation"),
    ("timers", "max(s.deviation_s, s.min_rto_s)", "s.deviation_s", "the least variation"),
    ("probe", "packet = s.highest_sent\n", "packet = s.acked + 1\n",
     "the last packet, not the first"),
    ("f_rto", "if unsent < s.transfer and", "if False and", "(2.b)"),
    ("f_rto", "s.false_timeout = OVER  #", "pass  #", "(3.a)"),
    ("marks", "if not a.marks[place] & REPEATED:", "if True:", "under way once"),
    ("machine", "if s.original_arrived and _undo", "if False and _undo", "(3.b)"),
    ("undo", "return s.timestamps and echoed < ", "return s.timestamps and echoed > ", "the echo"),
    ("undo", "s.cwnd = max(s.cwnd, s.prior_cwnd)", "pass", "the window is restored"),
    ("undo", "s.ssthresh = max(s.ssthresh, s.prior_ssthresh)", "pass", "so is ssthresh"),
    ("undo", "        s.undo_repeats -= 1\n", "        pass\n", "each repeat is accounted for"),
    ("hystart", "MIN_RTT_THRESH = ticks(0.004)", "MIN_RTT_THRESH = ticks(0.009)", "4 ms"),
    ("hystart", "MAX_RTT_THRESH = ticks(0.016)", "MAX_RTT_THRESH = ticks(0.16)", "16 ms"),
    ("hystart", "MIN_RTT_DIVISOR = 8", "MIN_RTT_DIVISOR = 4", "an eighth of the round trip"),
    ("hystart", "N_RTT_SAMPLE = 8", "N_RTT_SAMPLE = 4", "eight samples"),
    ("hystart", "CSS_GROWTH_DIVISOR = 4", "CSS_GROWTH_DIVISOR = 2", "a quarter of the growth"),
    ("hystart", "CSS_ROUNDS = 5", "CSS_ROUNDS = 4", "five rounds"),
    ("hystart", "LIMIT = 8", "LIMIT = 80", "L"),
    ("hystart", "s.conservative = False  # the increase was only jitter", "pass", "jitter"),
    ("hystart", "s.baseline_rtt = s.round_rtt", "s.baseline_rtt = 0", "the baseline"),
    ("hystart", "s.round_samples = 0", "pass", "samples are of a round"),
    ("hystart", "s.ssthresh = s.cwnd", "pass", "the end"),
    ("hystart", "s.round_last = s.highest_sent", "s.round_last += 1", "a round of a window"),
    ("linux_cubic", "+ s.least_delay", "", "the least round trip ahead"),
    ("linux_cubic", "MOST_PER_PACKET = 2", "MOST_PER_PACKET = 1", "one packet per two"),
    ("linux_cubic", "FIRST_EPOCH_PER_PACKET = 20", "FIRST_EPOCH_PER_PACKET = 50", "at first"),
    ("linux_cubic", "np.floor(s.cwnd / more) if", "s.cwnd / more if", "whole packets"),
    ("linux_cubic", "max(s.w_max, s.cwnd)", "s.cwnd", "the last maximum"),
    ("linux_cubic", "if s.cwnd < s.w_max else s.cwnd", "if False else s.cwnd", "fast convergence"),
    ("linux_cubic", "BETA = 717 / 1024", "BETA = 0.8", "the decrease"),
    ("hybrid_start", "LOW_WINDOW = 16", "LOW_WINDOW = 10", "from 16 packets on"),
    ("hybrid_start", "SAMPLES = 8", "SAMPLES = 7", "eight samples"),
    ("hybrid_start", "    s.round_samples = 0\n", "", "samples are of a round"),
    ("hybrid_start", "        s.ssthresh = s.cwnd\n", "", "the end"),
    ("duplicates", "beyond < s.reordering", "beyond < s.reordering + 1", "IsLost"),
    ("machine", "lowest < fack_before", "lowest < s.fack", "a delayed ACK is no reordering"),
    ("machine", "_note_reordering(s, acked_before + 1)", "pass", "reordering by time stamps"),
    ("machine", "s.fack if s.has_sack and", "s.fack if", "reordering without SACK"),
    ("duplicates", "s.sacked_out >= s.reordering", "s.sacked_out > s.reordering", "the third"),
    ("marks", "- s.lost_out + s.repeats_out", "- s.lost_out", "repeats are under way"),
    # Rules of BBR that one round trip shows; `test_bbr` tests the others on longer connections.
    ("modes", "STARTUP_GAIN = 739 / 256", "STARTUP_GAIN = 2.0", "the gain of start-up"),
    ("modes", "    s.path_rtt = handshake_rtt\n", "    s.path_rtt = 1\n",
     "the handshake's round trip"),
    ("pacing", "UNPACED = 10", "UNPACED = 5", "ten packets unpaced"),
    ("pacing", "made_up = min(s.packet_time / 2", "made_up = min(s.packet_time", "half of a burst"),
    ("pacing", "SLOW = 150_000.0", "SLOW = 15_000.0", "bursts of one packet"),
    ("cwnd", "cwnd = max(cwnd, int(s.good_cwnd))", "pass", "the window returns"),
    ("cwnd", "        if not s.conserves:\n", "        if True:\n", "packet conservation"),
    # Rules of the receiver and of delayed ACKs.
    ("receiver", "if fills_gap or ", "if ", "a filled gap at once"),
    ("receiver", "if r.deadline == NEVER:\n        r.deadline", "if True:\n        r.deadline",
     "the timer of the first packet"),
    ("receiver", "r.pending >= r.ack_every", "r.pending > r.ack_every", "every second packet"),
    ("receiver", "packet <= r.last_in_order or board[packet & mask]", "board[packet & mask]",
     "duplicate data"),
    # Rules of the path: queue, losses, spikes, hand-offs.
    ("path", "c.next_queued - c.first_queued >= c.buffer",
     "c.next_queued - c.first_queued > c.buffer", "the buffer's size"),
    ("path", "a.departures[c.first_queued & mask] <= at",
     "a.departures[c.first_queued & mask] < at", "a departure at the same instant"),
    ("arq", "frame.attempts < c.most_attempts", "True", "the last attempt"),
    ("arq", "frame.ready = at + c.turnaround", "frame.ready = at", "the turnaround"),
    ("arq", "if a.frames[repeat & mask].ready <= at:", "if False:", "before the queue's head"),
    ("arq", "    elif not c.in_sequence:", "    else:", "in order"),
    ("arq", "        if head.state == ON_LINK:\n            break\n", "", "held back"),
    ("arq", "c.in_buffer >= c.buffer", "c.in_buffer > c.buffer", "the buffer's size"),
    ("arq", "    c.in_buffer -= 1\n", "", "a packet that has left makes room"),
    ("path", "a.arrivals[(place - 1) & mask] > arrives", "False", "late packets overtaken"),
]  # fmt: skip


class Stage:
    """A copy of the package, and a process that runs the packet scripts on it."""

    def __init__(self, folder: Path, player: subprocess.Popen[str]) -> None:
        self.folder = folder
        self.player = player

    def play(self) -> tuple[int, str]:
        """Run the checks until one fails; return the exit status (0 if all pass) and its name."""
        assert self.player.stdin is not None
        assert self.player.stdout is not None
        print(self.folder, file=self.player.stdin, flush=True)
        status, check, message = json.loads(self.player.stdout.readline())
        assert check or not message, message  # the copy cannot be imported
        return status, check

    @contextmanager
    def changed(self, module: str, old: str, new: str) -> Iterator[None]:
        """Replace a text in a module of the copy; the end of the context restores the module."""
        (file,) = (self.folder / "tcpgoodput" / "simulator").rglob(f"{module}.py")
        text = file.read_text(encoding="utf-8")
        assert text.count(old) >= 1, f"{old!r} does not stand in {file.name}"
        for compiled in (file.parent / "__pycache__").glob(f"{module}.*.pyc"):
            compiled.unlink()
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(text, encoding="utf-8")


def cases() -> Iterator[Any]:
    """Yield the mutations; all but the first one of each module are for the weekly tests."""
    modules = set()
    for module, old, new, rule in MUTATIONS:
        marks = [pytest.mark.weekly] if module in modules else []
        modules.add(module)
        yield pytest.param(module, old, new, id=f"{module}: {rule}", marks=marks)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("stage")
    machine_code = shutil.ignore_patterns("simulator-*")
    shutil.copytree(PACKAGE, folder / "tcpgoodput", ignore=machine_code)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.simulator.player"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as player:
        yield Stage(folder, player)


def test_the_scripts_pass_without_mutations(stage: Stage) -> None:
    assert stage.play() == (0, "")


@pytest.mark.parametrize(("module", "old", "new"), list(cases()))
def test_each_broken_rule_fails_a_script(stage: Stage, module: str, old: str, new: str) -> None:
    with stage.changed(module, old, new):
        status, check = stage.play()
    endless = status in (-signal.SIGXCPU, -signal.SIGKILL)
    assert check or endless
