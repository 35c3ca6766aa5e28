"""`tcpgoodput.matrix`: every model on every scenario of the comparison, beside the simulator."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import answered, simulation_record
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.requests import of_map, of_rows, of_sensitivities
from tcpgoodput.comparison.table import Tables, publish
from tcpgoodput.comparison.variations import misjudged
from tcpgoodput.configuration import refused
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.comparison import draw, draw_map
from tcpgoodput.engines.measurements import Measured, Request, read_measurements
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage import as_json, csv_text, write_text
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture

MAP = "map_"
"""How the names of the maps' pictures begin."""
MAP_COLUMNS = ["x", "y", "goodput_pps", "half_width_pps", "reason"]

Record = dict[str, Any]


def matrix(
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path = "results/measurements",
    **changes: Any,
) -> Matrix:
    """Return the comparison of all models, from what was measured of its scenarios and maps.

    Args:
        configuration: the settings, a file as `config/config.yaml`.
        measurements: the folder of tables of measurements: `comparison.csv`,
            `comparison/held.csv`, `maps/NAME.csv`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The comparison. `answers` is every model's answer to every scenario, `tables` what is
        published of them, `maps` the same over two parameters.

    Raises:
        ConfigurationError: anything wrong in any of the files, or nothing is compared.

    """
    found = checked(configuration, changes)
    if found.comparison is None:
        raise refused(str(configuration), "comparison", "names no file: nothing is compared")
    return Matrix(found.comparison, found.style, found.settings.conditions, Path(measurements))


@dataclass(frozen=True)
class Matrix:
    """Every model on every scenario of the comparison, and on its maps."""

    compared: Compared
    style: Style
    conditions: Conditions
    """Equations, precision and seed."""
    measurements: Path
    """The folder of tables of measurements."""

    @cached_property
    def measured(self) -> Mapping[str, Measured]:
        """What the packet simulator has measured of the scenarios, by key."""
        files = [self.measurements / "comparison.csv"]
        files += [self.measurements / "comparison" / "held.csv"] if self.compared.held else []
        return read_measurements(*files)

    @cached_property
    def answers(self) -> dict[str, Record]:
        """Every model's answer to each scenario, by the stem of its file.

        `rows` are the scenario and its variations; `sensitivities` it with one key changed;
        `misjudged` what each model says to who is wrong about what it needs.
        """
        stems = (*self.compared.scenarios, *self.compared.held)
        return {stem: self._answered(stem) for stem in stems}

    def _answered(self, stem: str) -> Record:
        conditions = self.conditions
        asked = {
            "rows": (of_rows(self.compared, stem, conditions), conditions),
            "sensitivities": (
                of_sensitivities(self.compared, stem, conditions),
                replace(conditions, precision="draft"),
            ),
        }
        found: Record = {
            part: [self._answer(request, under) for request in requests]
            for part, (requests, under) in asked.items()
        }
        wrong = misjudged(self.compared.rows(stem)[0])
        found["misjudged"] = {name: self._goodputs_pps(s) for name, s in wrong.items()}
        return found

    def _answer(self, request: Request, conditions: Conditions) -> Record:
        if request.key not in self.measured:
            name, how = request.scenario.id, conditions.precision
            table = self.measurements / "comparison.csv"
            message = f"{name} is not measured at precision {how}: `snakemake {table}` does it"
            raise ValueError(message)
        found = simulation_record(request.scenario, self.measured[request.key])
        return answered(request.scenario, conditions, found)

    def _goodputs_pps(self, scenario: Scenario) -> dict[str, float | None]:
        """Return what each model says of a scenario that nobody measures."""
        return {
            model.name: predict(model, scenario, self.conditions).goodput_pps
            for model in MODELS.values()
        }

    @cached_property
    def tables(self) -> Tables:
        """What is published: rows, families, rankings, sensitivities, what is held out."""
        return Tables(self.compared, self.answers)

    @cached_property
    def maps(self) -> dict[str, pd.DataFrame]:
        """Every model at every point of each map, beside what was measured there."""
        return {name: pd.read_csv(io.StringIO(text)) for name, text in self._maps.items()}

    @cached_property
    def _maps(self) -> dict[str, str]:
        return {name: self._map(name) for name in self.compared.settings.maps}

    def _map(self, name: str) -> str:
        measured = read_measurements(self.measurements / "maps" / f"{name}.csv")
        models = [MODELS[model] for model in self.compared.drawn(name)]
        rows = []
        for cell, request in of_map(self.compared, name, self.conditions):
            found = measured[request.key]
            row: Record = {"x": cell.x, "y": cell.y, **_of_map(found)}
            for model in models:
                said = predict(model, cell.scenario, self.conditions)
                row[f"{model.name}_pps"] = said.goodput_pps
                row[f"{model.name}_status"] = said.status
            rows.append(row)
        own = [f"{model.name}_{part}" for model in models for part in ("pps", "status")]
        return csv_text([*MAP_COLUMNS, *own], rows)

    @property
    def pictures(self) -> list[str]:
        """The names of its pictures."""
        held = ["held"] if self.compared.held else []
        maps = [f"{MAP}{name}" for name in self.compared.settings.maps]
        return ["matrix", "variations", "ranking", "sensitivity", *held, *maps]

    def draw(self, name: str) -> Picture:
        """Draw a picture that the report includes.

        Raises:
            ValueError: there is none of this name.

        """
        theme.apply(self.style)
        if name.startswith(MAP):
            region = name.removeprefix(MAP)
            return draw_map(region, self.compared, self.maps[region], self.style)
        return draw(name, self.tables, self.style)

    @cached_property
    def _rendered(self) -> dict[str, dict[str, bytes]]:
        return {}

    def _files(self, name: str) -> dict[str, bytes]:
        """Return a picture as files, by suffix; drawn once."""
        if name not in self._rendered:
            self._rendered[name] = theme.rendered(self.draw(name))
        return self._rendered[name]

    def show(self, name: str) -> Image | None:
        """Return a picture for a notebook; None: this comparison has none of this name."""
        if name not in self.pictures:
            return None
        return theme.shown(self._files(name))

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write tables and pictures below two folders; None: not."""
        for path, text in self._texts() if results is not None else ():
            write_text(Path(str(results), path), text)
        if figures is not None:
            for name in self.pictures:
                theme.keep(self._files(name), Path(figures, "comparison", name))

    def _texts(self) -> Iterator[tuple[str, str]]:
        """Yield all that is written, by its path below the folder of results."""
        for stem, content in self.answers.items():
            yield f"comparison/scenarios/{stem}.json", as_json(content)
        for name, text in self._maps.items():
            yield f"comparison/maps/{name}.csv", text
        yield from publish(self.tables)


def _of_map(found: Measured) -> Record:
    if found.goodput_pps is None:
        return {"reason": found.reason}
    return {"goodput_pps": found.goodput_pps, "half_width_pps": found.half_width_pps}
