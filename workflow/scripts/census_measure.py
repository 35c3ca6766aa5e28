"""Snakemake's script: measure a chunk of a random sample."""

from contextlib import redirect_stderr
from pathlib import Path

from tcpgoodput.comparison.census.measure import measure_chunk
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
with open(job.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
    configuration = checked(job.params.configuration, job.params.changes)
    space, seed = configuration.censuses[job.wildcards.census], configuration.settings.seed
    measure_chunk(space, seed, Path(job.output.chunk))
