"""`tcpgoodput.errors`: one table of the errors of all models, on every set of connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.api.load import known
from tcpgoodput.comparison.agreement import line_errors
from tcpgoodput.comparison.answers import errors_of
from tcpgoodput.comparison.census.design import RECORDED_SAMPLES, record_of
from tcpgoodput.comparison.families import families_of
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.models import MODELS
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.storage import made

COLUMNS = [
    *("set", "connection", "variation", "regime", "variant", "engine", "family", "model", "status"),
    *("log_error", "half_width"),
]


def errors(
    results: str | Path = "results",
    sets: str | Sequence[str] | None = None,
    configuration: str | Path = DEFAULT_PATH,
) -> pd.DataFrame:
    """Return the errors of all models against measurements, a row for each connection and family.

    Summarise the table with `tcpgoodput.errors_by`. The packet simulator has rows of its own where
    ns-2 or Linux measured the connection: its `model` is `packet`.

    Args:
        results: the folder of a run's results.
        sets: the sets of connections to read. `scenarios`: those of the comparison, with their
            variations; `heldout`: the held-out connections; `figures`: the points of the studies'
            figures, where a model's line has a measurement; `maps`: the points of the maps of
            errors; `recorded`: the recorded links; `random`: each recorded random sample. None:
            all of which the run has results.
        configuration: the settings file, which names the random samples and families of models.

    Returns:
        A table with these columns. `set` and `connection` name the connection. `variation`: the
        variation of a scenario (empty: none), the line of a figure, the view of a recorded link, or
        the random sample (`connections`, or `linux` with Linux's sender). `regime`: the
        impairments, in the words of the set; of a recorded link the link, of a figure the study.
        `variant`: the sender's, where the set's table has it. `engine`: what measured the goodput
        (`packet`, `ns2` or `linux`). `family`, and the `model` that represents it (missing in
        random samples), with the `status` of its prediction: native, reduced, out-of-domain;
        `measured` for a simulation. `log_error`: ln(model / measured). `half_width`: that of the 95
        % interval of the measurement, relative to the goodput, or for ns-2 and Linux of the ratio
        of both goodputs; missing if it is not published. A random sample has only connections with
        a half-width of at most 5 %. Errors over one recorded link depend on each other: there
        `cluster` is `regime`, elsewhere `connection`.

    Raises:
        ValueError: there is no set of this name.
        FileNotFoundError: there is no such folder, no results at all, or none of a set in `sets`.

    Example:
        >>> import tcpgoodput
        >>> table = tcpgoodput.errors(sets=["heldout"])  # doctest: +SKIP
        >>> home = table[table["status"].isin(["native", "reduced"])]  # doctest: +SKIP
        >>> tcpgoodput.errors_by(home, ["engine", "family"])  # doctest: +SKIP

    """
    folder, sets = Path(results), [sets] if isinstance(sets, str) else sets
    if not folder.is_dir():
        hint = "give results=FOLDER of a run, or call tcpgoodput.enter_project() in the project"
        raise FileNotFoundError(f"no folder {folder}: {hint}")
    project = checked(configuration, {})
    families = families_of(project.families, MODELS.names())
    family = {model: name for name, members in families.items() for model in members}
    readers: dict[str, Callable[[], Iterator[pd.DataFrame]]] = {
        "scenarios": lambda: _of_scenarios(folder),
        "heldout": lambda: _of_held_out(folder),
        "figures": lambda: _of_figures(folder, project),
        "maps": lambda: _of_maps(folder),
        "recorded": lambda: _of_recorded(folder),
        "random": lambda: _of_random(project),
    }
    wanted = [known("set of connections", name, list(readers)) for name in sets or readers]
    parts = []
    for name in wanted:
        try:
            parts += [part.assign(set=name) for part in readers[name]()]
        except FileNotFoundError:
            if sets is not None:
                raise
    if not parts:
        raise FileNotFoundError(f"{folder} has no results of a run, and data/ no random sample")
    found = pd.concat([part.reindex(columns=COLUMNS) for part in parts])
    found["family"] = found["family"].map(lambda name: family.get(name, name))
    found["variation"] = found["variation"].astype(object).fillna("")
    return found[found["log_error"].notna()].reset_index(drop=True)


def _read(table: Path) -> pd.DataFrame:
    words = dict.fromkeys(("variation", "sender", "setting", "drive"), str)
    found = pd.read_csv(made(table), dtype=words)  # a column without any word is not one of numbers
    return found.fillna({name: "" for name in words if name in found})


def _of_scenarios(results: Path) -> Iterator[pd.DataFrame]:
    rows, pairs = _read(results / "comparison" / "families.csv"), _read(results / "referees.csv")
    pairs = pairs[pairs["source"] == COMPARISON].rename(columns={"panel": "connection"})
    yield from _with_references(rows, pairs, ["connection", "variation"])


def _of_held_out(results: Path) -> Iterator[pd.DataFrame]:
    rows, pairs = (_read(results / "heldout" / f"{name}.csv") for name in ("rows", "engines"))
    pairs = pairs.rename(columns={"scenario": "connection"})
    yield from _with_references(rows, pairs, ["connection"])


def _with_references(
    rows: pd.DataFrame, pairs: pd.DataFrame, keys: list[str]
) -> Iterator[pd.DataFrame]:
    """Yield the errors against the simulator, and against ns-2 and Linux, also the simulator's.

    `keys` are the columns that together name a connection.
    """
    rows = rows.rename(columns={"scenario": "connection"})
    half_width = rows["ci95_bps"] / rows["simulated_bps"]
    yield rows.assign(engine=PACKET, half_width=half_width)
    pairs = pairs.assign(simulation=np.log(pairs["ratio"]))
    pairs["half_width"] = np.log(pairs["ratio_high"] / pairs["ratio_low"]) / 2
    regimes = rows.drop_duplicates(keys)[[*keys, "regime"]]
    own = {"family": PACKET, "model": PACKET, "status": "measured"}
    yield pairs.merge(regimes).assign(**own).rename(columns={"simulation": "log_error"})
    both = rows.merge(pairs[[*keys, "engine", "simulation", "half_width"]], on=keys)
    yield both.assign(log_error=both["log_error"] + both["simulation"])


def _of_figures(results: Path, project: Configuration) -> Iterator[pd.DataFrame]:
    rows = line_errors(project.sources, project.style, results)
    place = rows["source"] + "/" + rows["figure"] + ", panel " + rows["panel"].astype(str)
    yield rows.assign(
        connection=place + ", " + rows["measured"] + ", x = " + rows["x"].map("{:g}".format),
        variation=rows["line"],
        regime=rows["source"],
        family=rows["model"],
    )


def _of_maps(results: Path) -> Iterator[pd.DataFrame]:
    files = sorted((results / "comparison" / "maps").glob("*.csv"))
    if not files:
        raise FileNotFoundError(f"{results / 'comparison' / 'maps'} has no table of a map")
    for file in files:
        table = pd.read_csv(file)
        point = file.stem + " " + table["x"].astype(str) + " " + table["y"].astype(str)
        for column in table.filter(regex="_status$"):
            model = column.removesuffix("_status")
            yield pd.DataFrame(
                {
                    "connection": point,
                    "regime": file.stem,
                    "engine": PACKET,
                    "family": model,
                    "model": model,
                    "status": table[column],
                    "log_error": errors_of(table, model)["log_error"],
                    "half_width": table["half_width_pps"] / table["goodput_pps"],
                }
            )


def _of_recorded(results: Path) -> Iterator[pd.DataFrame]:
    # Two buffers in bandwidth-delay products may be equal in packets.
    names = ["link", "buffer_packets", "variant", "view", "drive", "model"]
    rows = _read(results / "recorded.csv").drop_duplicates(names)
    place = rows["link"] + ", buffer " + rows["buffer_packets"].astype(str) + ", " + rows["variant"]
    simulated = rows["model"] == rows["view"]  # over the first half of the recording
    yield rows.assign(
        connection=place,
        variation=(rows["view"] + " " + rows["drive"]).str.strip(),
        regime=rows["link"],
        engine=PACKET,
        family=rows["model"].mask(simulated, PACKET),
        model=rows["model"].mask(simulated, PACKET),
        status=rows["status"].mask(simulated, "measured"),
        log_error=rows["error_%"] / 100,
    )


def _of_random(project: Configuration) -> Iterator[pd.DataFrame]:
    from tcpgoodput.api.sample import sample  # it loads scikit-learn, which takes long

    tables = {name: record_of(name) for name in project.censuses if record_of(name).is_file()}
    if not tables:
        message = f"{RECORDED_SAMPLES} has no recorded random sample of {project.path}"
        raise FileNotFoundError(f"{message}; outside the project, call tcpgoodput.enter_project()")
    for name, table in tables.items():
        rows = sample(name, project.path, table).errors
        yield rows.assign(
            connection=rows["point"],
            variation=name,
            regime=rows["impairments"],
            engine=PACKET,
            family=rows["family"].astype(str),
        )
