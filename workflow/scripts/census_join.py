"""Snakemake's script: join the chunks of a random sample to one table."""

from pathlib import Path

from tcpgoodput.comparison.census.answer import join_chunks
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
configuration = checked(job.params.configuration, job.params.changes)
space, conditions = configuration.censuses[job.wildcards.census], configuration.settings.conditions
join_chunks(space, conditions, map(Path, job.input.chunks), Path(job.output.table))
