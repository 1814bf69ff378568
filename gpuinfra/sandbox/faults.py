"""Simulated faults, which make the sandbox refuse, delay or crash; kept in one file."""

import uuid
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from gpuinfra.errors import InputError, Problem
from gpuinfra.sandbox.sandbox_folder import (
    FAULTS_FILE,
    hold_lock,
    read_json,
    sandbox_home,
    write_json,
)

KINDS = (
    "no-capacity",
    "quota",
    "spot-price",
    "launches-fail",
    "unauthorized",
    "not-found-yet",
    "throttling",
    "slow-create",
    "slow-delete",
    "crash",
)
_ONCE = frozenset({"throttling", "not-found-yet"})
_SLOW = frozenset({"slow-create", "slow-delete"})
CAPACITIES = ("on-demand", "spot", "capacity-block", "reserved", "flex-start")

_SLOW_SECONDS = 10.0
_LONGEST_SECONDS = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedFault:
    """A simulated fault.

    Attributes:
        kind: one of KINDS. No-capacity and quota refuse a create or an update that wants machines,
            spot-price one that wants spot machines; launches-fail lets a group of machines be
            made, with none in it, and its create fail; unauthorized refuses every operation;
            not-found-yet lets a create not find what it refers to; a try that is made again
            is another time, of this and of throttling.
        type: only for this Pulumi type, for example ``aws:ec2/instance:Instance``; None for any.
        zone: only for machines in this availability zone; None in any.
        instance_type: only for this machine; None for any.
        capacity: only for machines bought this way, of CAPACITIES; None for any.
        seconds: how long slow-create and slow-delete wait, as a group does whose machines still
            save their run; None until it is added, then 10 s.
        after: how many creates pass before the plugin crashes.
        times: how often it strikes; None until it is cleared.
        id: set when it is added.
    """

    kind: str
    type: str | None = None
    zone: str | None = None
    instance_type: str | None = None
    capacity: str | None = None
    seconds: float | None = None
    after: int = 0
    times: int | None = None
    id: str = ""


def add(fault: InjectedFault) -> InjectedFault:
    """Add a fault, and return it with its id.

    Throttling and not-found-yet without `times` strike once, a crash always does, a slow create or
    delete without `seconds` takes 10; raises InputError when the kind or a value makes no sense.
    """
    _validate(fault)
    happens_once = fault.kind == "crash" or (fault.kind in _ONCE and fault.times is None)
    is_slow = fault.kind in _SLOW and fault.seconds is None
    stored_fault = replace(
        fault,
        id=uuid.uuid4().hex[:8],
        times=1 if happens_once else fault.times,
        seconds=_SLOW_SECONDS if is_slow else fault.seconds,
    )
    with _edit() as faults:
        faults.append(stored_fault)
    return stored_fault


def active_faults() -> list[InjectedFault]:
    """Return the faults that are still active, oldest first."""
    return _load(sandbox_home() / FAULTS_FILE)


def clear(fault_id: str | None = None) -> int:
    """Remove one fault, or all; return how many were removed."""
    with _edit() as faults:
        remaining = [fault for fault in faults if fault_id is not None and fault.id != fault_id]
        gone = len(faults) - len(remaining)
        faults[:] = remaining
    return gone


def take_fault(kind: str, fits: Callable[[InjectedFault], bool]) -> InjectedFault | None:
    """Return the first fault of the kind that fits, counted down; None if there is none.

    A crash with creates to go is counted down and returns None.
    """
    if not (sandbox_home() / FAULTS_FILE).exists():
        return None
    with _edit() as faults:
        for index, fault in enumerate(faults):
            if fault.kind != kind or not fits(fault):
                continue
            if fault.after > 0:
                faults[index] = replace(fault, after=fault.after - 1)
                return None
            if fault.times is None:
                return fault
            remaining = replace(fault, times=fault.times - 1)
            faults[index : index + 1] = [remaining] if remaining.times else []
            return fault
    return None


def _validate(fault: InjectedFault) -> None:
    checks: tuple[tuple[str, bool, str, str], ...] = (
        ("kind", fault.kind in KINDS, fault.kind, ", ".join(KINDS)),
        (
            "capacity",
            fault.capacity in (None, *CAPACITIES),
            str(fault.capacity),
            ", ".join(CAPACITIES),
        ),
        (
            "seconds",
            fault.seconds is None or 0 < fault.seconds <= _LONGEST_SECONDS,
            str(fault.seconds),
            f"above 0, up to {_LONGEST_SECONDS}",
        ),
        ("after", fault.after >= 0, str(fault.after), "0 or more"),
        ("times", fault.times is None or fault.times > 0, str(fault.times), "1 or more"),
    )
    problems = [
        Problem(
            message=f"the {name} of a fault is not accepted",
            path=(name,),
            value=value,
            allowed=allowed,
        )
        for name, fine, value, allowed in checks
        if not fine
    ]
    if problems:
        raise InputError(problems)


@contextmanager
def _edit() -> Generator[list[InjectedFault]]:
    path = sandbox_home() / FAULTS_FILE
    with hold_lock(path):
        faults = _load(path)
        before = list(faults)
        yield faults
        if faults != before:
            write_json(path, [asdict(fault) for fault in faults])


def _load(path: Path) -> list[InjectedFault]:
    return [_fault(item) for item in read_json(path) or ()]


def _fault(item: Mapping[str, Any]) -> InjectedFault:
    known = {field.name for field in fields(InjectedFault)}
    return InjectedFault(**{key: value for key, value in item.items() if key in known})
