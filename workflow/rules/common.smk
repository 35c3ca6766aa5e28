# Common parts of all rules: the checked configuration, the folders of a run, and digests of code.

import atexit
import json
import os
import shlex
import shutil
import sys
import time
from importlib.metadata import version
from pathlib import Path

from snakemake.cli import get_argument_parser
from snakemake.io import report as exhibit
from snakemake.settings.types import ExecMode

# The public catalogue of workflows, for example, has Snakemake but not this package.
try:
    from tcpgoodput.comparison.census.design import (
        FINDINGS,
        RECORDED_SAMPLES,
        PAIRED,
        RETRANSMITTING,
        Chunk,
        chunks,
        known_extent,
    )
    from tcpgoodput.configuration import ConfigurationError
    from tcpgoodput.configuration.strict_yaml import NAMES
    from tcpgoodput.cli.explorer.page import digest_of_parts
    from tcpgoodput.drawing import OF_PAIRS, OF_SAMPLES, TITLES
    from tcpgoodput.engines.base import REFEREE_NAMES
    from tcpgoodput.engines.records import recorded_files
    from tcpgoodput.jobs import digest_of
    from tcpgoodput.project.changes import data_files, stated
    from tcpgoodput.project.checked import IGNORED_KEYS, checked, derived
    from tcpgoodput.api.measurements import digests
    from tcpgoodput.project.run import (
        Run,
        check_targets,
        claim,
        given_by,
        refuse_files_of_the_future,
    )
    from tcpgoodput.report.site.places import caption_file, own_files
    from tcpgoodput.studies.open_settings import as_drawn
except ModuleNotFoundError as missing:
    message = (
        f"Python at {sys.executable}, in which this Snakemake runs, has no {missing.name}."
        " Run ./reproduce setup, and then .venv/bin/snakemake instead."
    )
    print(message, file=sys.stderr)
    sys.exit(2)

# Snakemake asks for the user's name, which a user number without an entry in /etc/passwd lacks, as in containers.
os.environ.setdefault("USER", str(os.getuid()))

# The project's own loader reads the configuration, because its errors name file, line and key.
try:
    CONFIGURATION, CHANGES = given_by(config, workflow.configfiles)
    checked_configuration = checked(CONFIGURATION, CHANGES)
    PARTS = derived("requests", digests, CONFIGURATION, CHANGES)
except ConfigurationError as error:
    print(error, file=sys.stderr)
    sys.exit(2)

SETTINGS = checked_configuration.settings
STYLE = str(CONFIGURATION.parent / SETTINGS.style)
OWN_MODELS = [str(CONFIGURATION.parent / file) for file in SETTINGS.models]
RUN = Run(SETTINGS.run_name)
# Whether this process is the command `snakemake`, and not a job or another program that loads the rules.
STARTED_BY_COMMAND = (
    workflow.exec_mode == ExecMode.DEFAULT
    and "snakemake" in Path(sys.argv[0]).parts[-2:]
)
# What the command asks for; of another program that loads the rules, this is not known.
ASKED, _ = get_argument_parser().parse_known_args(
    sys.argv[1:] if STARTED_BY_COMMAND else []
)
# Options of Snakemake with which it runs no job of the workflow. They are possible during a run.
WITHOUT_JOBS = {
    *("dryrun", "list_rules", "list_target_rules", "summary", "detailed_summary"),
    *("dag", "rulegraph", "filegraph", "d3dag", "lint", "unlock", "report", "archive"),
    *("list_changes", "list_input_changes", "list_params_changes", "list_untracked"),
    *("print_compilation", "cleanup_metadata"),
}
RUNS_JOBS = workflow.exec_mode == ExecMode.DEFAULT and (
    ASKED.report_after_run
    or not any(value for name, value in vars(ASKED).items() if name in WITHOUT_JOBS)
)
CLAIMED = None
if RUNS_JOBS:
    try:
        refuse_files_of_the_future("config", "notebooks", "paper", "data")
        CLAIMED = claim(RUN)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        sys.exit(2)

RESULTS, FIGURES, PAPER, LOGS = RUN.results, RUN.figures, RUN.paper, RUN.logs
NOTEBOOKS = Path(str(workflow.current_basedir)).parents[1] / "notebooks"

STUDIES = {
    name: source.figures.figures
    for name, source in checked_configuration.sources.items()
}
DRAWN = {
    name: list(as_drawn(source.figures))
    for name, source in checked_configuration.sources.items()
}
COMPARED = checked_configuration.comparison
CENSUSES = checked_configuration.censuses
EVALUATED_BY = {
    name: (
        "census_paired"
        if space.census.paired_with
        else "census_on_links" if space.retransmits else "census"
    )
    for name, space in CENSUSES.items()
}
"""Name of the rule that evaluates each random sample. It is `census_paired` if the sample has the
same connections as another one, but another sender; else `census_on_links` if its links retransmit.
"""
FURTHER_FINDINGS = {
    "census": (),
    "census_paired": PAIRED,
    "census_on_links": RETRANSMITTING,
}
"""Tables of a random sample in addition to `FINDINGS`, by the rule that evaluates it."""
SAMPLES = {
    evaluating: [name for name, own in EVALUATED_BY.items() if own == evaluating]
    for evaluating in FURTHER_FINDINGS
}
EXTENTS = {name: known_extent(name) for name in CENSUSES}
"""For each random sample: `recorded` if data/census has its whole table, else `sample`."""
TYPESETTER = shutil.which("latexmk") or shutil.which("tectonic")


