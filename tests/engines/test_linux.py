"""The engine `linux` (the kernel's TCP, emulated path): the emulator's input, output, cleanup."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.linux import Linux, run
from tcpgoodput.engines.linux.engine import TOLERANCE, baselines, largest_pps
from tcpgoodput.engines.linux.instructions import instructions, settings
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario, override

PLAN = Plan(1, 1.0, 0.0, 2.0)
MISSING = Linux().missing()
live = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

CONNECTION = Scenario.model_validate(
    {
        "id": "connection",
        "title": "A connection",
        "tcp": {"variant": "newreno", "mss_bytes": 1000, "max_window_packets": 20},
        "path": {"rate_bps": 8e6, "forward_delay_s": 0.02, "backward_delay_s": 0.03},
    }
)


def instruction_values(
    scenario: Scenario, profile: str = "newreno", seed: int = 0
) -> dict[str, list[float]]:
    """Return the numbers in each line of the emulator's instructions, by the line's first word."""
    text = instructions(scenario, profile, np.random.default_rng(seed), PLAN)
    lines = [line.split() for line in text.splitlines()]
    return {
        key: [float(word) for word in words]
        for key, *words in lines
        if key not in ("sysctl", "congestion", "end")
    }


def test_instructions_contain_sizes_and_delays() -> None:
    lists = instruction_values(CONNECTION, "newreno-timestamps")
    assert lists["window_bytes"] == [20_000]
    assert lists["option_bytes"] == [12]
    assert (lists["forward_s"], lists["backward_s"]) == ([0.02], [0.03])
    assert lists["capacity"][:2] == [0.0, 8e6]
    assert lists["quick_ack"] == [1]
    assert instruction_values(override(CONNECTION, {"tcp.ack_every": 2}))["quick_ack"] == [0]


def test_independent_losses_have_the_given_frequency() -> None:
    lossy = override(CONNECTION, {"loss": {"process": "bernoulli", "probability": 0.2}})
    long = Plan(1, 0.0, 0.0, 100.0)
    text = instructions(lossy, "newreno", np.random.default_rng(3), long)
    line = next(line for line in text.splitlines() if line.startswith("lost_packets"))
    numbers = [int(word) for word in line.split()[1:]]
    assert numbers == sorted(set(numbers))
    assert len(numbers) / numbers[-1] == pytest.approx(0.2, rel=0.05)


def test_handoffs_come_at_a_random_phase_and_then_regularly() -> None:
    handoffs = {"interval_s": 0.5, "packets": 3, "fate": "late", "late_s": 0.1}
    lists = instruction_values(override(CONNECTION, {"handoffs": handoffs}))
    assert np.diff(lists["handoffs_s"]) == pytest.approx(0.5)
    assert 0.5 <= lists["handoffs_s"][0] <= 1.0
    assert (lists["handoff_packets"], lists["late_s"]) == ([3], [0.1])
    lost = override(CONNECTION, {"handoffs": {"interval_s": 1, "packets": 1, "fate": "lost"}})
    assert instruction_values(lost)["late_s"] == [-1]


def test_instructions_list_a_delay_trace_as_pairs(tmp_path: Path) -> None:
    lists = instruction_values(override(CONNECTION, {"delay": {"file": changing_delay(tmp_path)}}))
    times, delays = np.array(lists["delay"][::2]), np.array(lists["delay"][1::2])
    assert times[0] == 0
    assert set(delays) == {0.01, 0.05}
    changes = times[1:][np.diff(delays) != 0]
    assert changes.size >= 5
    assert np.diff(changes) == pytest.approx(0.5)
    assert instruction_values(CONNECTION)["delay"] == []


def changing_delay(folder: Path) -> str:
    """Write a trace whose delay alternates every 0.5 s between 10 and 50 ms; return its path."""
    file = folder / "delay.csv"
    file.write_text("time_s,delay_s\n0,0.01\n0.5,0.05\n1,0\n", encoding="utf-8")
    return str(file)


def test_equal_seeds_give_equal_instructions() -> None:
    lossy = override(CONNECTION, {"loss": {"process": "bernoulli", "probability": 0.01}})
    assert (
        instruction_values(lossy, seed=1)
        == instruction_values(lossy, seed=1)
        != instruction_values(lossy, seed=2)
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tcp.variant": "tahoe"}, "no sender tahoe"),
        ({"tcp.variant": "reno"}, "no sender reno"),
        ({"tcp.rto.fixed_s": 1.0}, "fixed_s"),
        ({"tcp.limited_transmit": False}, "limited transmit"),
        ({"tcp.ack_every": 3}, "every second"),
        ({"tcp.mss_bytes": 20}, "48 to 9000"),
        ({"tcp.ca_increment": "floor"}, "per window of ACKs"),
        ({"tcp.full_ack_window": "flight"}, "must be ssthresh"),
        ({"tcp.rto.max_s": 3000.0}, "from 1 to 120"),
    ],
)
def test_scenarios_unsupported_by_the_kernel_are_refused(
    changes: dict[str, object], reason: str
) -> None:
    assert Linux().own_refusal(CONNECTION) is None
    assert reason in str(Linux().own_refusal(override(CONNECTION, changes)))


def test_a_profile_that_contradicts_the_variant_is_refused() -> None:
    assert "selective acknowledgements on" in str(Linux("modern").own_refusal(CONNECTION))
    sack = override(CONNECTION, {"tcp.variant": "sack"})
    assert Linux("modern").own_refusal(sack) is None
    assert "selective acknowledgements off" in str(Linux("newreno").own_refusal(sack))
    bbr = override(CONNECTION, {"tcp.variant": "bbr"})
    assert Linux("modern").own_refusal(bbr) is None
    assert "no selective acknowledgements" in str(Linux("modern-no-sack").own_refusal(bbr))


def test_a_transfer_gets_enough_time() -> None:
    transfer = override(CONNECTION, {"tcp.transfer_packets": 100_000})
    plan = Linux().plan(transfer, Conditions())
    assert plan.warm_up_s == 0
    assert plan.measured_s > 100_000 / transfer.rate_pps
    with pytest.raises(Unavailable, match="has not ended"):
        run.observation(OUTPUT.replace("window_packets", "unfinished\nwindow_packets"), 1000)


def test_runs_on_a_path_with_long_round_trips_last_longer() -> None:
    far = override(CONNECTION, {"path.forward_delay_s": 0.25, "path.backward_delay_s": 0.3})
    usual, longer = (Linux().plan(one, Conditions()) for one in (CONNECTION, far))
    assert (usual.warm_up_s, usual.measured_s) == (5.0, 25.0)
    assert (longer.warm_up_s, longer.measured_s) == (pytest.approx(11), pytest.approx(55))
    assert Linux().elapsed_s(far, longer) >= 66


def test_the_kernel_gets_the_number_of_duplicates() -> None:
    assert settings(CONNECTION, "modern")["tcp_reordering"] == 3


OUTPUT = """connected_s 0.1
warm_s 1.1
warm_bytes 1000
warm_sent 5
warm_again 1
warm_lost 1
warm_dropped 0
warm_handoffs 0
warm TcpExt: {names}
warm TcpExt: 1 1 1 1 1 1 1 1 1
warm Tcp: RetransSegs
warm Tcp: 1
end_s 3.1
end_bytes 9000
end_sent 15
end_again 2
end_lost 2
end_dropped 3
end_handoffs 1
host_drops 0
end TcpExt: {names}
end TcpExt: 2 3 1 4 1 1 6 1 1
end Tcp: RetransSegs
end Tcp: 2
window_packets 7.5
rtt_s 0.06
late_us_median 12
late_us_99 40
late_us_max 900
cpu_s 0.1
released 20
done
""".format(names=" ".join(name for names in run.NETSTAT.values() for name in names))


def test_output_is_read() -> None:
    seen = run.observation(OUTPUT, 1000)
    assert (seen.measured_s, seen.delivered) == (2.0, 8.0)
    assert (seen.timeouts, seen.fast_retransmits, seen.retransmissions) == (1, 2, 1)
    assert (seen.packets_sent, seen.packets_lost, seen.packets_dropped, seen.handoffs) == (
        10, 1, 3, 1,
    )  # fmt: skip
    assert seen.details["undos"] == 8
    assert seen.details["whole_pps"] == pytest.approx(3.0)


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        OUTPUT.removesuffix("done\n"),
        OUTPUT.replace("end_bytes 9000", "end_bytes many"),
        OUTPUT.replace("end_bytes 9000\n", ""),
        OUTPUT.replace("warm Tcp: 1\n", ""),
        OUTPUT.replace("TCPTimeouts", "TCPTimeOuts"),
    ],
)
def test_damaged_output_is_refused(damaged: str) -> None:
    with pytest.raises(Unavailable, match="emulator"):
        run.observation(damaged, 1000)


def test_a_disturbed_run_is_not_counted() -> None:
    with pytest.raises(run.Disturbed, match="median"):
        run.observation(OUTPUT.replace("late_us_max 900", "late_us_max 90000"), 1000)
    with pytest.raises(run.Disturbed, match="dropped 3 packets"):
        run.observation(OUTPUT.replace("host_drops 0", "host_drops 3"), 1000)


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Replace the path's emulator by a shell script with the given commands."""
    program = folder / "emulator"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setattr(run, "emulator", lambda: program)


