"""Snakemake's script: measure one chunk (consecutive connections) of a random sample.

The script also evaluates all models on these connections.
"""

from contextlib import redirect_stderr
from pathlib import Path

from tcpgoodput.comparison.census.measure import measure_chunk
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
with open(job.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
    configuration = checked(job.params.configuration, job.params.changes)
    space, conditions = (
        configuration.censuses[job.wildcards.census],
        configuration.settings.conditions,
    )
    measure_chunk(space, conditions, Path(job.output.chunk))
