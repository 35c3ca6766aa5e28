"""Measure senders over recorded links and judge models on them; the recordings stay where they are.

python -m tcpgoodput.recordings FOLDER [--kernel] [--campaign FILE] [--output FOLDER]
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

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.recordings.campaign import Campaign, cases_of, links_of, load_campaign
from tcpgoodput.recordings.facts import facts_of
from tcpgoodput.storage.files import write_text

Rows = Sequence[dict[str, Any]]


def work(campaign: Campaign, folder: Path, output: Path, *, kernel: bool) -> None:
    """Write what the links are, what was measured over them, and what models say of them.

    Args:
        campaign: links, senders and buffers.
        folder: where the recordings are.
        output: where the tables are written; only the one of the kernel is, if that is asked.
        kernel: ask the kernel's sender, in real time, and nothing else.

    """
    from tcpgoodput.recordings.judging import answers
    from tcpgoodput.recordings.measuring import kernel_rows, simulated

    links = links_of(campaign, folder)
    with tempfile.TemporaryDirectory() as scratch:
        cases = [case for link in links for case in cases_of(campaign, link, Path(scratch))]
        if kernel:
            _write(output / "kernel.csv", kernel_rows(campaign, cases, _tell))
            return
        measured = []
        for number, case in enumerate(cases, start=1):
            measured.append(simulated(campaign, case))
            _tell(f"{number} of {len(cases)}: {case.link.name}, {case.share:g}")
        _write(output / "measured.csv", measured)
        found = []
        for link in links:
            found += list(answers(campaign, link, Path(scratch)))
            _tell(f"models: {link.name}")
        _write(output / "answers.csv", beside(found, measured))
    about = []
    for link in links:
        facts = facts_of(
            link.whole,
            round_trip_s=campaign.round_trip_s,
            silence_s=link.first.silences.threshold_s,
            bin_s=campaign.bin_s,
        )
        known = {"link": link.name, "title": link.recorded.title, "origin": link.recorded.origin}
        about.append(known | facts.record() | {"second_half_mean_bps": round(link.second.mean_bps)})
    _write(output / "links.csv", [{k: _short(v) for k, v in row.items()} for row in about])


def beside(answers: Rows, measured: Rows) -> list[dict[str, Any]]:
    """Return the answers, each with what was simulated for its link, buffer and variant."""
    key = operator.itemgetter("link", "buffer_bdp", "variant")
    simulated = {key(row): row["goodput_bps"] for row in measured if not row["stack"]}
    return [{**row, "simulated_bps": simulated[key(row)]} for row in answers]


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _write(file: Path, rows: Rows) -> None:
    text = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file, text.getvalue())


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Run the campaign that the command line names, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.recordings")
    parser.add_argument("folder", type=Path, help="that holds the recordings")
    parser.add_argument("--campaign", type=Path, default=Path("config/links.yaml"))
    parser.add_argument("--output", type=Path, default=Path("data/links"))
    parser.add_argument("--kernel", action="store_true", help="ask the kernel's sender instead")
    asked = parser.parse_args()
    try:
        work(load_campaign(asked.campaign), asked.folder, asked.output, kernel=asked.kernel)
    except (ConfigurationError, Unavailable) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
