"""Snakemake's script: evaluate the models on a chunk of a random sample."""

from contextlib import redirect_stderr
from pathlib import Path

from tcpgoodput.comparison.census.answer import answer_chunk
from tcpgoodput.project.checked import checked

job = snakemake  # noqa: F821  (Snakemake sets it)
with open(job.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
    configuration = checked(job.params.configuration, job.params.changes)
    space, conditions = (
        configuration.censuses[job.wildcards.census],
        configuration.settings.conditions,
    )
    answer_chunk(space, conditions, Path(job.input.measured), Path(job.output.chunk))