# The version that the report, the manifest and the site print: a release changes no code.
VERSION = version("tcpgoodput")


def drawn(folder, names):
    """Return the paths of the named pictures in a folder of pictures, each as PDF and as PNG."""
    return expand(
        f"{FIGURES}/{folder}/{{name}}.{{kind}}",
        name=names,
        kind=["pdf", "png"],
        allow_missing=True,
    )


def shown(files, category):
    """Return the paths, with pictures and tables marked for Snakemake's report (`--report`)."""
    return [
        exhibited(file, category) if file.endswith((".png", ".csv")) else file
        for file in files
    ]


def exhibited(file, category):
    """Return the path of a picture or table, marked for Snakemake's report with its caption."""
    name, folder = Path(file).stem, Path(file).parent.name
    figure = STUDIES.get(category, {}).get(name)
    if COMPARED and folder == "comparison" and name.startswith("map_"):
        figure = COMPARED.settings.maps[name.removeprefix("map_")]
    title = figure.title if figure else TITLES.get(f"{folder}/{name}", name)
    # Without the signs of mathematics, because Snakemake takes words in braces for wildcards.
    title = title.translate(dict.fromkeys(map(ord, "${}\\")))
    if folder == "{extent}":
        title = (OF_SAMPLES | OF_PAIRS)[name] + " ({census})"
    return exhibit(
        file,
        category=category,
        caption=caption_file(figure.caption) if figure else None,
        labels={
            "figure": title,
            "kind": "picture" if file.endswith(".png") else "table",
        },
    )


def notebook(name):
    """Return the path of a notebook; a study without its own notebook uses `study.ipynb`."""
    own = NOTEBOOKS / f"{name}.ipynb"
    any_study = name in STUDIES and not own.is_file()
    return os.path.relpath(NOTEBOOKS / "study.ipynb" if any_study else own)


CHOSEN = {key: getattr(SETTINGS, key) for key in ("precision", "equations", "seed")}
OTHER_CHANGES = {
    key: value for key, value in CHANGES.items() if key not in {*IGNORED_KEYS, *CHOSEN}
}


def parameters(**own):
    """Return a notebook's parameters as JSON: those that all notebooks have, and the given ones."""
    every = {"configuration": str(CONFIGURATION), **CHOSEN, **own}
    return json.dumps(every | ({"changes": OTHER_CHANGES} if OTHER_CHANGES else {}))


# Command that executes a notebook. If it fails, the command prints the last three lines of the log.
RUN_NOTEBOOK = (
    "python -m tcpgoodput.project.notebooks {input.notebook:q} {output.notebook:q}"
    " {params.parameters:q} > {log:q} 2>&1 || {{ tail -n 3 {log:q} >&2; exit 1; }}"
)


def configuration_options(changes):
    """Return the options that pass the configuration to a job that runs no notebook."""
    changed = json.dumps(CHOSEN | changes)
    return shlex.join(["--configuration", str(CONFIGURATION), "--changes", changed])


# Modules that notebooks of studies use in addition to `api.study`.
TEACHING = [
    f"api.{name}" for name in ("compare", "load", "predict", "simulate", "sweep")
] + ["models"]


def code(*modules):
    """Return a digest of the code of modules and all their imports.

    It is a parameter of the rule; if it changes, Snakemake runs the job again.
    """
    return digest_of(*(f"tcpgoodput.{module}" for module in modules))


# Make rules run the commands of the Python environment in which Snakemake runs. A prefix replaces
# Snakemake's own, without which a failure before a pipe would count as success.
ENVIRONMENT = shlex.quote(os.path.dirname(sys.executable))
shell.prefix(f"set -euo pipefail; export PATH={ENVIRONMENT}:$PATH; ")

# The user's settings of Python, notebooks, plots and compilers must not reach the results. Jobs do not
# import modules from the current folder, in which a file may have the name of a standard module.
SETTINGS_OF_OTHERS = ("PYTHON", "IPYTHON", "JUPYTER_", "MPL", "MATPLOTLIB", "NUMBA_")
for name in [*os.environ]:
    if name.startswith(SETTINGS_OF_OTHERS) and name not in (
        "PYTHONPATH",
        "NUMBA_CACHE_DIR",
    ):
        del os.environ[name]
os.environ |= {"PYTHONSAFEPATH": "1", "MPLBACKEND": "agg"}

# Use one thread for linear algebra: with several threads, the last digits of sums would depend on
# the number of cores.
os.environ |= dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"
)


