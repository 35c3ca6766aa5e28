"""What is asked for by name: a figure that there is, or a word about the nearest one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tcpgoodput.configuration.problems import nearest, refused
from tcpgoodput.workflow.plan import Plan


def check_targets(plan: Plan, targets: Iterable[str]) -> None:
    """Refuse a study's figure or table that is asked for and is none.

    Raises:
        ConfigurationError: it names the nearest one, or all that there are.

    """
    run = plan.run
    for target in targets:
        for folder, ends in ((run.figures, "pdf|png"), (run.results, "csv")):
            asked = re.fullmatch(rf"{re.escape(folder)}/(\w+)/(\w+)\.({ends})", target)
            source = plan.configuration.sources.get(asked[1]) if asked else None
            if asked and source and asked[2] not in source.figures.figures:
                names = list(source.figures.figures)
                message = f"{asked[1]} has no figure {asked[2]!r}"
                others = nearest(asked[2], names) or f"; it has {', '.join(names)}"
                raise refused(target, "", message + others)
