"""Measure senders over recorded links, and validate models against the measurements.

python -m tcpgoodput.studies.recordings FOLDER [--kernel | --inputs] [--campaign FILE]
                                        [--output FOLDER]

FOLDER contains the recordings, which are not copied into the project.
"""

from __future__ import annotations

import argparse
import csv
import io
import operator
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tcpgoodput.configuration import ConfigurationError, refused
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.storage import as_json, read_rows, write_text
from tcpgoodput.studies.recordings.campaign import (
    Campaign,
    Link,
    at_hand,
    cases_of,
    facts_in,
    links_of,
    load_campaign,
)

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def simulated_and_judged(
    campaign: Campaign, links: Sequence[Link], kernel: Sequence[Row], scratch: Path
) -> Tables:
    """Return tables of the links, of the simulations over these links, and of all predictions.

    Each prediction has the simulated goodput of its link, buffer and TCP variant, with the
    half-width of the 95 % interval. If there are recorded measurements of the Linux kernel's
    sender, a further table compares each of them with a simulation that starts at the same time.
    """
    from tcpgoodput.studies.recordings.judging import answers
    from tcpgoodput.studies.recordings.measuring import kernel_and_simulator, simulated

    cases = [case for link in links for case in cases_of(campaign, link, scratch)]
    measured = []
    for number, case in enumerate(cases, start=1):
        measured.append(simulated(campaign, case))
        _report(f"{number} of {len(cases)}: {case.link.name}, {case.share:g}")
    found: list[Row] = []
    for link in links:
        found += answers(campaign, link, links, scratch)
        _report(f"models: {link.name}")
    key = operator.itemgetter("link", "buffer_bdp", "variant")
    simulations = {
        key(row): {"simulated_bps": row["goodput_bps"], "ci95_bps": row["ci95_bps"]}
        for row in measured
        if not row["stack"]  # predictions are of the senders of the RFCs
    }
    tables = {
        "measured": measured,
        "answers": [{**row, **simulations[key(row)]} for row in found],
        "links": [_about(campaign, link) for link in links],
    }
    if kernel:
        tables["kernel_and_simulator"] = list(
            kernel_and_simulator(campaign, links, kernel, scratch)
        )
    return tables


def kernels(campaign: Campaign, links: Sequence[Link], scratch: Path) -> Tables:
    """Measure the Linux kernel's own sender over the links, in real time; return the table."""
    from tcpgoodput.studies.recordings.measuring import kernel_rows

    cases = [case for link in links for case in cases_of(campaign, link, scratch)]
    return {"kernel": list(kernel_rows(campaign, cases, scratch, _report))}


def known_at_levels(campaign: Campaign, folder: Path, scratch: Path) -> Tables:
    """Predict goodputs over the available recordings from what is known of each link.

    Recordings whose files are not in the folder are named on the standard error, and left out.

    Returns:
        A single table, `inputs`, with a row for each prediction.

    """
    from tcpgoodput.studies.recordings.judging import predictions_at_levels

    there = {
        name: recorded
        for name, recorded in campaign.recordings.items()
        if all(at_hand(folder, file) for file in recorded.files)
    }
    for name in (name for name in campaign.recordings if name not in there):
        _report(f"{name} is left out: {folder} has not its files")
    rows: list[Row] = []
    for link in links_of(campaign.model_copy(update={"recordings": there}), folder):
        rows += predictions_at_levels(campaign, link, scratch)
        _report(f"predictions for {link.name}")
    return {"inputs": rows}


def _about(campaign: Campaign, link: Link) -> Row:
    facts = facts_in(campaign, link.whole)
    known = {"link": link.name, "title": link.recorded.title, "origin": link.recorded.origin}
    row = known | facts.record() | {"second_half_mean_bps": round(link.second.mean_bps)}
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in row.items()}


def write_tables(tables: Tables, output: Path) -> Row:
    """Write each table as a CSV file into the folder `output`.

    Returns:
        For each file, the number of its rows (`rows`), and how many of them the previous file did
        not have (`new`).

    """
    found: Row = {}
    for name, rows in tables.items():
        file, text = output / f"{name}.csv", io.StringIO()
        columns = list(dict.fromkeys(column for row in rows for column in row))
        writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)
        before = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        new = set(text.getvalue().splitlines()[1:]) - set(before)
        write_text(file, text.getvalue())
        found[str(file)] = {"rows": len(rows), "new": len(new)}
    return found


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def work(arguments: argparse.Namespace) -> Row:
    """Measure over recorded links, by the kernel or by simulation, and write the tables.

    Returns:
        The numbers of rows of each written table; see `write_tables`.

    Raises:
        ConfigurationError: no folder is given, or a recording is missing or not the one that the
            campaign's file names.
        Unavailable: the kernel cannot be measured on this machine.

    """
    campaign = load_campaign(arguments.campaign)
    if arguments.folder is None:
        origins = "; ".join(dict.fromkeys(r.origin for r in campaign.recordings.values()))
        message = f"names no folder that holds recordings; they are published at {origins}"
        raise refused("--config", "recordings", message)
    if arguments.inputs:
        with tempfile.TemporaryDirectory() as name:
            tables = known_at_levels(campaign, arguments.folder, Path(name))
            return write_tables(tables, arguments.output)
    links = links_of(campaign, arguments.folder)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        if arguments.kernel:
            return write_tables(kernels(campaign, links, scratch), arguments.output)
        file = arguments.output / "kernel.csv"
        kernel = read_rows(file) if file.is_file() else []
        tables = simulated_and_judged(campaign, links, kernel, scratch)
        return write_tables(tables, arguments.output)


def main() -> int:
    """Measure and predict over the recorded links of a folder; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.studies.recordings")
    parser.add_argument("folder", type=Path, nargs="?", help="folder with the recordings")
    parser.add_argument("--campaign", type=Path, default=Path("config/links.yaml"))
    parser.add_argument("--output", type=Path, default=Path("data/links"))
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--kernel",
        action="store_true",
        help="measure the Linux kernel's sender instead of simulating",
    )
    instead.add_argument(
        "--inputs",
        action="store_true",
        help="only predict from what is known of the available links, into inputs.csv",
    )
    parser.add_argument(
        "--summary", type=Path, help="file to which the numbers of rows are written"
    )
    arguments = parser.parse_args()
    try:
        found = work(arguments)
    except (ConfigurationError, Unavailable) as error:
        print(error, file=sys.stderr)
        return 2
    for table, counts in found.items():
        _report(f"{table}: {counts['rows']} rows, {counts['new']} of them new")
    if arguments.summary:
        write_text(arguments.summary, as_json(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
