"""The ledger: a SQLite file of all resources that the plugins made, in any backend."""

import json
import sqlite3
from collections.abc import Collection, Generator, Iterable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from gpuinfra import urns
from gpuinfra.errors import SandboxError

Backend = Literal["moto", "ledger"]

_TABLE = """
CREATE TABLE IF NOT EXISTS resources (
    type TEXT NOT NULL, region TEXT NOT NULL, id TEXT NOT NULL, urn TEXT NOT NULL,
    place TEXT NOT NULL, server TEXT NOT NULL, unique_name TEXT, properties TEXT NOT NULL,
    made TEXT NOT NULL, PRIMARY KEY (type, region, id));
CREATE UNIQUE INDEX IF NOT EXISTS unique_names ON resources (type, unique_name)
    WHERE unique_name IS NOT NULL;
CREATE TABLE IF NOT EXISTS creates (
    urn TEXT NOT NULL PRIMARY KEY, server TEXT NOT NULL, earlier TEXT NOT NULL,
    begun TEXT NOT NULL);
"""
_COLUMNS = "type, region, id, urn, place, server, unique_name, properties, made"


class AlreadyExistsError(Exception):
    """The error for an id or a name that another resource of the type has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An existing resource.

    Attributes:
        server: id of the server start that holds it, empty when it lives in the ledger.
        unique_name: its name with the scope in which no other may have it; None when any may.
        properties: its outputs.
        created_at: when it was first written, ISO 8601 in UTC.
    """

    type: str
    id: str
    urn: str
    region: str
    backend: Backend
    server: str = ""
    unique_name: str | None = None
    properties: dict[str, Any]
    created_at: str = ""

    @property
    def stack(self) -> str:
        """The Pulumi stack of the URN."""
        return urns.stack_of(self.urn)

    @property
    def project(self) -> str:
        """The Pulumi project of the URN."""
        return urns.project_of(self.urn)

    @property
    def name(self) -> str:
        """The logical name of the URN."""
        return urns.name_of(self.urn)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCreate:
    """A create that has begun and whose answer may not have reached the engine.

    Attributes:
        server: id of the server start in which it makes something; empty for the ledger.
        earlier_ids: ids recorded for the URN when it began: they are not its own.
        started_at: ISO 8601 in UTC.
    """

    urn: str
    server: str
    earlier_ids: frozenset[str] = frozenset()
    started_at: str = ""

    def is_made_by_create(self, record: Record) -> bool:
        """Return whether the record is of a resource that this create made."""
        return record.urn == self.urn and record.id not in self.earlier_ids


