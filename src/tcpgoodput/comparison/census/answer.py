"""Ask the models about a chunk of a census that was measured.

A row has what was measured, the sender's variant and what the path is, the quantities of the
connection, and of each model its goodput and its status; goodputs have seven digits from here on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import Chunk, Record, drawn, space_of, to_measure
from tcpgoodput.comparison.census.quantities import QUANTITIES, quantities_of
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.census.table import join, origin_of, read_chunk, write_table
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import path_content_of

GOODPUT, STATUS = "goodput:", "status:"
"""How the names of a model's columns begin."""

MEASURED = pa.schema(
    [
        ("point", pa.int32()),
        ("happening", pa.string()),
        ("goodput_pps", pa.float32()),
        ("half_width_pps", pa.float32()),
        ("replications", pa.int16()),
        ("packets_sent", pa.int64()),
        ("timeouts", pa.int32()),
        ("fast_retransmits", pa.int32()),
        ("loss_events", pa.int32()),
        ("reason", pa.string()),
    ]
)

SAID = pa.schema([("variant", pa.string()), ("path", pa.string())])
"""What is said of a connection: by the latter, one is found again in another census."""

PATH_DIGITS = 12


def said_of(scenario: Scenario) -> Record:
    """Return the sender's variant, and a digest of all but the sender."""
    path = hashlib.sha256(path_content_of(scenario).encode()).hexdigest()[:PATH_DIGITS]
    return {"variant": scenario.tcp.variant, "path": path}


def schema_of(models: Sequence[str]) -> pa.Schema:
    """Return the columns of a census that asks some models."""
    columns = [(name, pa.float32()) for name in QUANTITIES]
    for model in models:
        columns += [(GOODPUT + model, pa.float32()), (STATUS + model, pa.string())]
    return pa.schema([*MEASURED, *SAID, *columns])


def rows(request: Record, chunk: Chunk, measured: pa.Table) -> Iterator[Record]:
    """Yield the row of each connection of a chunk."""
    models = [MODELS[name] for name in request["models"]]
    conditions = Conditions(request["equations"], "draft", request["measured"]["seed"])
    found = {row["point"]: row for row in measured.to_pylist()}
    for connection in drawn(space_of(request["measured"]), chunk):
        scenario = connection.scenario
        row = {name: found[connection.number][name] for name in MEASURED.names}
        row |= said_of(scenario) | quantities_of(scenario)
        for model in models:
            said = predict(model, scenario, conditions)
            row |= {GOODPUT + model.name: said.goodput_pps, STATUS + model.name: said.status}
        yield row


def to_answer(space: Space, conditions: Conditions) -> Record:
    """Return what is asked of the models: which of them, about what was measured."""
    return {
        "measured": to_measure(space, conditions.seed),
        "models": space.census.models or MODELS.names(),
        "equations": conditions.equations,
    }


def answer_chunk(space: Space, conditions: Conditions, measured: Path, table: Path) -> None:
    """Ask the models about the chunk that a table is called after, and write the table."""
    request = to_answer(space, conditions)
    found = read_chunk(measured, origin_of(request["measured"]))
    answered = list(rows(request, Chunk.of(table.stem), found))
    write_table(answered, schema_of(request["models"]), origin_of(request), table)


def join_chunks(space: Space, conditions: Conditions, chunks: Iterable[Path], table: Path) -> int:
    """Join the chunks of a census to one table; return how many connections it has.

    Raises:
        ConfigurationError: a chunk is damaged, or answers another request.

    """
    return join(chunks, origin_of(to_answer(space, conditions)), table)
