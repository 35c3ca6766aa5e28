"""What is asked for by name: a figure that there is, or a word about the nearest one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tcpgoodput.configuration.problems import nearest
from tcpgoodput.workflow.plan import Plan


def fault_of_targets(plan: Plan, targets: Iterable[str]) -> str | None:
    """Return why a study's figure or table that is asked for cannot be made, or None."""
    run = plan.run
    for target in targets:
        for folder, ends in ((run.figures, "pdf|png"), (run.results, "csv")):
            asked = re.fullmatch(rf"{re.escape(folder)}/(\w+)/(\w+)\.({ends})", target)
            source = plan.configuration.sources.get(asked[1]) if asked else None
            if asked and source and asked[2] not in source.figures.figures:
                names = list(source.figures.figures)
                message = f"{target}: {asked[1]} has no figure {asked[2]!r}"
                return message + (nearest(asked[2], names) or f"; it has {', '.join(names)}")
    return None
