"""Simulate and predict the connections of one chunk of a random sample, with all models.

A row of the table has the measurement, the sender's variant, a digest of the path, the connection's
quantities, and each model's goodput and status. Goodputs have the seven digits of single precision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import Chunk, Record, drawn, space_of, to_measure
from tcpgoodput.comparison.census.quantities import QUANTITIES, quantities_of
from tcpgoodput.comparison.census.schema import Precision
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.census.table import join, origin_of, write_table
from tcpgoodput.engines.measure import measured
from tcpgoodput.engines.measurements import Request, Setting
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import path_content_of

MOST_TRANSFERS = 500
"""Largest number of transfers that are simulated to measure the goodput of a finite transfer. Each
transfer is a new simulation, which takes time. Chosen by hand."""

GOODPUT, STATUS = "goodput:", "status:"
"""Prefixes of the columns with a model's goodput and status; the model's name follows."""

MEASURED = pa.schema(
    [
        ("point", pa.int32()),
        ("impairments", pa.string()),
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

IDENTITY = pa.schema([("variant", pa.string()), ("path", pa.string())])
"""Columns that identify a connection: the sender's variant, and a digest of the path. The digest is
the same in two censuses that differ in the sender only."""

PATH_DIGITS = 12


def to_answer(space: Space, conditions: Conditions) -> Record:
    """Return the request to measure a random sample and to evaluate models on it, as JSON."""
    return {
        "measured": to_measure(space, conditions.seed),
        "models": space.census.models or MODELS.names(),
        "equations": conditions.equations,
    }


def measure_chunk(space: Space, conditions: Conditions, table: Path) -> None:
    """Measure the connections of a chunk, evaluate the models, and write the chunk's table.

    The table's name is that of the chunk.
    """
    request = to_answer(space, conditions)
    write_chunk(request, measurements(request["measured"], Chunk.of(table.stem)), table)


def measurements(request: Record, chunk: Chunk) -> dict[int, Record]:
    """Measure the connections of a chunk; return the measurements by number of their point."""
    precision = Precision.model_validate(request["census"]["precision"])
    engine = Packet(threads=1)
    found: dict[int, Record] = {}
    for connection in drawn(space_of(request), chunk):
        scenario = connection.scenario
        setting = _setting(scenario, precision, request["seed"]).on(scenario)
        wanted = Request(engine.name, setting, scenario)
        row = {"point": connection.number, "impairments": connection.impairments}
        found[connection.number] = row | asdict(measured(wanted, engine))
    return found


def write_chunk(request: Record, known: Mapping[int, Record], table: Path) -> None:
    """Evaluate the models on the measured connections of a chunk, and write the table.

    The request is that of `to_answer`; the measurements, with the columns `MEASURED`, are by the
    number of the connection's point.
    """
    found = list(rows(request, Chunk.of(table.stem), known))
    write_table(found, schema_of(request["models"]), origin_of(request), table)


def rows(request: Record, chunk: Chunk, known: Mapping[int, Record]) -> Iterator[Record]:
    """Yield a row of the table for each connection of a chunk; see `write_chunk`."""
    models = [MODELS[name] for name in request["models"]]
    conditions = Conditions(request["equations"], "draft", request["measured"]["seed"])
    for connection in drawn(space_of(request["measured"]), chunk):
        scenario = connection.scenario
        row = {name: known[connection.number][name] for name in MEASURED.names}
        row |= identity_of(scenario) | quantities_of(scenario)
        for model in models:
            prediction = predict(model, scenario, conditions)
            row |= {
                GOODPUT + model.name: prediction.goodput_pps,
                STATUS + model.name: prediction.status,
            }
        yield row


def schema_of(models: Sequence[str]) -> pa.Schema:
    """Return the columns of a census table that has predictions of the given models."""
    columns = [(name, pa.float32()) for name in QUANTITIES]
    for model in models:
        columns += [(GOODPUT + model, pa.float32()), (STATUS + model, pa.string())]
    return pa.schema([*MEASURED, *IDENTITY, *columns])


def identity_of(scenario: Scenario) -> Record:
    """Return the variant of the sender, and a digest of all keys of the path."""
    path = hashlib.sha256(path_content_of(scenario).encode()).hexdigest()[:PATH_DIGITS]
    return {"variant": scenario.tcp.variant, "path": path}


def join_chunks(space: Space, conditions: Conditions, chunks: Iterable[Path], table: Path) -> int:
    """Join the chunks of a census to one table; return its number of connections.

    A chunk that is damaged, or was made from another configuration, is refused.
    """
    return join(chunks, origin_of(to_answer(space, conditions)), table)


def _setting(scenario: Scenario, precision: Precision, seed: int) -> Setting:
    most = precision.most_packets
    if transfer := scenario.tcp.transfer_packets:
        most = min(most, MOST_TRANSFERS * transfer)
    return Setting(
        "draft",
        seed,
        half_width=precision.half_width,
        most_packets=most,
        replications=precision.replications,
    )
