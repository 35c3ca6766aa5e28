"""Snakemake's script: ask the models about a chunk of a random sample."""

from pathlib import Path

from tcpgoodput.comparison.census.answer import answer_chunk
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
configuration = checked(job.params.configuration, job.params.changes)
space, conditions = configuration.censuses[job.wildcards.census], configuration.settings.conditions
answer_chunk(space, conditions, Path(job.input.measured), Path(job.output.chunk))
