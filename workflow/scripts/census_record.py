"""Snakemake's script: write the table of a completely measured random sample to data/census."""

from contextlib import redirect_stderr
from pathlib import Path

from tcpgoodput.comparison.census.design import RECORDED_SAMPLES
from tcpgoodput.comparison.census.record import write_record
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
with open(job.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
    configuration = checked(job.params.configuration, job.params.changes)
    space = configuration.censuses[job.wildcards.census]
    table = Path(job.input.table)
    write_record(space, configuration.settings.conditions, table, RECORDED_SAMPLES)
