"""A new loss process, defined by one class, is handled by every engine, model and diagram.

Its method `bad_runs` lists the runs of lost packets: (first, last + 1), in ascending order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise
from typing import Any, Literal, get_args

import numpy as np
import pytest

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.comparison.families import OTHER, regime
from tcpgoodput.engines.linux.path import path_lists
from tcpgoodput.engines.ns2.script import _losses
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.path_schedule import bad_runs
from tcpgoodput.engines.planning import FEWEST_REPLICATIONS, PHASES, most_replications
from tcpgoodput.models import MODELS
from tcpgoodput.models.base import first_violation
from tcpgoodput.models.limits import PROMPT_ACKS
from tcpgoodput.models.losses import independent_loss
from tcpgoodput.models.mathis.square_root import Mathis
from tcpgoodput.models.predict import predict
from tcpgoodput.models.reductions import answer
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import (
    LOSS_KINDS,
    Bernoulli,
    GilbertElliott,
    Loss,
    LossProcess,
    NoLoss,
    Periodic,
    checked_runs,
)
from tcpgoodput.scenario.physics import IMPAIRMENTS, differing_impairments, impairments
from tcpgoodput.scenario.plausibility import doubts
from tcpgoodput.simulator.channel.state import LISTED
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.studies.topology import elements
from tests.scenarios import scenario
from tests.simulator.running import run


class Comet(LossProcess):
    """Loss process: the last `burst` packets of each `every` packets are lost.

    Packets from number `last` on are not lost.
    """

    process: Literal["comet"] = "comet"
    every: int = 50
    burst: int = 2
    last: int | None = None
    place: Literal["before", "after"] = "after"

    @property
    def lost_share(self) -> float:
        """Share of packets that are lost: `burst` in `every` packets."""
        return self.burst / self.every

    @property
    def is_random(self) -> bool:
        """False: all replications lose the same packets."""
        return False

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield the runs of lost packets: the last `burst` of each group of `every` packets."""
        for end in count(self.every, self.every):
            if self.last is not None and end > self.last:
                return
            yield end - self.burst, end


class Lossless(Comet):
    """A loss process that reports that it loses no packet."""

    @property
    def impairment(self) -> None:
        """None: no packet is lost."""
        return


def with_loss(loss: LossProcess, **changes: Any) -> Scenario:
    return scenario(**changes).model_copy(update={"loss": loss})