def records_of(study):
    """Return the files in data/ with measurements by ns-2 and Linux for a study or comparison."""
    return [
        str(file) for engine in REFEREE_NAMES for file in recorded_files(engine, study)
    ]


def figures_file(study):
    """Return the path of the YAML file with a study's figures."""
    return str(CONFIGURATION.parent / SETTINGS.figures / f"{study}.yaml")


def census_file(name):
    """Return the path of the YAML file of a random sample."""
    return str(CONFIGURATION.parent / str(SETTINGS.census) / f"{name}.yaml")


COMPARISON_FILES = [str(CONFIGURATION.parent / SETTINGS.comparison)] if COMPARED else []
"""The file of the comparison, which has the families of models; empty without a comparison."""
STATED = derived("stated", stated, CONFIGURATION, CHANGES)
"""Digests of what the YAML files of the configuration state (settings, style, figures, claims,
samples), by the file's path."""
DATA_FILES = derived("data_files", data_files, CONFIGURATION, CHANGES)
"""For each study (`sources`) and each random sample (`censuses`): the files with data, such as
traces, that it names."""


def content(*files):
    """Return digests of what YAML files of the configuration state, without comments and layout.

    They are a parameter of each rule that reads the files. The files are `ancient` inputs, so that
    a changed comment does not run the job again.
    """
    return [STATED[str(file)] for file in files]


def chunks_of(census, extent):
    """Return the names of the chunks of a random sample to measure.

    These are all chunks for the extent `whole`, else one small chunk at the sample's beginning.
    """
    settings = CENSUSES[census].census
    if extent == "whole":
        return [chunk.name for chunk in chunks(settings.points, settings.chunk)]
    return [Chunk(0, min(settings.sample, settings.points)).name]


def table_of(census, extent):
    """Return the path of a random sample's table, in data/census or in the results of the run."""
    if extent == "recorded":
        return str(RECORDED_SAMPLES / f"{census}.parquet")
    return f"{RESULTS}/census/{census}/{extent}.parquet"


def other_table_of(census, extent):
    """Return the path of the table of the sample with which a random sample is paired, if any.

    If the sample itself is recorded alone, the other one is measured as a whole.
    """
    other = CENSUSES[census].census.paired_with
    if not other:
        return []
    is_alone = extent == "recorded" and EXTENTS[other] != "recorded"
    return table_of(other, "whole" if is_alone else extent)


def sample_parameters(census, extent):
    """Return the parameters of the notebook that evaluates a random sample."""
    other = CENSUSES[census].census.paired_with
    paired = {"other": other, "other_table": other_table_of(census, extent)}
    return parameters(
        census=census,
        table=table_of(census, extent),
        **(paired if other else {}),
        results=f"{RESULTS}/census/{census}/{extent}",
        figures=f"{FIGURES}/census/{census}/{extent}",
    )


def sample_records(census):
    """Return the files in data/census of a random sample and of the one it is paired with."""
    names = filter(None, (census, CENSUSES[census].census.paired_with))
    return [
        str(file)
        for name in names
        for file in sorted(RECORDED_SAMPLES.glob(f"{name}.*"))
    ]


def minutes(wildcards, attempt):
    """Return the time limit in minutes for measuring a chunk of a random sample.

    It is five times the expected time, at least five minutes, and grows with each new attempt.
    """
    settings = CENSUSES[wildcards.census].census
    return attempt * max(
        5, round(settings.chunk * settings.precision.most_packets * 2.5e-7 / 60)
    )


def findings(extents):
    """Return the paths of the results tables of all random samples.

    `extents` has, for each sample, the extent to evaluate: `sample`, `whole` or `recorded`.
    """
    return [
        f"{RESULTS}/census/{census}/{extents[census]}/{finding}.csv"
        for census in CENSUSES
        for finding in [*FINDINGS, *FURTHER_FINDINGS[EVALUATED_BY[census]]]
    ]


def made_by(*names):
    """Return the output files of the named rules."""
    return [file for name in names for file in expanded(name)]


def values_of_wildcards():
    """Return the values of the wildcards of each rule whose outputs have wildcards."""
    return {"simulate": {"part": PARTS}} | {
        evaluating: {"census": names, "extent": [EXTENTS[name] for name in names]}
        for evaluating, names in SAMPLES.items()
    }


def expanded(name):
    """Return the output files of a rule, with wildcards replaced by all values in this run."""
    values = values_of_wildcards().get(name)
    files = list(getattr(rules, name).output)
    return files if values is None else expand(files, zip, **values)


def is_made(file):
    """Return whether a rule makes a file."""
    outputs = (output for rule in workflow.rules for output in rule.output)
    return any(output.match(file) for output in outputs)


def named_files():
    """Return the output files of all rules, as far as the names have no wildcards."""
    outputs = [
        str(file) for rule in workflow.rules for file in rule.output if "{" not in file
    ]
    return outputs + [file for name in values_of_wildcards() for file in expanded(name)]
