"""Write every generated part of the report (LaTeX tables, macros, pictures) to a folder.

python -m tcpgoodput.report RESULTS [--configuration FILE] [--changes JSON] < PICTURES

The lines of standard input name the pictures in `figures/` that the run makes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

from tcpgoodput.comparison import agreement
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.models import MODELS
from tcpgoodput.models.references import entries_of, references_of
from tcpgoodput.project.checked import add_configuration, configuration_of
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report import claims, errors, floats, lists, numbers, sentences
from tcpgoodput.report.derived import tables as derive
from tcpgoodput.report.lists import supplement
from tcpgoodput.report.pictures import pictures
from tcpgoodput.storage import csv_text, write_bytes, write_table, write_text


def write_parts(configuration: Configuration, results: Path, made: Iterable[str]) -> None:
    """Write all generated parts of the report, and CSV tables with the numbers in them.

    `made` names the pictures that the run makes, each as STUDY/FIGURE. The run fails if an entry of
    `paper/numbers.yaml` does not fit its table. It also fails if the settings require that every
    sentence of the report holds, but the results refute a sentence, or a number or verdict is
    missing.
    """
    lines = agreement.line_errors(configuration.sources, configuration.style, results)
    verdicts = claims.verdicts(results)
    sampled = errors.sampled(configuration)
    over_links = errors.recorded_answers()
    errata = lists.errata_rows()
    inventory = lists.inventory_rows(configuration, results)
    tables = {
        "recorded.csv": errors.recorded_csv(over_links),
        "errata.csv": lists.exact_csv(lists.ERRATA_COLUMNS, errata),
        "inventory.csv": csv_text(lists.INVENTORY_COLUMNS, inventory),
    }
    _write(results, tables)
    for name, table in {**sampled, "agreement": agreement.agreements(lines)}.items():
        write_table(table, results / f"{name}.csv")

    settings, sources = configuration.settings, configuration.sources
    must_hold = settings.sentences == "must-hold" and settings.precision == "paper"
    derived = derive(results, sources)
    selected, absent = numbers.of_tables(results, derived)
    if absent and must_hold:
        raise ConfigurationError(absent)
    print(*absent, sep="\n")
    quoted = [*numbers.of_figures(sources, configuration.style, results), *selected]
    checked = sentences.checked_sentences(
        numbers.by_name(quoted) | numbers.ends(quoted), claims.by_name(verdicts)
    )
    fallen = [sentence for sentence in checked if not sentence.stands]
    if fallen and must_hold:
        raise sentences.refused(fallen)

    compared = configuration.comparison
    shown = supplement()
    parts = {
        "report/standing.tex": sentences.marks_tex(checked, must_hold),
        "fallen_sentences.csv": csv_text(sentences.COLUMNS, sentences.records(fallen)),
        "report/macros.tex": numbers.macros_tex(quoted),
        "report/errata.tex": lists.errata_tex(errata),
        "report/models.tex": lists.models_tex(),
        "report/conditions.tex": lists.conditions_tex(),
        "report/models.bib": entries_of(MODELS.values(), references_of(configuration.path) or []),
        "report/sections.tex": lists.sections_tex(configuration, shown.left_out),
        "report/compared_referees.tex": lists.compared_referees_tex(results),
        "report/intervals.tex": lists.intervals_tex(),
        "report/speed.tex": lists.speed_tex(),
        "report/reductions.tex": lists.reductions_tex(),
        "report/senders.tex": lists.senders_tex(compared.scenarios.values() if compared else ()),
        "report/held.tex": errors.section_tex(configuration),
        "report/links.tex": errors.links_tex(configuration, sampled["links"]),
        "report/recorded.tex": errors.recorded_tex(over_links),
        "report/levels.tex": errors.levels_tex(configuration, results),
        "report/samples.tex": errors.samples_tex(configuration, results),
        "report/kernel.tex": errors.kernel_tex(configuration, sampled["kernel"]),
        "report/pictures.tex": "".join(f"\\makes{{{name}}}\n" for name in made) + "%\n",
        "report/version.tex": version("tcpgoodput") + "%\n",
        "macros.csv": numbers.macros_csv(quoted),
    }
    for name, source in sources.items():
        left_out = shown.left_out.get(name, [])
        parts[f"{name}/figures.tex"] = floats.floats_tex(
            source, results, left_out, shown.schematics.get(name, [])
        )
        known = configuration.claims[name].claims if name in configuration.claims else []
        parts[f"{name}/settings.tex"] = claims.settings_tex(source, results)
        table = claims.claims_tex(source, results, known, verdicts)
        parts[f"{name}/claims.tex"] = table + claims.changed_tex(source, known, verdicts)
        parts[f"{name}/printed.tex"] = claims.printed_tex(source, results)
    _write(results, parts)
    for name, picture in pictures(results, configuration.style).items():
        write_bytes(results / "report" / name, picture)


def _write(results: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        write_text(results / name, text)


def work(arguments: argparse.Namespace) -> None:
    """Read the configuration, and write all generated parts of the report."""
    write_parts(configuration_of(arguments), arguments.results, sys.stdin.read().split())


if __name__ == "__main__":
    parser = job_parser("tcpgoodput.report", "results")
    add_configuration(parser)
    sys.exit(run_job(parser, work))