def stream(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize("variant", ["reno", "newreno", "sack", "cubic"])
def test_the_simulator_loses_the_listed_packets(variant: str, place: Any) -> None:
    one = with_loss(
        Comet(place=place), tcp={"variant": variant}, path={"buffer_packets": None}, handoffs=None
    )
    counts = run(one, 2000.0).counts
    assert counts.packets_sent > 50 * 1024  # more runs than are listed at once
    groups, rest = divmod(counts.packets_sent, 50)
    assert counts.packets_lost == 2 * groups + max(0, rest - 48)


def test_a_finite_list_loses_no_further_packet() -> None:
    for last, lost in ((500, 20), (0, 0)):
        one = with_loss(Comet(last=last), tcp={"max_window_packets": 64})
        assert run(one, 500.0).counts.packets_lost == lost


@pytest.mark.parametrize(
    "loss",
    [
        Bernoulli(process="bernoulli", probability=0.02),
        GilbertElliott(
            process="gilbert-elliott", good_to_bad=0.01, bad_to_good=0.4, clock="packet"
        ),
    ],
)
def test_listed_and_compiled_losses_agree(loss: LossProcess) -> None:
    """Losses listed by the Python method `bad_runs` give the goodput of the compiled process."""
    ways: dict[bool, list[int]] = {False: [], True: []}
    for listed, delivered in ways.items():
        for seed in range(40):
            simulation = Simulation(with_loss(loss), stream(seed))
            if listed:
                channel = simulation._channel
                channel["loss"], channel["bad_from"], channel["bad_until"] = LISTED, 0, 0
            simulation.run(500.0)
            delivered.append(simulation.counts.delivered)
    compiled, by_list = (np.array(ways[way]) for way in (False, True))
    deviation = np.sqrt((compiled.var(ddof=1) + by_list.var(ddof=1)) / 40)
    assert abs(compiled.mean() - by_list.mean()) < 4 * deviation


def test_ns2_and_linux_lose_the_listed_packets() -> None:
    one = with_loss(Comet())
    lost = [n for first in range(48, 1000, 50) for n in (first, first + 1)]
    told = _losses(one, stream(), 100.0)
    assert told.process == "packets"
    assert told.drops[: len(lost)].tolist() == lost
    lists = dict(path_lists(one, stream(), 100.0))
    assert lists["lost_packets"][: len(lost)] == lost
    assert _losses(with_loss(Lossless()), stream(), 100.0).process == "none"
    assert "lost_packets" not in dict(path_lists(with_loss(Lossless()), stream(), 100.0))


@pytest.mark.parametrize("model", MODELS.names())
def test_models_have_no_notion_of_a_new_process(model: str) -> None:
    prediction = predict(MODELS[model], with_loss(Comet()))
    assert prediction.status == "undefined"
    assert "comet loss" in str(prediction.reason)


def test_a_new_process_has_a_name_and_a_label() -> None:
    assert impairments(with_loss(Comet())) == {"comet loss"}
    assert impairments(with_loss(Lossless())) == set()
    labels = [str(element["label"]) for element in elements(with_loss(Comet()), "link", "server")]
    assert any("comet loss" in label for label in labels)


@pytest.mark.parametrize(
    "loss",
    [
        NoLoss(process="none"),
        Bernoulli(process="bernoulli", probability=0.0),
        Periodic(process="periodic", probability=0.0),
        GilbertElliott(process="gilbert-elliott", good_to_bad=0.0, bad_to_good=0.4),
    ],
)
def test_a_process_without_loss_has_no_label(loss: LossProcess) -> None:
    assert loss.label == ""


def test_no_two_processes_are_of_the_same_kind() -> None:
    """The kinds of all loss processes differ, because models distinguish processes by kind."""
    processes = [*get_args(get_args(Loss)[0]), Comet]
    assert len({process.kind() for process in processes}) == len(processes)
    assert LOSS_KINDS < IMPAIRMENTS


class Scripted(Comet):
    """Loss process with given runs of lost packets."""

    runs: tuple[Any, ...] = ()

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield the runs of lost packets in the given order, which may be invalid."""
        return iter(self.runs)


@pytest.mark.parametrize(
    "runs",
    [
        [(7, 9), (5, 6)],
        [(7, 9), (8, 10)],
        [(7, 9), (9, 9)],
        [(7, 9), (12, 11)],
        [(-1, 2)],
        [(1.0, 2.0)],
    ],
)
def test_runs_out_of_order_are_refused(runs: list[Any]) -> None:
    loss = Scripted(runs=tuple(runs))
    with pytest.raises(Undefined, match=r"Scripted\.bad_runs yields"):
        run(with_loss(loss), 100.0)
    with pytest.raises(Undefined, match=r"Scripted\.bad_runs yields"):
        bad_runs(loss, stream(), 100)


def test_adjacent_and_far_runs_are_valid() -> None:
    runs = [(7, 9), (9, 10), (2**62 - 1, 2**70)]
    loss = Scripted(runs=tuple(runs))
    assert list(checked_runs(loss, stream())) == [*runs[:2], (2**62 - 1, 2**62)]
    assert run(with_loss(loss), 100.0).counts.packets_lost == 3


class Extended(Mathis):
    """A model that also describes the new loss process."""

    name = "extended"
    handles = Mathis.handles | {"comet loss"}

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return a goodput that depends only on the share of lost packets."""
        return 1 / scenario.loss.lost_share


@pytest.mark.parametrize(
    "changes", [{"handoffs": {"interval_s": 10.0, "packets": 2, "fate": "lost"}}, {"spikes": None}]
)
def test_reductions_do_not_ignore_a_new_process(changes: dict[str, Any]) -> None:
    """With hand-offs, a model of the new loss process has no value.

    A reduction to a single impairment would ignore the new process, which it does not know.
    """
    one = with_loss(Comet(), **changes)
    prediction = predict(Extended(), one)
    if one.handoffs is None:
        assert prediction.goodput_pps == pytest.approx(25)
    else:
        assert prediction.status == "undefined"
        assert "hand-offs together with comet loss" in str(prediction.reason)


class OnlyComet(Mathis):
    """A model that describes only the new loss process, and allows reductions."""

    name = "only_comet"
    handles = frozenset({"comet loss"})
    reduces = frozenset({"independent loss", "hand-offs"})


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({"loss": {"process": "bernoulli", "probability": 0.01}}, "independent loss"),
        ({"handoffs": {"interval_s": 10.0, "packets": 2, "fate": "lost"}}, "hand-offs"),
    ],
)
def test_no_reduction_leads_to_a_new_process(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], lost: str
) -> None:
    """A model of the new loss process alone is not evaluated as if it described no losses."""
    monkeypatch.setattr(answer, "LOSS_KINDS", LOSS_KINDS | {"comet loss"})
    prediction = predict(OnlyComet(), scenario(**changes))
    assert prediction.status == "undefined"
    assert prediction.reason == f"no reduction restates {lost} as comet loss"


