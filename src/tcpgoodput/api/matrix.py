"""`tcpgoodput.matrix`: all models compared with the simulator on the project's scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured
from tcpgoodput.comparison.answers import comparison_records, simulation_record
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.requests import of_map, of_rows, of_sensitivities
from tcpgoodput.comparison.table import Tables, publish
from tcpgoodput.configuration import refused
from tcpgoodput.drawing import TITLES, theme
from tcpgoodput.drawing.comparison import draw
from tcpgoodput.drawing.matrix import draw_map
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.measurements import Request, read_measurements
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.storage import as_json, write_table, write_text
from tcpgoodput.style import Style

if TYPE_CHECKING:
    from IPython.display import Image
    from matplotlib.figure import Figure as Picture

MAP = "map_"
"""Prefix of the names of pictures that show maps: errors of models over two parameters."""
MAP_COLUMNS = ["x", "y", "goodput_pps", "half_width_pps", "reason"]

Record = dict[str, Any]


def matrix(
    configuration: str | Path = DEFAULT_PATH,
    measurements: str | Path = "results/measurements",
    **changes: Any,
) -> Matrix:
    """Return the comparison of all models with the simulator, on scenarios and on maps.

    The configuration defines the scenarios and the maps. A map is a grid of connections that differ
    in two parameters.

    Args:
        configuration: the settings file, such as `config/config.yaml`.
        measurements: the folder with the tables of measurements: `comparison.csv`, `maps/NAME.csv`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The comparison. Its `answers` are the predictions of every model for every scenario, its
        `tables` summarise them, and its `maps` compare models over two parameters.

    Raises:
        ConfigurationError: a file is invalid, or the settings name no comparison.

    """
    found = configured(configuration, changes)
    if found.comparison is None:
        raise refused(str(configuration), "comparison", "names no file: nothing is compared")
    return Matrix(found.comparison, found.style, found.settings.conditions, Path(measurements))


@dataclass(frozen=True)
class Matrix:
    """The predictions of every model for all scenarios and maps of the comparison.

    A map is a grid of connections that differ in two parameters.
    """

    compared: Compared
    style: Style
    conditions: Conditions
    """Equations, precision and seed of the run."""
    measurements: Path
    """Folder with the tables of measurements."""
    _rendered: dict[str, dict[str, bytes]] = field(default_factory=dict, init=False, repr=False)
    """Files of the pictures that are drawn already, by name and suffix."""

    @cached_property
    def measured(self) -> Mapping[str, Measurement]:
        """The measurements of the packet simulator for all scenarios, by key."""
        return read_measurements(self.measurements / "comparison.csv")

    @cached_property
    def answers(self) -> dict[str, Record]:
        """The predictions of all models for each scenario, by the name of its file without suffix.

        Each entry has two parts. `rows` has the predictions for the scenario and its variations
        (changed copies). `sensitivities` has the predictions for further changed copies, which show
        on which keys the goodput depends.
        """
        return {stem: self._answered(stem) for stem in self.compared.scenarios}

    def _answered(self, stem: str) -> Record:
        scenario, answered = self.compared.scenarios[stem].id, {}
        draft = replace(self.conditions, precision="draft")
        for part, requests_of, conditions in (
            ("rows", of_rows, self.conditions),
            ("sensitivities", of_sensitivities, draft),
        ):
            requests = requests_of(self.compared, stem, self.conditions)
            simulated = [self._simulated(request, conditions) for request in requests.values()]
            scenarios = [request.scenario for request in requests.values()]
            found = zip(requests, comparison_records(scenarios, conditions, simulated), strict=True)
            answered[part] = [{**row, "scenario": scenario, "variation": n} for n, row in found]
        return answered

    def _simulated(self, request: Request, conditions: Conditions) -> Record:
        if request.key not in self.measured:
            name, how = request.scenario.id, conditions.precision
            table = self.measurements / "comparison.csv"
            message = f"{name} is not measured at precision {how}: `snakemake {table}` does it"
            raise ValueError(message)
        return simulation_record(request.scenario, self.measured[request.key])

    @cached_property
    def tables(self) -> Tables:
        """All tables of the comparison: errors, rankings, and effects of changes of a scenario."""
        return Tables(self.compared, self.answers)

    @cached_property
    def maps(self) -> dict[str, pd.DataFrame]:
        """A table for each map, with all predictions and the measurement at every grid point.

        `x` and `y` are the two parameters of the map.
        """
        return {name: self._map(name) for name in self.compared.settings.maps}

    def _map(self, name: str) -> pd.DataFrame:
        measured = read_measurements(self.measurements / "maps" / f"{name}.csv")
        models = [MODELS[model] for model in self.compared.drawn(name)]
        rows = []
        for cell, request in of_map(self.compared, name, self.conditions):
            found = measured[request.key]
            row: Record = {"x": cell.x, "y": cell.y}
            if found.goodput_pps is None or not found.is_steady:
                row["reason"] = found.reason
            else:
                row |= {"goodput_pps": found.goodput_pps, "half_width_pps": found.half_width_pps}
            for model in models:
                prediction = predict(model, cell.scenario, self.conditions)
                row[f"{model.name}_pps"] = prediction.goodput_pps
                row[f"{model.name}_status"] = prediction.status
            rows.append(row)
        own = [f"{model.name}_{part}" for model in models for part in ("pps", "status")]
        table = pd.DataFrame(rows, columns=[*MAP_COLUMNS, *own])
        # A column without any goodput would contain None, which cannot be drawn.
        return table.astype({name: float for name in table if name.endswith("_pps")})

    @property
    def pictures(self) -> list[str]:
        """The names of all pictures of the comparison."""
        maps = [f"{MAP}{name}" for name in self.compared.settings.maps]
        return ["matrix", "variations", "ranking", "sensitivity", *maps]

    def draw(self, name: str) -> Picture:
        """Draw one of the pictures that the report includes; `pictures` lists their names.

        Raises:
            ValueError: the comparison has no picture of this name.

        """
        theme.apply(self.style)
        if name.startswith(MAP):
            own, compared = name.removeprefix(MAP), self.compared
            region, models = compared.settings.maps[own], compared.drawn(own)
            return draw_map(region, models, self.maps[own], self.style)
        return draw(name, self.tables, self.style)

    def _files(self, name: str) -> dict[str, bytes]:
        """Return a picture as PDF and PNG files, by suffix; each picture is drawn once."""
        if name not in self._rendered:
            self._rendered[name] = theme.rendered(self.draw(name))
        return self._rendered[name]

    def show(self, name: str) -> Image | None:
        """Return a picture for a notebook, or None if there is no picture of this name."""
        if name not in self.pictures:
            return None
        titles = {f"{MAP}{map_}": r.title for map_, r in self.compared.settings.maps.items()}
        title = titles.get(name) or TITLES[f"comparison/{name}"]
        return theme.shown(self._files(name), title)

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write tables below `results` and pictures below `figures`; None skips a folder."""
        if results is not None:
            for stem, content in self.answers.items():
                path = Path(results, "comparison", "scenarios", f"{stem}.json")
                write_text(path, as_json(content))
            maps = {f"comparison/maps/{name}.csv": table for name, table in self.maps.items()}
            for place, table in {**maps, **publish(self.tables)}.items():
                write_table(table, Path(results, place))
        if figures is not None:
            for name in self.pictures:
                theme.keep(self._files(name), Path(figures, "comparison", name))
