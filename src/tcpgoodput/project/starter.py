"""A folder for an analysis of one's own: settings, a scenario, a figure, a claim, and a README."""

from __future__ import annotations

import os
import re
from pathlib import Path
from string import Template
from textwrap import indent

import yaml

from tcpgoodput.configuration import refused
from tcpgoodput.project.settings import DEFAULT_PATH, RESERVED_NAMES
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.template import template
from tcpgoodput.storage import write_text

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""Names of a folder: it is also the name of the study, and of the folder of its results."""

WIDEST = 90
"""Largest width of a line of the scenario in characters."""

SETTINGS = """\
# Settings of this analysis; config/README.md explains every key.
sources: [$name]
precision: draft # paper: longer simulations and finer curves, for results to publish
run: $name # results go to runs/$name/
figures: figures
claims: claims
comparison: comparison.yaml
style: $config/style.yaml
custom_rules: [rules.smk]
"""

RULES = """# Jobs of your own: `snakemake mine` runs this one.
rule mine:
    input:
        f"{RESULTS}/comparison.csv",
    output:
        f"{RESULTS}/closest.csv",
    run:
        import pandas as pd

        rows = pd.read_csv(input[0]).dropna(subset="log_error")
        closest = rows.loc[rows["log_error"].abs().groupby(rows["scenario"]).idxmin()]
        closest.to_csv(output[0], index=False)
"""

COMPARISON = """\
# All models on each scenario of the folder `scenarios`: results/comparison.csv.
scenarios: scenarios
variations:
  newreno: {label: NewReno, set: {tcp.variant: newreno}}
"""

FIGURES = """\
# A figure is a variable on the x axis, the keys that it sets, and lines: docs/tutorials/figure.md.
source: $name
title: An analysis of my own
ours: true # needs no citation

scenarios:
  link:
    $link

figures:
  round_trip:
    kind: lines
    title: Goodput over the round trip
    caption: Two formulas and the packet simulator on the same link.
    panels:
      a:
        scenario: link
        quantity: goodput_Mbps
        sweep:
          variable: rtt_ms
          values: {start: 10, stop: 300, scale: log, points: 21}
          measured: {listed: [10, 30, 100, 300]} # where the simulator measures
          set: {path.forward_delay_s: "= rtt_ms / 2000", path.backward_delay_s: "= rtt_ms / 2000"}
        x: {label: Round trip, unit: ms, scale: log}
        y: {label: Goodput, unit: Mbit/s, scale: log}
        series:
          - {model: cubic}
          - {model: pftk}
          - {engine: packet}
"""

CLAIMS = """\
# A claim is a statement with a predicate that can fail: docs/tutorials/claim.md.
source: $name
claims:
  - id: falls-with-the-round-trip
    where: "my notes"
    statement: "Goodput falls with the round trip."
    figures: [round_trip]
    predicate: {kind: monotone, direction: falling}
    data:
      model: {figure: round_trip, series: cubic}
      packet: {figure: round_trip, series: packet}
"""

README = """# An analysis of my own

| file | what to change |
|---|---|
| `scenarios/link.yaml` | the link: rate, round trip, loss, and what else it has |
| `figures/$name.yaml` | the figures |
| `claims/$name.yaml` | statements to test on the figures |
| `comparison.yaml` | changed copies of the scenarios |
| `rules.smk` | jobs of your own |
| `config.yaml` | precision, seed, and which files belong to the analysis |

In the folder of the project, with `.venv/bin` on the PATH:

    tcpgoodput check $folder/config.yaml
    snakemake --cores all --config configuration=$folder/config.yaml

The results are in `runs/$name/results/` (`comparison.csv`: all models on the link; `claims.csv`:
the verdicts), the pictures in `runs/$name/figures/`. The report in `runs/$name/paper/` is that of
the project: it marks the sentences for which this analysis has no numbers.

`rules.smk` has a job of your own, which reads the results; `snakemake mine --config
configuration=$folder/config.yaml` runs it. Rules know the folders `RESULTS`, `FIGURES` and `LOGS`.
"""


def write_starter(folder: Path, scenario: Scenario, root: Path) -> list[Path]:
    """Write a folder with a valid configuration of the workflow, and return its files.

    Raises:
        ConfigurationError: the folder's name is not allowed, or the folder has files already.

    """
    name = folder.resolve().name
    if not NAME.fullmatch(name):
        raise refused(
            folder, "", "is no name for an analysis: use a to z, 0 to 9 and _, such as my_wifi"
        )
    if name in RESERVED_NAMES:
        message = f"is a name that the workflow uses itself: use another, such as my_{name}"
        raise refused(folder, "", message)
    if (root / DEFAULT_PATH.parent / "figures" / f"{name}.yaml").exists():
        raise refused(
            folder,
            "",
            f"is the name of one of the project's studies: use another, such as my_{name}",
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise refused(folder, "", "exists already: choose another folder, or remove it first")
    content = scenario.stated()
    del content["id"]
    link = indent(yaml.safe_dump(content, sort_keys=False, width=WIDEST), 4 * " ").strip()
    files = {
        "README.md": README,
        "config.yaml": _with_schema("settings", SETTINGS),
        "comparison.yaml": _with_schema("comparison", COMPARISON),
        "rules.smk": RULES,
        f"figures/{name}.yaml": _with_schema("figures", FIGURES),
        f"claims/{name}.yaml": _with_schema("claims", CLAIMS),
    }
    shown = os.path.relpath(folder, root)
    for file, text in files.items():
        config = os.path.relpath(root / DEFAULT_PATH.parent, (folder / file).parent)
        values = {"name": name, "folder": shown, "link": link, "config": config}
        write_text(folder / file, Template(text).substitute(values))
    write_text(folder / "scenarios/link.yaml", template(scenario))
    return [folder / file for file in (*files, "scenarios/link.yaml")]


def _with_schema(kind: str, text: str) -> str:
    """Return the text of a YAML file with a first line by which an editor finds its schema."""
    return f"# yaml-language-server: $$schema=$config/schemas/{kind}.json\n{text}"
