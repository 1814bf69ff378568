"""The faults of a row, and its reachability."""

from collections.abc import Iterable

from gpuinfra.model.unknown import UNKNOWN, Unknown
from gpuinfra.records import record


@record
class Fault:
    """A fault of a row, for the rule that reports it.

    `rule` is the rule's id, `message` what is wrong in the user's words, `fix` what to change
    where it is not the rule's own fix, and `location` the property or the part of the row that it
    is about, where one is at fault. `is_certain` False: what the rule has to know is not shown,
    and may be wrong.
    """

    rule: str
    message: str = ""
    fix: str = ""
    location: str = ""
    is_certain: bool = True


def faults_of(faults: Iterable[Fault], rule: str) -> tuple[str, ...] | Unknown:
    """Return a rule's faults of a row, each once; UNKNOWN where only possible faults are there."""
    return fault_messages(fault for fault in faults if fault.rule == rule)


def fault_messages(faults: Iterable[Fault]) -> tuple[str, ...] | Unknown:
    """Return the messages of certain faults, each once; UNKNOWN where there are only others."""
    listed = tuple(faults)
    certain = dict.fromkeys(fault.message for fault in listed if fault.is_certain)
    return tuple(certain) if certain or not listed else UNKNOWN


@record
class Reachability:
    """The destinations that a group's machines reach, and their clients, as far as known.

    `open_paths` name in words what is open, for example a NAT gateway; `faults` what is surely
    closed.
    """

    open_paths: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