def test_a_formula_for_independent_loss_refuses_another_process() -> None:
    with pytest.raises(Undefined, match="comet loss"):
        independent_loss(with_loss(Comet()))
    assert independent_loss(with_loss(Lossless())) == 0


def test_delayed_acks_are_judged_for_any_loss_without_delayed_acks() -> None:
    each = with_loss(Comet(), tcp={"ack_every": 1})
    assert first_violation([PROMPT_ACKS], each, Conditions()) is None


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
def test_equal_replications_are_not_simulated_many_times() -> None:
    """Losses that are not random need no more replications than a periodic process has phases."""
    finite = with_loss(Comet(), tcp={"transfer_packets": 200})
    few = Packet().measure(finite, Conditions(precision="draft"))
    assert len(few.each_pps) == FEWEST_REPLICATIONS
    assert len(set(few.each_pps)) == 1
    assert differing_impairments(finite) == set()
    assert most_replications(with_loss(Comet()), 20) == PHASES
    loss = {"process": "bernoulli", "probability": 0.02}
    assert differing_impairments(scenario(loss=loss)) == {"independent loss"}
    assert most_replications(scenario(loss=loss), 20) == 20


def test_a_new_process_that_loses_too_many_packets_is_implausible() -> None:
    assert list(doubts(with_loss(Comet(every=50, burst=15)))) == []
    (doubt,) = doubts(with_loss(Comet(every=50, burst=16)))
    assert (doubt.key, doubt.value) == (("loss",), 0.32)


def test_a_single_new_process_is_not_several_impairments() -> None:
    assert regime(with_loss(Comet())) == OTHER


@pytest.mark.parametrize(
    "loss",
    [
        NoLoss(process="none"),
        Bernoulli(process="bernoulli", probability=0.0),
        Bernoulli(process="bernoulli", probability=0.05),
        GilbertElliott(process="gilbert-elliott", good_to_bad=0.0, bad_to_good=0.4, clock="packet"),
        GilbertElliott(process="gilbert-elliott", good_to_bad=0.1, bad_to_good=0.4, clock="packet"),
        Comet(),
    ],
)
def test_listed_runs_ascend_and_contain_the_lost_share(loss: LossProcess) -> None:
    packets = 200_000
    runs = bad_runs(loss, stream(), packets)
    assert all(before[1] <= after[0] for before, after in pairwise(runs.tolist()))
    assert (runs[:, 1] - runs[:, 0]).sum() / packets == pytest.approx(loss.lost_share, rel=0.05)
