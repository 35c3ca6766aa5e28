"""Snakemake's script: join the tables of a random sample's chunks to one table."""

from contextlib import redirect_stderr
from pathlib import Path

from tcpgoodput.comparison.census.measure import join_chunks
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
with open(job.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
    configuration = checked(job.params.configuration, job.params.changes)
    space, conditions = (
        configuration.censuses[job.wildcards.census],
        configuration.settings.conditions,
    )
    join_chunks(space, conditions, map(Path, job.input.chunks), Path(job.output.table))
