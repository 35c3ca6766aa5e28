"""The command `tcpgoodput validate`: errors of all models on random connections."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer

from tcpgoodput.answers import Precision
from tcpgoodput.cli.listing import Column, Group
from tcpgoodput.cli.output import (
    AsCsv,
    AsJson,
    form_of,
    known,
    print_data,
    print_groups,
    print_text,
    progress,
)
from tcpgoodput.project.settings import DEFAULT_PATH

ALL = "all families"
STATUSES = ["in domain", "native", "reduced", "out-of-domain"]
"""Groups of predictions, in the order in which they are shown."""

COLUMNS = [
    Column("family"),
    Column("answers", numbers=True),
    Column("median", numbers=True),
    Column("90th\npercentile", numbers=True),
    Column("% within\na tenth", numbers=True),
    Column("% beyond\nfactor 2", numbers=True),
]


def validate(
    draw: Annotated[
        int | None,
        typer.Argument(
            metavar="SEED",
            min=0,
            help="seed of the draw; default: the seed in config/heldout.yaml",
        ),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=4096,
            help="number of random points to draw; default: as in config/heldout.yaml",
        ),
    ] = None,
    precision: Annotated[
        str, typer.Option(metavar="PRECISION", help="precision of the simulation: draft or paper")
    ] = "paper",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compute the errors of all models on random connections."""
    form = form_of(as_json, as_csv)
    known("--precision", "precision", precision, get_args(Precision))

    # Import these modules only here: they take a second to load, and no other command needs them.
    import pandas as pd

    from tcpgoodput.api.validation import validation
    from tcpgoodput.comparison.answers import IN_DOMAIN
    from tcpgoodput.comparison.errors import errors_by

    with progress() as report:
        held = validation(
            DEFAULT_PATH, None, draw=draw, points=points, report=report, precision=precision
        )
        valued = held.errors.dropna(subset="log_error")
    home = valued[valued["status"].isin(IN_DOMAIN)].assign(status="in domain")
    every = pd.concat([home, valued])
    every = pd.concat([every.assign(family=ALL), every])
    errors = errors_by(every, ["status", "family"], cluster="scenario")
    errors = errors.sort_values("status", key=lambda s: s.map(STATUSES.index), kind="stable")
    records = errors.astype(object).where(errors.notna(), None).to_dict("records")
    counts = held.counts
    if not print_data(form, {"counts": counts, "errors": records}, list(errors), records):
        print_text(
            f"{counts['drawn']} connections, {counts['steady']} with a steady state, "
            f"{counts['in_domain']} in the domain of a model. Size of the error, "
            "|100 ln(model/simulated)|, with 95 % intervals."
        )
        print_groups(COLUMNS, _groups(records))


def _groups(records: list[dict[str, Any]]) -> list[Group]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for record in records:
        cells = (_cell(record, name) for name in ("median", "q90", "within_10", "off_by_two"))
        row = (str(record["family"]), str(record["n"]), *cells)
        found.setdefault(str(record["status"]), []).append(row)
    return [Group(status, rows) for status, rows in found.items()]


def _cell(record: dict[str, Any], name: str) -> str:
    value, low, high = (record[f"{name}{end}_%"] for end in ("", "_low", "_high"))
    ends = "" if low is None else f" [{low:.3g}, {high:.3g}]"
    return f"{value:.3g}{ends}"
