"""A loss process that is one class is handled by every engine, model and diagram."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise
from typing import Any, Literal

import numpy as np
import pytest

from tcpgoodput.engines.linux.path import path_lists
from tcpgoodput.engines.ns2.script import _losses
from tcpgoodput.engines.path_schedule import bad_runs
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott, LossProcess, NoLoss
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.simulator.channel.state import LISTED
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.studies.topology import elements
from tests.scenarios import scenario


class Comet(LossProcess):
    """Runs of `burst` packets are lost, one in `every` packets; after `last` packets no more."""

    process: Literal["comet"] = "comet"
    every: int = 50
    burst: int = 2
    last: int | None = None
    place: Literal["before", "after"] = "after"

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield the last packets of each group of `every` packets."""
        for end in count(self.every, self.every):
            if self.last is not None and end > self.last:
                return
            yield end - self.burst, end


class Lossless(Comet):
    """The same process with parameters that lose nothing."""

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
    simulation = Simulation(one, stream())
    simulation.run(2000.0)
    counts = simulation.counts
    assert counts.packets_sent > 50 * 1024  # more groups than are listed at once
    groups, rest = divmod(counts.packets_sent, 50)
    assert counts.lost == 2 * groups + max(0, rest - 48)


def test_a_finite_list_loses_no_further_packet() -> None:
    for last, lost in ((500, 20), (0, 0)):
        one = with_loss(Comet(last=last), tcp={"max_window_packets": 64})
        simulation = Simulation(one, stream())
        simulation.run(500.0)
        assert simulation.counts.lost == lost


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
    """The independent implementation `bad_runs` gives the goodput of the compiled process."""
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


def test_no_two_processes_have_the_same_name() -> None:
    """Models tell the processes apart by their names."""
    made: list[LossProcess] = [
        NoLoss(process="none"),
        Bernoulli(process="bernoulli", probability=0.1),
        GilbertElliott(process="gilbert-elliott", good_to_bad=0.1, bad_to_good=0.5),
        Comet(),
    ]
    names = [loss.impairment for loss in made]
    assert len(set(names)) == len(names)


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
    share = 2 / 50 if isinstance(loss, Comet) else loss.lost_share
    assert (runs[:, 1] - runs[:, 0]).sum() / packets == pytest.approx(share, rel=0.05)
