# Final message of a run: the path of its report, changes since the last run, and doubtful results.
# If only some files were requested, the message only lists them.

from collections import Counter

from tcpgoodput.comparison.answers import failures
from tcpgoodput.comparison.claims.schema import PARTS as EVIDENCE
from tcpgoodput.configuration.strict_yaml import dotted
from tcpgoodput.engines.measurements import doubt_of, in_words
from tcpgoodput.project.changes import differences, items_of, read_items, write_items
from tcpgoodput.project.manifest import KINDS
from tcpgoodput.project.verify import extra_files
from tcpgoodput.storage import read_rows, write_text
from tcpgoodput.studies.checks import empty_series


def last_words():
    """Return the final message of a run as text; its lines are meant for a terminal."""
    if ASKED.until or ASKED.omit_from or ASKED.batch:
        return "\nDone: the requested part of the run."
    if targets := {*ASKED.targets} - {"all"}:
        made = [
            some(made_by(name) if workflow.is_rule(name) else [name])
            for name in sorted(targets)
        ]
        return "\n".join(["", "Done.", *(f"made     {files}" for files in made)])
    lines = [f"results  {RESULTS}/", f"figures  {FIGURES}/"]
    if Path(RUN.report).is_file():
        lines.insert(0, f"report   {RUN.report}")
    verdicts = rows_of("claims.csv")
    for what, kinds in EVIDENCE.items():
        found = Counter(row["verdict"] for row in verdicts if row["evidence"] in kinds)
        if found:
            counts = ", ".join(
                f"{count} {verdict}" for verdict, count in found.most_common()
            )
            lines.append(f"claims   {what.lower()}: {counts}")
    changes = compare_and_record()
    lines += [f"{what:<8} {some(names)}" for what, names in changes.items() if names]
    if (
        COMPARED
        and COMPARED.held
        and any(n.startswith("model ") for n in changes["new"])
    ):
        lines.append(
            "look at  a new model: set a new seed in heldout.yaml, so that the held-out "
            "connections stay unknown to it (config/README.md)"
        )
    for source in checked_configuration.sources.values():
        conditions = checked_configuration.settings.conditions
        for key, message in empty_series(source, conditions):
            lines.append(f"look at  {source.name}: {dotted(key)}: {message}")
    lines += [
        f"failed   {failure}" for failure in failures(map(Path, SCENARIO_ANSWERS))
    ]
    fallen = sorted({row["sentence"] for row in rows_of("fallen_sentences.csv")})
    if fallen:
        lines.append(
            f"marked   sentences of the report that this run does not bear out: {some(fallen)}"
        )
    kinds = [
        kind
        for part in PARTS
        for row in rows_of(f"measurements/{part}.csv")
        if (kind := doubt_of(row))
    ]
    lines += [f"look at  {part}" for part in in_words(kinds).split("; ") if part]
    if kinds:
        lines.append(f"reasons  {RESULTS}/measurements/*.csv, column reason")
    if left := left_over():
        listed = f"{LOGS}/left_over.txt"
        write_text(Path(listed), "".join(f"{file}\n" for file in left))
        lines.append(
            f"left     this configuration does not make these files: {some(left)}"
        )
        lines.append(
            f"         all are in {listed}; xargs -d '\\n' rm <{listed} deletes them"
        )
    if not TYPESETTER:
        lines.append("look at  no report: neither latexmk nor tectonic is on PATH")
    return "\n".join(["", "Done.", *lines])


def left_over():
    """Return files in the folders of results and figures that no rule makes, such as old figures.

    They are of figures, scenarios or studies that the configuration had before, or the user's own.
    """
    made = [
        os.path.relpath(file, RUN.root)
        for file in named_files()
        if file.startswith((f"{RESULTS}/", f"{FIGURES}/")) and file.endswith(KINDS)
    ]
    extra = [str(Path(RUN.root, path)) for path in extra_files(made, Path(RUN.root))]
    return [file for file in extra if not is_made(file)]


def rows_of(name):
    """Return the rows of a table of results; empty if the table does not exist."""
    file = Path(RESULTS, name)
    return read_rows(file) if file.is_file() else []


def compare_and_record():
    """Return the items of the configuration that changed since the last run; record all items.

    Items are figures, claims, scenarios and the like. The result has the names of items that are
    new, changed and removed. The first run of a name is compared with nothing, because all items of
    another run may differ.
    """
    now, before = items_of(checked_configuration), read_items(Path(RESULTS))
    write_items(Path(RESULTS), now)
    return differences(now if before is None else before, now)


def some(names):
    """Return the first three names of a list, and the number of the others, as text."""
    return ", ".join(names[:3]) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
