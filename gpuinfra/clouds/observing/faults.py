"""What clouds refuse, in words: of several kinds together, and of how many machines there are."""

from collections.abc import Iterable

from gpuinfra.model import UNKNOWN, Fault, Reachability, Unknown

Remark = tuple[bool, str]
"""Whether something is as it should be, and what it is, in words."""


def refused(rule: str, messages: Iterable[str] | Unknown, *, fix: str = "") -> tuple[Fault, ...]:
    """Return what a rule reports, each once, from its words; UNKNOWN where something may be wrong.

    Args:
        rule: the rule's id.
        messages: what is wrong, in words.
        fix: the way out, where it is not the rule's own.
    """
    if isinstance(messages, Unknown):
        return (Fault(rule=rule, known=False),)
    every = dict.fromkeys(messages)
    # Mostly there is none, and this runs for each rule and resource.
    return tuple(Fault(rule=rule, message=words, fix=fix) for words in every) if every else ()


def reach_from(rule: str, findings: Iterable[Remark]) -> Reachability:
    """Return what is as it should be, each once, and the rest as what a rule reports."""
    findings = tuple(findings)
    return Reachability(
        ways=tuple(dict.fromkeys(words for good, words in findings if good)),
        faults=refused(rule, (words for good, words in findings if not good)),
    )


def joined_faults(*faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return all faults of several, each once."""
    return tuple(dict.fromkeys(fault for each in faults for fault in each))


def impossible(
    least: int | Unknown | None, most: int | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Name what every cloud refuses: more machines at least than at most."""
    if isinstance(least, Unknown) or isinstance(most, Unknown):
        return UNKNOWN
    if least is None or most is None or least <= most:
        return ()
    return (f"a minimum of {least} machines with a maximum of {most} is impossible",)


def all_faults(*parts: tuple[str, ...] | Unknown) -> tuple[str, ...] | Unknown:
    """Return all that is surely wrong, each once; UNKNOWN where only something may be."""
    certain = dict.fromkeys(
        words for part in parts if not isinstance(part, Unknown) for words in part
    )
    return tuple(certain) or (UNKNOWN if UNKNOWN in parts else ())
