"""Write every generated part of the report below `results/`.

python -m tcpgoodput.report CONFIG
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from tcpgoodput.files import write_text
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.models import MODELS
from tcpgoodput.references import entries_of, references_of
from tcpgoodput.report import (
    agreement,
    claims,
    comparison,
    floats,
    lists,
    numbers,
    referees,
    validation,
)
from tcpgoodput.settings import Configuration, load_configuration

RESULTS = Path("results")


def write_parts(configuration: Configuration) -> None:
    """Write the numbers, tables and lists of figures."""
    found = agreement.agreements(configuration, RESULTS)
    verdicts = claims.verdicts(RESULTS)
    pairs = referees.read_pairs(RESULTS)
    quoted = [
        *numbers.quoted_numbers(configuration, RESULTS),
        *numbers.of_agreement(found),
        *numbers.of_validation(validation.summary()),
        *claims.counted(configuration, verdicts),
        *referees.quoted(pairs),
    ]
    errata, inventory = lists.errata_rows(), lists.inventory_rows(configuration, RESULTS)
    compared = configuration.comparison
    if compared:
        quoted += comparison.of_comparison(compared, RESULTS)
    parts = {
        "report/macros.tex": numbers.macros_tex(quoted),
        "report/errata.tex": lists.errata_tex(errata),
        "report/inventory.tex": lists.inventory_tex(inventory),
        "report/models.tex": lists.models_tex(),
        "report/models.bib": entries_of(MODELS.values(), references_of(configuration.path) or []),
        "report/defaults.tex": lists.defaults_tex(),
        "report/sections.tex": lists.sections_tex(configuration),
        "report/provenance.tex": lists.provenance_tex(configuration),
        "report/ns2.tex": validation.ns2_tex(),
        "report/referees.tex": referees.pairs_tex(pairs),
        "report/compared_referees.tex": referees.compared_tex(pairs),
        "report/profiles.tex": referees.profiles_tex(),
        "report/records.tex": referees.records_tex(),
        "report/intervals.tex": validation.intervals_tex(),
        "report/speed.tex": validation.speed_tex(),
        "report/claims.tex": claims.claims_tex(configuration, verdicts),
        "report/reductions.tex": comparison.reductions_tex(),
        "report/side_by_side.tex": comparison.section_tex(compared),
        "report/scenarios_appendix.tex": comparison.appendix_tex(compared),
        "report/version.tex": version("tcpgoodput") + "%\n",
        "errata.csv": lists.as_csv(errata),
        "inventory.csv": lists.as_csv(inventory),
        "macros.csv": numbers.macros_csv(quoted),
        "agreement.csv": lists.as_csv([a.record() for a in found]),
    }
    for name, source in configuration.sources.items():
        parts[f"{name}/figures.tex"] = floats.floats_tex(source, RESULTS)
        parts[f"{name}/agreement.tex"] = agreement.agreement_tex(source, found)
    if compared:
        parts |= {
            "report/choice.tex": comparison.choice_tex(RESULTS, configuration.style),
            "report/maps.tex": comparison.maps_tex(compared),
            "report/scenarios.tex": comparison.scenarios_tex(compared, RESULTS),
        }
    for path, text in parts.items():
        write_text(RESULTS / path, text)


def work(arguments: argparse.Namespace) -> None:
    """Read the configuration and write the parts."""
    write_parts(load_configuration(arguments.config, arguments.changes))


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.report", config=Path), work)


if __name__ == "__main__":
    sys.exit(main())