def test_a_failing_emulator_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "cat > /dev/null; echo /dev/net/tun: gone >&2; exit 1")
    with pytest.raises(Unavailable, match="emulator failed: /dev/net/tun: gone"):
        run.observed("", 1.0, 1000, 1.0)


def test_a_hanging_emulator_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "exec sleep 60")
    monkeypatch.setattr(run, "GRACE_S", 0.2)
    with pytest.raises(Unavailable, match="did not end"):
        run.observed("", 0.1, 1000, 1.0)


def test_a_busy_machine_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = OUTPUT.replace("late_us_median 12", "late_us_median 12000")
    (tmp_path / "output").write_text(late, encoding="ascii")
    stand_in(tmp_path, monkeypatch, f"cat > /dev/null; cat {tmp_path / 'output'}")
    with pytest.raises(Unavailable, match="too busy"):
        run.observed("", 1.0, 1000, 1.0)


def test_engine_requires_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "run it as root" in str(Linux().missing())


def test_baselines_fail_beyond_their_tolerance() -> None:
    for baseline in baselines():
        expected = baseline.expected_pps
        assert baseline.fault(expected * (1 + 0.9 * TOLERANCE)) is None
        assert "instead of" in str(baseline.fault(expected * (1 - 1.1 * TOLERANCE)))


