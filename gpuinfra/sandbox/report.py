"""What stands in the sandbox, and where each of it lives."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox import lifecycle
from gpuinfra.sandbox.ledger import Ledger, Record, Where
from gpuinfra.sandbox.place import LEDGER_FILE, home


@dataclass(frozen=True, slots=True)
class Standing:
    """One resource that stands.

    Attributes:
        where: "moto" (boto3 sees it) or "ledger".
        properties: its outputs as last written by an update or a refresh.
        made: ISO 8601 in UTC.
    """

    urn: str
    type: str
    id: str
    name: str
    stack: str
    region: str
    where: Where
    made: str
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Count:
    """How many of one type stand, and where they live."""

    type: str
    where: Where
    number: int


@dataclass(frozen=True, slots=True)
class Status:
    """The sandbox at one moment.

    Attributes:
        lost: resources that stood in a server that is gone; `pulumi refresh` forgets them.
    """

    home: str
    running: bool
    endpoint: str | None
    pid: int | None
    since: str | None
    counts: tuple[Count, ...]
    lost: int


def standing(stack: str | None = None) -> list[Standing]:
    """What stands now, oldest first; without what was lost with a server."""
    server = lifecycle.find()
    return [_standing(record) for record in _records(stack) if not _lost(record, server)]


def status() -> Status:
    """Whether the server runs, what stands, and what was lost."""
    server = lifecycle.find()
    records = _records(None)
    here = Counter((item.type, item.where) for item in records if not _lost(item, server))
    return Status(
        home=str(home()),
        running=server is not None,
        endpoint=server.endpoint if server else None,
        pid=server.pid if server else None,
        since=server.since if server else None,
        counts=tuple(Count(kind, where, here[kind, where]) for kind, where in sorted(here)),
        lost=sum(_lost(item, server) for item in records),
    )


def _records(stack: str | None) -> list[Record]:
    path = home() / LEDGER_FILE
    return Ledger(path).all(stack) if path.exists() else []


def _lost(record: Record, server: lifecycle.Server | None) -> bool:
    return record.where == "moto" and (server is None or record.server != server.start)


def _standing(record: Record) -> Standing:
    return Standing(
        urn=record.urn,
        type=record.type,
        id=record.id,
        name=record.name,
        stack=record.stack,
        region=record.region,
        where=record.where,
        made=record.made,
        properties=record.properties,
    )
