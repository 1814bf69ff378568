"""`gpuinfra check --write-waivers`: waive today's findings, to adopt an existing stack."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from gpuinfra.cli.new_files import write_errors
from gpuinfra.cli.views.render import note
from gpuinfra.cli.waiver_options import DEFAULT_WAIVER_DAYS, WaiverOptions, missing_option
from gpuinfra.errors import InputError, Problem, printable
from gpuinfra.pulumi_special_values import HIDDEN
from gpuinfra.report import Report
from gpuinfra.rules import RULES, Finding
from gpuinfra.rules.waivers import WAIVER_RULE_ID, last_allowed_day, short_name
from gpuinfra.specs import Waiver
from gpuinfra.stackfile import problems_of
from gpuinfra.stackfile.files import text_in
from gpuinfra.stackfile.list_entries import ListEntry, extend_list
from gpuinfra.units import format_count

KEY: Final = "waivers"
HEAD: Final = "# Accepted findings, each until a date; read by gpuinfra check.\nversion: 1\n"
MAX_NEW_WAIVERS: Final = 2_000
"""The maximum number of waivers per command; each adds a millisecond to later checks."""

_REMARK: Final = 160
_MAX_LISTED_NAMES: Final = 5


@dataclass(frozen=True, kw_only=True)
class WaiverPlace:
    """The file that waivers are written to, and the most days ahead that they may end."""

    path: Path
    max_days: int
    owner: str | None = None


def write(report: Report, waiving: WaiverOptions, waiver_place: WaiverPlace) -> bool:
    """Add a waiver for each failing finding; return whether the file changed.

    Prints findings that can't be waived, and faults of existing waivers.

    Raises:
        InputError: an option is invalid for a waiver, or the file can't be written.
    """
    firm = {rule.id for rule in RULES if rule.firm}
    refusing = [entry.finding for entry in report.failing_findings if entry.finding.refuses]
    waivable = [
        finding
        for finding in refusing
        if finding.rule not in firm and finding.rule != WAIVER_RULE_ID
    ]
    unwaivable = Counter(
        finding.rule
        for finding in refusing
        if finding.rule in firm or finding.rule == WAIVER_RULE_ID
    )
    for rule, count in unwaivable.items():
        reason = "an invalid waiver" if rule == WAIVER_RULE_ID else "can't be waived, fix it"
        note(f"not waived: {count} × {rule}: {reason}")
    added, unnamable = _proposals(waivable, report, _common_fields(report, waiving, waiver_place))
    for subject in unnamable[:_MAX_LISTED_NAMES]:
        note(f"not waived: {printable(subject)[:_REMARK]}: no pattern can match its name")
    if len(unnamable) > _MAX_LISTED_NAMES:
        omitted_count = len(unnamable) - _MAX_LISTED_NAMES
        note(f"not waived: {omitted_count} more findings without a name that a pattern can match")
    if len(added) > MAX_NEW_WAIVERS:
        raise InputError([_too_many(added)])
    if added:
        _add_waivers(waiver_place.path, added)
        note(f"wrote {format_count(len(added), 'waiver')} to {waiver_place.path}")
    else:
        note("no failing finding can be waived: no waiver was written")
    return bool(added)


def _common_fields(report: Report, waiving: WaiverOptions, place: WaiverPlace) -> dict[str, str]:
    """Return the reason, owner and end date of the new waivers.

    Raises:
        InputError: one is missing or invalid.
    """
    owner = waiving.owner or place.owner
    if owner is None:
        raise InputError([missing_option("--owner", "the owner of the waivers", "ml-platform")])
    last = last_allowed_day(report.as_of, place.max_days)
    until = waiving.until or min(last, last_allowed_day(report.as_of, DEFAULT_WAIVER_DAYS))
    fields = {"reason": waiving.reason, "owner": owner, "until": until.isoformat()}
    try:
        Waiver.model_validate({"rule": WAIVER_RULE_ID, "resource": "*", **fields})
    except ValidationError as error:
        raise InputError(problems_of(error, root=Waiver)) from None
    if not report.as_of <= until <= last:
        raise InputError.of(
            "--until is not an allowed date",
            value=until.isoformat(),
            allowed=f"from {report.as_of} to {last}: at most {place.max_days} days ahead",
            fix="use a date in between, or raise most_days of the rule waiver",
        )
    return fields


def _proposals(
    findings: Sequence[Finding], report: Report, fields: Mapping[str, str]
) -> tuple[list[ListEntry], list[str]]:
    """Return a waiver for each rule and subject, and the subjects that no waiver can name."""
    patterns = _patterns(findings, report)
    added: dict[tuple[str, str], ListEntry] = {}
    unnamable: list[str] = []
    for finding in findings:
        key = (finding.rule, finding.subject)
        entry = {"rule": finding.rule, "resource": patterns[key], **fields}
        try:
            Waiver.model_validate(entry)
        except ValidationError:
            unnamable.append(finding.subject)
            continue
        added.setdefault(key, ListEntry(entry, comment_above=printable(finding.message)[:_REMARK]))
    return list(added.values()), unnamable


def _patterns(findings: Sequence[Finding], report: Report) -> dict[tuple[str, str], str]:
    """Return the pattern for each finding's subject: its short name where that is unambiguous."""
    rules = {finding.rule for finding in findings}
    names_by_finding: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in report.entries:
        finding = entry.finding
        if finding.rule in rules:
            for name in report.names(finding.subject):
                names_by_finding[finding.rule, name].add(finding.subject)
    return {
        (finding.rule, finding.subject): _literal(_name(finding, names_by_finding))
        for finding in findings
    }


def _name(finding: Finding, names_by_finding: Mapping[tuple[str, str], set[str]]) -> str:
    subject = finding.subject
    short = short_name(subject) if "::" in subject else subject
    return short if names_by_finding[finding.rule, short] == {subject} else subject


def _literal(name: str) -> str:
    """Return a pattern that matches only this name; hidden parts match anything."""
    visible_parts = name.split(HIDDEN)
    return "*".join(re.sub(r"[*?[]", r"[\g<0>]", part) for part in visible_parts)


def _too_many(added: Sequence[ListEntry]) -> Problem:
    by_rule = Counter(waiver.entry["rule"] for waiver in added).most_common(_MAX_LISTED_NAMES)
    return Problem(
        message=f"{len(added)} waivers at once are too many to review",
        value=", ".join(f"{count} × {rule}" for rule, count in by_rule),
        allowed=f"{MAX_NEW_WAIVERS} waivers at a time",
        fix="waive by patterns, for example resource: web-*, or make a rule advisory for now",
    )


def _add_waivers(path: Path, added: Sequence[ListEntry]) -> None:
    """Add waivers to a file, which is created if absent.

    Raises:
        InputError: it can't be read, edited or written.
    """
    from gpuinfra.atomic_write import write_atomically  # noqa: PLC0415  (writes whole files)

    text = text_in(path, "use a waivers file") if path.exists() else HEAD
    data = extend_list(text, KEY, added).encode("utf-8")
    with write_errors("waivers", path, "set a writable file with --waivers"):
        write_atomically(path, data)