@live
def test_kernel_and_simulator_agree_on_one_connection() -> None:
    lossy = override(
        CONNECTION,
        {"loss": {"process": "bernoulli", "probability": 0.02}, "tcp.max_window_packets": 100},
    )
    seen = Linux().measure(lossy, Conditions(), replications=6, duration_s=5.0)
    ours = ENGINES["packet"].measure(lossy, Conditions(precision="draft"))
    assert seen.replications == 6
    assert seen.goodput_pps == pytest.approx(
        ours.goodput_pps, abs=2 * seen.half_width_pps + 0.1 * ours.goodput_pps
    )
    assert seen.packets_lost is not None
    assert seen.packets_lost > 0


PATHS = {
    "a full buffer": (
        {"path.buffer_packets": 60, "tcp.max_window_packets": None, "tcp.variant": "sack"}, 0.02
    ),
    "delay spikes": (
        {
            "spikes": {
                "interval": {"distribution": "constant", "mean_s": 2.0},
                "duration": {"distribution": "constant", "mean_s": 0.15},
            }
        },
        0.03,
    ),
    "a capacity that varies": (
        {
            "capacity": {
                "process": "square", "min_bps": 1e6, "max_bps": 8e6, "frequency_hz": 1.0
            }
        },
        0.03,
    ),
    "hand-offs that lose": (
        {"handoffs": {"interval_s": 1.0, "packets": 1, "fate": "lost"}}, 0.05
    ),
    "hand-offs that delay beyond a round trip": (
        {"handoffs": {"interval_s": 1.0, "packets": 1, "fate": "late", "late_s": 0.1}}, 0.05
    ),
}  # fmt: skip
"""Changes of the path, each with the largest allowed relative difference of goodput between kernel
and simulator."""


