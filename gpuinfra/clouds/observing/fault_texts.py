"""The texts of faults that clouds report: combined faults, and impossible sizes."""

from collections.abc import Iterable

from gpuinfra.model import UNKNOWN, Fault, Known, Reachability, Unknown
from gpuinfra.records import record


@record(kw_only=False)
class FixableFault:
    """What is wrong, in words, and its own fix."""

    message: str
    fix: str


Remark = tuple[bool, str | FixableFault]
"""A message, and whether it is good (True) or a fault (False), which may have its own fix."""

Check = tuple[Known, str]
"""Whether a check fails, and what is wrong then."""


def rule_faults(
    rule: str, messages: Iterable[str] | Unknown, *, fix: str = ""
) -> tuple[Fault, ...]:
    """Return a rule's faults, one per distinct message; UNKNOWN is one fault not yet known.

    Args:
        rule: the rule's id.
        messages: what is wrong, in words.
        fix: the fix, where it is not the rule's own.
    """
    if isinstance(messages, Unknown):
        return (Fault(rule=rule, is_certain=False),)
    distinct_messages = dict.fromkeys(messages)
    if not distinct_messages:
        return ()  # as mostly, and this runs for each rule and resource
    return tuple(Fault(rule=rule, message=message, fix=fix) for message in distinct_messages)


def reach_from(rule: str, findings: Iterable[Remark]) -> Reachability:
    """Return the good findings as facts, each once, and the others as faults of a rule."""
    findings = tuple(findings)
    return Reachability(
        open_paths=tuple(dict.fromkeys(str(open_path) for good, open_path in findings if good)),
        faults=tuple(dict.fromkeys(_fault(rule, fault) for good, fault in findings if not good)),
    )


def blocked(message: str, fix: str) -> Remark:
    """Return the remark about a fault with its own fix."""
    return False, FixableFault(message, fix)


def _fault(rule: str, fault: str | FixableFault) -> Fault:
    if isinstance(fault, FixableFault):
        return Fault(rule=rule, message=fault.message, fix=fault.fix)
    return Fault(rule=rule, message=fault)


def joined_faults(*faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults of all, each once."""
    return tuple(dict.fromkeys(fault for fault_list in faults for fault in fault_list))


def size_faults(
    minimum: int | Unknown | None, maximum: int | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Return the fault that every cloud refuses: a minimum above the maximum."""
    if isinstance(minimum, Unknown) or isinstance(maximum, Unknown):
        return UNKNOWN
    if minimum is None or maximum is None or minimum <= maximum:
        return ()
    return (f"a minimum of {minimum} machines with a maximum of {maximum} is impossible",)


def faults_of_checks(checks: Iterable[Check]) -> tuple[str, ...] | Unknown:
    """Return the messages of checks that surely fail, each once; UNKNOWN where one only may."""
    judged = tuple(checks)
    certain = dict.fromkeys(message for fact, message in judged if fact is True)
    return tuple(certain) or (UNKNOWN if any(fact is UNKNOWN for fact, _ in judged) else ())


def all_faults(*parts: tuple[str, ...] | Unknown) -> tuple[str, ...] | Unknown:
    """Return all certain faults, each once; UNKNOWN where there are only possible ones."""
    certain = dict.fromkeys(
        fault_text for part in parts if not isinstance(part, Unknown) for fault_text in part
    )
    return tuple(certain) or (UNKNOWN if UNKNOWN in parts else ())
