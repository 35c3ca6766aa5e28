"""Snakemake's script: measure a chunk of a random sample."""

from pathlib import Path

from tcpgoodput.comparison.census.measure import measure_chunk
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
configuration = checked(job.params.configuration, job.params.changes)
space, seed = configuration.censuses[job.wildcards.census], configuration.settings.seed
measure_chunk(space, seed, Path(job.output.chunk))
