"""The sandbox's resources, and whether the server or the ledger holds each."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox import lifecycle
from gpuinfra.sandbox.ledger import Backend, Ledger, PendingCreate, Record
from gpuinfra.sandbox.sandbox_folder import LEDGER_FILE, sandbox_home
from gpuinfra.urns import name_of, project_of, stack_of, type_of


@dataclass(frozen=True, slots=True)
class SandboxResource:
    """A resource in the sandbox.

    Attributes:
        backend: "moto" (boto3 sees it) or "ledger".
        properties: its outputs as last written by an update or a refresh.
        created_at: ISO 8601 in UTC.
        unfinished: its create broke off: no stack's state may know it. Where it broke off before
            its id was known, the id is "unfinished".
    """

    urn: str
    type: str
    id: str
    name: str
    stack: str
    region: str
    backend: Backend
    created_at: str
    properties: dict[str, Any]
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """The number of resources of one type, and where they are kept."""

    type: str
    backend: Backend
    number: int


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """The state of the sandbox at one moment.

    Attributes:
        lost: resources of a server that has stopped; `pulumi refresh` forgets them.
    """

    home: str
    running: bool
    endpoint: str | None
    pid: int | None
    since: str | None
    counts: tuple[Count, ...]
    lost: int


def existing_resources(stack: str | None = None) -> list[SandboxResource]:
    """Return the existing resources, oldest first, without those lost with a server.

    At the end come the creates that were interrupted before an id was known.
    """
    server = lifecycle.find()
    records = [record for record in _records(stack) if not _is_lost(record, server)]
    creates = _creates(stack)
    standings = [
        _existing_resource(
            record, unfinished=any(create.is_made_by_create(record) for create in creates)
        )
        for record in records
    ]
    nameless = [
        _unfinished_resource(create)
        for create in creates
        if server is not None
        and create.server == server.start
        and not any(create.is_made_by_create(record) for record in records)
    ]
    return standings + nameless


def status() -> SandboxStatus:
    """Return whether the server runs, and how many resources exist or were lost."""
    server = lifecycle.find()
    records = _records(None)
    counts_by_kind: Counter[tuple[str, Backend]] = Counter(
        (item.type, item.backend) for item in records if not _is_lost(item, server)
    )
    return SandboxStatus(
        home=str(sandbox_home()),
        running=server is not None,
        endpoint=server.endpoint if server else None,
        pid=server.pid if server else None,
        since=server.since if server else None,
        counts=tuple(
            Count(kind, backend, counts_by_kind[kind, backend])
            for kind, backend in sorted(counts_by_kind)
        ),
        lost=sum(_is_lost(item, server) for item in records),
    )


@dataclass(frozen=True, slots=True)
class TypeBackend:
    """The backend of a type's resources.

    Attributes:
        ledger_reason: why it is the ledger: what the server lacks.
    """

    type: str
    backend: Backend
    ledger_reason: str = ""


def backends() -> tuple[TypeBackend, ...]:
    """Return the backend of each AWS type; Google Cloud and Azure are all in the ledger."""
    from gpuinfra.sandbox.aws import HANDLERS, LEDGER  # noqa: PLC0415  loads botocore
    from gpuinfra.sandbox.plugin import schema  # noqa: PLC0415

    return tuple(
        TypeBackend(token, "moto")
        if token in HANDLERS
        else TypeBackend(token, "ledger", LEDGER[token])
        for token in sorted(schema.load("aws").tokens)
    )


def lost_count(project: str | None = None) -> int:
    """Return how many resources, of one Pulumi project or of all, were lost with a server."""
    server = lifecycle.find()
    return sum(
        _is_lost(record, server) for record in _records(None) if project in (None, record.project)
    )


def reopen_creates(known_ids: Mapping[str, Collection[str]]) -> None:
    """Record creates as open whose outcome a state does not know, by URN with the known ids."""
    ledger = Ledger(sandbox_home() / LEDGER_FILE)
    for urn, ids in known_ids.items():
        ledger.reopen(urn, ids)


def knows(project: str) -> bool:
    """Return whether a part of a Pulumi project exists, was lost, or is being created here."""
    urns = (*(record.urn for record in _records(None)), *(create.urn for create in _creates(None)))
    return any(project_of(urn) == project for urn in urns)


def _records(stack: str | None) -> list[Record]:
    path = sandbox_home() / LEDGER_FILE
    return Ledger(path).all(stack) if path.exists() else []


def _creates(stack: str | None) -> list[PendingCreate]:
    path = sandbox_home() / LEDGER_FILE
    creates = Ledger(path).open_creates() if path.exists() else []
    return [create for create in creates if stack is None or stack_of(create.urn) == stack]


def _is_lost(record: Record, server: lifecycle.ServerState | None) -> bool:
    return record.backend == "moto" and (server is None or record.server != server.start)


def _existing_resource(record: Record, *, unfinished: bool) -> SandboxResource:
    return SandboxResource(
        urn=record.urn,
        type=record.type,
        id=record.id,
        name=record.name,
        stack=record.stack,
        region=record.region,
        backend=record.backend,
        created_at=record.created_at,
        properties=record.properties,
        unfinished=unfinished,
    )


def _unfinished_resource(create: PendingCreate) -> SandboxResource:
    return SandboxResource(
        urn=create.urn,
        type=type_of(create.urn),
        id="unfinished",
        name=name_of(create.urn),
        stack=stack_of(create.urn),
        region="",
        backend="moto",
        created_at=create.started_at,
        properties={},
        unfinished=True,
    )
