"""Measure one chunk of a census on one core; chunks run in parallel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

import pyarrow as pa

from tcpgoodput.comparison.census.design import Chunk, Record, drawn, space_of, to_measure
from tcpgoodput.comparison.census.schema import Precision
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.census.table import origin_of, write_table
from tcpgoodput.engines.measure import measured
from tcpgoodput.engines.measurements import Effort, Measured, Request
from tcpgoodput.engines.packet import Packet
from tcpgoodput.scenario import Scenario

MOST_TRANSFERS = 500
"""Largest number of finite transfers per connection. Each starts a new simulation, which takes
time."""

KINDS = {"str": pa.string(), "int": pa.int64(), "float": pa.float64()}
LEFT_OUT = ("engine", "setting")
"""Columns of a measurement that are the same in every row of a census."""

SCHEMA = pa.schema(
    [
        ("point", pa.int64()),
        ("happening", pa.string()),
        *(
            (field.name, KINDS[str(field.type).partition(" ")[0]])
            for field in fields(Measured)
            if field.name not in LEFT_OUT
        ),
    ]
)


def rows(request: Record, chunk: Chunk) -> Iterator[Record]:
    """Measure the connections of a chunk, and yield a row for each connection.

    Args:
        request: the settings of the census and the seed; see `design.to_measure`.
        chunk: the chunk.

    """
    precision = Precision.model_validate(request["census"]["precision"])
    engine = Packet(threads=1)
    for connection in drawn(space_of(request), chunk):
        scenario = connection.scenario
        effort = _effort(scenario, precision, request["seed"])
        wanted = Request(engine.name, effort.on(scenario).setting, scenario)
        found = asdict(measured(wanted, engine))
        yield {"point": connection.number, "happening": connection.happening, **found}


def _effort(scenario: Scenario, precision: Precision, seed: int) -> Effort:
    most = precision.most_packets
    if transfer := scenario.tcp.transfer_packets:
        most = min(most, MOST_TRANSFERS * transfer)
    return Effort(
        "draft",
        seed,
        half_width=precision.half_width,
        most_packets=most,
        replications=precision.replications,
    )


def measure_chunk(space: Space, seed: int, table: Path) -> None:
    """Measure the connections of a chunk, and write the table of the chunk.

    Args:
        space: the space of the census.
        seed: seed of the simulations.
        table: path of the table to write; its name is that of the chunk.

    """
    request = to_measure(space, seed)
    found = list(rows(request, Chunk.of(table.stem)))
    write_table(found, SCHEMA, origin_of(request), table)