class Ledger:
    """A ledger file; safe for several processes and threads.

    Raises SandboxError when the file is there and is no ledger.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with self._open() as database:
                database.execute("PRAGMA journal_mode=WAL")
                database.executescript(_TABLE)
        except sqlite3.DatabaseError as error:
            raise SandboxError(
                f"the sandbox's ledger {path} can't be read ({error})",
                fix="`gpuinfra sandbox reset` deletes everything and starts again",
            ) from error

    def keep_open(self) -> None:
        """Keep the file open: SQLite tidies it whenever its last user closes it.

        For a process of many operations; its end is a close.
        """
        self._connection = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
        self._connection.execute("SELECT count(*) FROM resources").fetchone()

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=30)) as database, database:
            # Safe when a process is killed; only a machine that loses power may lose the last.
            database.execute("PRAGMA synchronous=NORMAL")
            yield database

    def put(self, record: Record) -> None:
        """Add a new record; AlreadyExistsError if its id or its unique name exists."""
        try:
            with self._open() as database:
                database.execute(
                    f"INSERT INTO resources ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)",  # noqa: S608
                    _row(record),
                )
        except sqlite3.IntegrityError as error:
            raise AlreadyExistsError(record.unique_name or record.id) from error

    def replace(self, record: Record) -> None:
        """Replace the record with the same type, region and id, or add it."""
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(
                "DELETE FROM resources WHERE type=? AND region=? AND id=?",
                (record.type, record.region, record.id),
            )
            database.execute(
                f"INSERT OR REPLACE INTO resources ({_COLUMNS})"  # noqa: S608
                " VALUES (?,?,?,?,?,?,?,?,?)",
                _row(record),
            )

    def forget(
        self, kind: str, region: str | None, resource_id: str, within: Iterable[Record] = ()
    ) -> None:
        """Remove the record, in any region if None; a missing one is no error.

        The records `within` it go with it, in one step: no reader sees one without the others.
        """
        keys = [(inner.type, inner.region, inner.id) for inner in within]
        with self._open() as database:
            database.executemany(
                "DELETE FROM resources WHERE type=? AND region=coalesce(?, region) AND id=?",
                [*keys, (kind, region, resource_id)],
            )

    def get(self, kind: str, region: str | None, resource_id: str) -> Record | None:
        """Return the record with this id, in any region if None is given; None without one."""
        records = self._select(
            "type=? AND region=coalesce(?, region) AND id=?", kind, region, resource_id
        )
        return records[0] if records else None

    def find_by_name(self, kind: str, unique_name: str) -> Record | None:
        """Return the record with this unique name, or None."""
        records = self._select("type=? AND unique_name=?", kind, unique_name)
        return records[0] if records else None

    def records_of_type(self, kind: str) -> list[Record]:
        """Return all records of a type."""
        return self._select("type=?", kind)

    def all(self, stack: str | None = None) -> list[Record]:
        """Return all records, or those of one stack, oldest first."""
        records = self._select("1 ORDER BY made, rowid")
        return [record for record in records if stack is None or record.stack == stack]

    def lost_records(self, server: str, stack: str | None = None) -> list[Record]:
        """Return the records lost with a server start other than `server`."""
        records = self._select("place='moto' AND server<>?", server)
        return [record for record in records if stack is None or record.stack == stack]

    def records_of_urn(self, urn: str) -> list[Record]:
        """Return all records of one URN; a replacement has two."""
        return self._select("urn=?", urn)

    def mentioning(self, text: str) -> list[Record]:
        """Return all records whose properties contain the text, for example an id."""
        return self._select("instr(properties, ?)", text)

    def begin(self, urn: str, server: str) -> None:
        """Record a create before it begins, so that a crash leaves no unrecorded resource."""
        earlier = sorted(record.id for record in self.records_of_urn(urn))
        begun = datetime.now(UTC).isoformat(timespec="seconds")
        with self._open() as database:
            database.execute(
                "INSERT OR REPLACE INTO creates (urn, server, earlier, begun) VALUES (?,?,?,?)",
                (urn, server, json.dumps(earlier), begun),
            )

    @contextmanager
    def noted_create(self, urn: str, server: str) -> Generator[None]:
        """Record a create while it runs; one that fails leaves no record, one that ends does."""
        self.begin(urn, server)
        try:
            yield
        except BaseException:
            self.settle(urn)
            raise

    def settle(self, urn: str) -> None:
        """Remove the record of a create whose answer the engine has."""
        with self._open() as database:
            database.execute("DELETE FROM creates WHERE urn=?", (urn,))

    def reopen(self, urn: str, known_ids: Collection[str]) -> None:
        """Record a create as open again, if it made a resource whose id the engine does not know.

        An engine that is killed has not written all the answers that it received.
        """
        leftovers = [record for record in self.records_of_urn(urn) if record.id not in known_ids]
        if not leftovers:
            return
        with self._open() as database:
            database.execute(
                "INSERT OR IGNORE INTO creates (urn, server, earlier, begun) VALUES (?,?,?,?)",
                (
                    urn,
                    leftovers[-1].server,
                    json.dumps(sorted(known_ids)),
                    leftovers[-1].created_at,
                ),
            )

    def open_creates(self) -> list[PendingCreate]:
        """Return the creates without an answer to the engine, oldest first."""
        with self._open() as database:
            rows = database.execute(
                "SELECT urn, server, earlier, begun FROM creates ORDER BY rowid"
            ).fetchall()
        return [
            PendingCreate(
                urn=urn,
                server=server,
                earlier_ids=frozenset(json.loads(earlier)),
                started_at=begun,
            )
            for urn, server, earlier, begun in rows
        ]

    def _select(self, condition: str, *values: str | None) -> list[Record]:
        with self._open() as database:
            rows = database.execute(
                f"SELECT {_COLUMNS} FROM resources WHERE {condition}",  # noqa: S608
                values,
            ).fetchall()
        return [_record(row) for row in rows]


def _row(record: Record) -> tuple[Any, ...]:
    return (
        record.type,
        record.region,
        record.id,
        record.urn,
        record.backend,
        record.server,
        record.unique_name,
        json.dumps(record.properties),
        record.created_at or datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _record(row: tuple[Any, ...]) -> Record:
    kind, region, resource_id, urn, place, server, unique_name, properties, created_at = row
    return Record(
        type=kind,
        region=region,
        id=resource_id,
        urn=urn,
        backend=place,
        server=server,
        unique_name=unique_name,
        properties=json.loads(properties),
        created_at=created_at,
    )