@live
def test_the_emulated_path_agrees_with_the_simulated_path(tmp_path: Path) -> None:
    paths = {**PATHS, "a delay that changes": ({"delay": {"file": changing_delay(tmp_path)}}, 0.03)}

    def measured(changes: dict[str, object]) -> float:
        one = override(CONNECTION, changes)
        return Linux().observe(one, Conditions(), 0, Plan(1, 4.0, 1.0, 10.0)).goodput_pps

    with ThreadPoolExecutor(len(paths)) as pool:
        seen = list(pool.map(measured, (changes for changes, _ in paths.values())))
    conditions = Conditions(precision="draft")
    for (name, (changes, allowed)), goodput_pps in zip(paths.items(), seen, strict=True):
        mean_pps = ENGINES["packet"].measure(override(CONNECTION, changes), conditions).goodput_pps
        as_simulated = pytest.approx(mean_pps, rel=allowed)
        if goodput_pps != as_simulated:  # other tests may have slowed the emulator down: repeat
            goodput_pps = median(measured(changes) for _ in range(3))
        assert goodput_pps == as_simulated, name


DRIVER = """
from tcpgoodput.engines.linux import Linux
from tcpgoodput.models import Conditions
from tests.engines.test_linux import CONNECTION
Linux().measure(CONNECTION, Conditions(), replications=4, duration_s=60.0)
"""


def children(parent: int) -> set[Path]:
    listed = Path(f"/proc/{parent}/task").glob("*/children")
    return {Path("/proc", child) for file in listed for child in file.read_text().split()}


def namespaces(processes: Iterable[Path]) -> set[str]:
    """Return the network namespaces of all threads of some processes, as links in /proc."""
    found = set()
    for process in processes:
        for link in process.glob("task/*/ns/net"):
            with suppress(OSError):
                found.add(os.readlink(link))
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.05)


@live
def test_a_killed_driver_leaves_no_process_and_no_namespace() -> None:
    driver = subprocess.Popen([sys.executable, "-c", DRIVER], cwd=Path(__file__).parents[2])
    try:
        wait_until(lambda: len(children(driver.pid)) >= 4)
        emulators = children(driver.pid)
        own = namespaces([Path("/proc/self")])
        wait_until(lambda: len(namespaces(emulators) - own) >= 8)
        spaces = namespaces(emulators) - own
        # List other processes before the emulators end: new ones may get the emulators' ids.
        others = set(Path("/proc").glob("[0-9]*")) - emulators
    finally:
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
    wait_until(lambda: not any(process.exists() for process in emulators))
    assert not namespaces(others) & spaces
    assert not any(space in Path("/proc/self/mountinfo").read_text() for space in spaces)


def test_fast_runs_wait_for_each_other_and_slow_ones_do_not(monkeypatch: Any) -> None:
    monkeypatch.setattr(run, "carried_pps", lambda: 1000.0)
    room, most = run.Room(), [0.0]
    lasting = threading.Barrier(3, timeout=30)

    def one(pps: float, wait: bool) -> None:
        with room.taken(pps):
            most.append(sum(room.rates_pps))
            if wait:
                lasting.wait()

    with ThreadPoolExecutor(8) as pool:
        for job in [pool.submit(one, 300.0, True) for _ in range(3)]:  # these meet in the barrier
            job.result()
        for job in [pool.submit(one, pps, False) for pps in 4 * (2500.0, 600.0)]:
            job.result()
    assert max(most) == 2500  # alone: nothing is added to it
    assert room.rates_pps == []


def test_bbr_needs_room_for_the_peak_of_a_capacity_and_others_for_its_mean() -> None:
    """Packets have 8000 bits, and the window allows 20 packets per round trip of 50 ms."""
    square = {"process": "square", "min_bps": 1e6, "max_bps": 8e6, "frequency_hz": 1.0}
    varying = override(CONNECTION, {"capacity": square, "tcp.max_window_packets": None})
    assert largest_pps(varying) == pytest.approx(562.5)
    assert largest_pps(override(varying, {"tcp.variant": "bbr"})) == pytest.approx(1000)
    narrow = {"tcp.variant": "bbr", "tcp.max_window_packets": 20}
    assert largest_pps(override(varying, narrow)) == pytest.approx(400)
