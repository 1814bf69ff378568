"""What is wrong with a row, and what a row reaches."""

from collections.abc import Iterable

from gpuinfra.model.unknown import UNKNOWN, Unknown
from gpuinfra.records import record


@record
class Fault:
    """Something wrong with a row, for the rule that reports it.

    `rule` is the rule's id, `message` what is wrong in the user's words, `fix` what to change
    where it is not the rule's own fix, and `where` the property or the part of the row that it is
    about, where one is at fault. `known` False: what the rule has to know is not shown, and may be
    wrong.
    """

    rule: str
    message: str = ""
    fix: str = ""
    where: str = ""
    known: bool = True


def faults_of(faults: Iterable[Fault], rule: str) -> tuple[str, ...] | Unknown:
    """Return what a rule reports of a row, each once; UNKNOWN where something may be wrong."""
    own = [fault for fault in faults if fault.rule == rule]
    certain = dict.fromkeys(fault.message for fault in own if fault.known)
    return tuple(certain) if certain or not own else UNKNOWN


@record
class Reachability:
    """What a group's machines reach, and who reaches them, as far as the stack shows it.

    `ways` name in words what is open, for example a NAT gateway; `faults` what is surely closed.
    """

    ways: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
