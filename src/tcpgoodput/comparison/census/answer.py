"""Evaluate the models on one measured chunk of a census.

A row has the measurement, the sender's variant, a digest of the path, the connection's quantities,
and each model's goodput and status. Goodputs have the seven digits of single precision.
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
"""Prefixes of the columns with a model's goodput and status."""

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
"""Columns that identify a connection: the sender's variant, and a digest of the path. The digest is
the same in two censuses that differ in the sender only."""

PATH_DIGITS = 12


def said_of(scenario: Scenario) -> Record:
    """Return the variant of the sender, and a digest of all keys of the path."""
    path = hashlib.sha256(path_content_of(scenario).encode()).hexdigest()[:PATH_DIGITS]
    return {"variant": scenario.tcp.variant, "path": path}


def schema_of(models: Sequence[str]) -> pa.Schema:
    """Return the columns of a census table with the given models."""
    columns = [(name, pa.float32()) for name in QUANTITIES]
    for model in models:
        columns += [(GOODPUT + model, pa.float32()), (STATUS + model, pa.string())]
    return pa.schema([*MEASURED, *SAID, *columns])


def rows(request: Record, chunk: Chunk, measured: pa.Table) -> Iterator[Record]:
    """Evaluate the models on the connections of a chunk, and yield a row for each connection.

    Args:
        request: names of the models, equations, and settings of the measurements; see `to_answer`.
        chunk: the chunk.
        measured: the measurements of all connections of the chunk.

    """
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
    """Return the request to evaluate models on a census.

    Returns:
        A dict that can be written as JSON: `models`, `equations`, and `measured`, the request for
        the measurements (see `design.to_measure`).

    """
    return {
        "measured": to_measure(space, conditions.seed),
        "models": space.census.models or MODELS.names(),
        "equations": conditions.equations,
    }


def answer_chunk(space: Space, conditions: Conditions, measured: Path, table: Path) -> None:
    """Evaluate the models on a measured chunk, and write the table of the chunk.

    Args:
        space: the space of the census.
        conditions: the equations and the seed.
        measured: path of the table with the measurements of the chunk.
        table: path of the table to write; its name is that of the chunk.

    Raises:
        ConfigurationError: the measurements are damaged, or belong to another request.

    """
    request = to_answer(space, conditions)
    write_answers(request, read_chunk(measured, origin_of(request["measured"])), table)


def write_answers(request: Record, measured: pa.Table, table: Path) -> None:
    """Evaluate the models on the measured connections of a chunk, and write the table.

    Args:
        request: the request; see `to_answer`.
        measured: the measurements of the chunk.
        table: path of the table to write; its name is that of the chunk.

    """
    answered = list(rows(request, Chunk.of(table.stem), measured))
    write_table(answered, schema_of(request["models"]), origin_of(request), table)


def join_chunks(space: Space, conditions: Conditions, chunks: Iterable[Path], table: Path) -> int:
    """Join the chunks of a census to one table; return its number of connections.

    Raises:
        ConfigurationError: a chunk is damaged, or belongs to another request.

    """
    return join(chunks, origin_of(to_answer(space, conditions)), table)
