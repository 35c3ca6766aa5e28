"""Snakemake's script: keep what a whole random sample found in data/census."""

from pathlib import Path

from tcpgoodput.census.extents import KEPT
from tcpgoodput.census.keep import keep
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
configuration = checked(job.params.configuration, job.params.changes)
for name, space in configuration.censuses.items():
    chunks = [Path(file) for file in job.input.chunks if f"/census/{name}/" in file]
    keep(space, configuration.settings.conditions, chunks, KEPT)
