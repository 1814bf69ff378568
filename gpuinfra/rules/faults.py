"""What rules say of the faults that observing a plan has found."""

from collections.abc import Iterable

from gpuinfra.clouds import title
from gpuinfra.clouds.observed_rules import JUDGED, judges
from gpuinfra.model import Fault, Group, Reachability, Unknown, faults_of
from gpuinfra.rules.rule import (
    Check,
    Finding,
    Words,
    each_group,
    fine,
    for_each,
    not_applicable,
    not_knowable,
    violated,
)

Faults = tuple[str, ...] | Unknown
"""What a cloud refuses of something, in words; empty for nothing."""


def faults_check(rule: str, words: Words) -> Check:
    """The check of a rule on what it reports of every group."""
    return for_each(each_group, lambda group: of_group(group, rule, words))


def of_group(group: Group, rule: str, words: Words) -> Finding:
    """Judge what a rule reports of a group; on a cloud that has no such setting it is nothing."""
    finding = reported(group.subject, group.faults, rule, words)
    if finding.outcome == "fine" and group.cloud in JUDGED and not judges(group.cloud, rule):
        return not_applicable(group.subject, f"{title(group.cloud)} has no such setting")
    return finding


def reported(subject: str, faults: Iterable[Fault], rule: str, words: Words) -> Finding:
    """Judge what a rule reports of one row."""
    fixes = dict.fromkeys(fault.fix for fault in faults if fault.rule == rule and fault.fix)
    return faulty(subject, faults_of(faults, rule), words, fix="; ".join(fixes))


def reached(
    subject: str,
    reach: Reachability | None,
    rule: str,
    *,
    unjudged: str,
    unknown: str,
    good: str = "",
) -> Finding:
    """Judge what a cloud says of one row, good and bad; `unjudged` is why it says nothing."""
    if reach is None:
        return not_applicable(subject, unjudged)
    words = Words(good="; ".join(reach.ways) or good, unknown=unknown)
    return reported(subject, reach.faults, rule, words)


def faulty(subject: str, faults: Faults, words: Words, *, fix: str = "") -> Finding:
    """Judge the faults that were found of one subject."""
    if isinstance(faults, Unknown):
        return not_knowable(subject, words.unknown)
    if faults:
        return violated(subject, "; ".join(faults), fix=fix)
    return fine(subject, words.good)
