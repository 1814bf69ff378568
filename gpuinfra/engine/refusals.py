"""The translation of a cloud's error code into a reason and a fix, from a sourced table."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

from gpuinfra.engine import missing_permission
from gpuinfra.engine.contract import Diagnostic
from gpuinfra.errors import Refusal
from gpuinfra.records import record
from gpuinfra.units.message_merging import first_in_words
from gpuinfra.urns import name_of, type_of

_PROCESS_DIED = "ProviderDied"
UNKNOWN_FIX = "correct what the message names, then run the same command again"
UNANSWERED_FIX = (
    "use a resource that the target supports, or handle the failure in the program; "
    "nothing after it was checked"
)
_NOISE = (
    re.compile(r"\bsdk-v2/provider2\.go:\d+:\s*"),
    re.compile(r"^\s*\* ", re.MULTILINE),
    re.compile(r"^(?:error: )?(?:creating|updating|deleting) urn:\S+:\s*", re.MULTILINE),
    re.compile(r"^(?:error: )?\d+ errors? occurred:\s*", re.MULTILINE),
)
_INCOMPLETE_FLEET = re.compile(r"(?P<workload>[\w-]+): the fleet \S+ has \S+ of \d+ machines")
"""The program's message about a fleet that was created without all machines; no cloud reports it
as an error."""

_INVOKE = re.compile(r"invoke of (?P<token>[\w./:-]+) failed:?\s*(?P<why>.*)", re.DOTALL)


@record
class RefusalRow:
    """A row of the table: a code, its meaning, the fix, and the source.

    Attributes:
        other_codes: other codes that mean the same.
        patterns: patterns of messages that mean the code without naming it.
        reported_once: it is told once for all resources that it struck.
        another_rung: machines bought otherwise, or elsewhere, can help.
        quota: a quota is too small.
        missing_right: a right is missing, which the message may name.
        says_why: the message itself says in plain words why.
    """

    code: str
    why: str
    fix: str
    source: str
    as_of: str
    other_codes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    reported_once: bool = False
    another_rung: bool = False
    quota: bool = False
    missing_right: bool = False
    says_why: bool = False


@record
class Circumstance:
    """A condition that applies besides the cause if the message matches."""

    pattern: str
    why: str
    fix: str
    source: str


@cache
def table() -> tuple[RefusalRow, ...]:
    """Return every refusal in the table, in the order in which they are searched."""
    text = (resources.files("gpuinfra.engine") / "data" / "refusals.toml").read_text("utf-8")
    return (*_rows(tomllib.loads(text)), *_rows(missing_permission.table()))


@cache
def circumstances() -> tuple[Circumstance, ...]:
    """Return the conditions that may apply regardless of the cause."""
    return tuple(Circumstance(**row) for row in missing_permission.table()["circumstances"])


def _rows(data: Any) -> Iterator[RefusalRow]:
    for row in data["refusals"]:
        lists = {key: tuple(row.get(key, ())) for key in ("other_codes", "patterns")}
        yield RefusalRow(**({"source": data["source"], "as_of": data["as_of"]} | row | lists))


def another_rung_helps(code: str) -> bool:
    """Return whether machines of another capacity type or region may help; unknown codes may."""
    row_of_code = next((row for row in table() if row.code == code), None)
    return row_of_code is None or row_of_code.another_rung


def workload_without_machines(reason: str) -> str:
    """Return the workload whose fleet lacks machines, from the program's message; else empty."""
    match = _INCOMPLETE_FLEET.search(reason)
    return match["workload"] if match else ""


def is_quota(code: str) -> bool:
    """Return whether a code means that a quota is too small."""
    return any(row.code == code and row.quota for row in table())


def is_lost_process(message: str) -> bool:
    """Return whether a gRPC message says that the process at the other end has ended."""
    refusal_row = _row_for(message)
    return refusal_row is not None and refusal_row.code == _PROCESS_DIED


def translate(diagnostics: Iterable[Diagnostic]) -> tuple[Refusal, ...]:
    """Return the refusals among the errors of resources, each resource's code once.

    A cause that struck many resources at once is told once, with all their names.
    """
    by_code: dict[tuple[str, str], Refusal] = {}
    struck: dict[str, dict[str, None]] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity != "error" or not diagnostic.urn:
            continue
        refusal_row = _row_for(diagnostic.message)
        if refusal_row is not None and refusal_row.reported_once:
            names = struck.setdefault(refusal_row.code, {})
            names[subject(diagnostic.urn)] = None
            by_code[refusal_row.code, ""] = _combined_refusal(
                refusal_row, tuple(names), diagnostic.urn
            )
        else:
            refusal = explain(diagnostic.message, diagnostic.urn)
            by_code.setdefault((refusal.urn, refusal.code or refusal.why), refusal)
    return tuple(by_code.values())


def explain(message: str, urn: str = "") -> Refusal:
    """Return the explanation of a refusal; for an unknown code, the provider's message."""
    explained = missing_permission.without_code(clean_message(message))
    row = _row_for(message)
    besides = list(_matching_circumstances(message))
    why = [*([row.why] if row else ()), *(circumstance.why for circumstance in besides)]
    fix = row.fix if row else UNKNOWN_FIX
    if row is not None and row.missing_right:
        fix = missing_permission.fix(message) or fix
    return Refusal(
        what=subject(urn),
        why=f"{'; '.join(why)} ({explained})" if why else explained,
        fix="; ".join((fix, *(circumstance.fix for circumstance in besides))),
        code=row.code if row else "",
        urn=urn,
    )


def unanswered_call_refusal(message: str) -> Refusal | None:
    """Return the refusal of an invoke (a program's call to a provider); None if there is none."""
    match = _INVOKE.search(message)
    if match is None:
        return None
    why = clean_message(match["why"]).splitlines()[0] if match["why"].strip() else "no answer"
    refusal_row = _row_for(why)
    if refusal_row is not None and refusal_row.says_why:
        why = why.removeprefix(f"{refusal_row.code}: ").replace(match["token"], "it")
    elif refusal_row is not None:
        why = f"{refusal_row.why} ({why})"
    return Refusal(
        what=f"the call {match['token']}",
        why=why,
        fix=refusal_row.fix if refusal_row else UNANSWERED_FIX,
        code=refusal_row.code if refusal_row else "",
    )


def subject(urn: str) -> str:
    """Return a resource's type and name from its URN."""
    return f"{type_of(urn)} {name_of(urn)}" if urn else "the stack"


def clean_message(message: str) -> str:
    """Return a provider's message without internal details, on few lines."""
    for noise in _NOISE:
        message = noise.sub("", message)
    return "\n".join(line.strip() for line in message.splitlines() if line.strip())


def _matching_circumstances(message: str) -> Iterator[Circumstance]:
    """Yield the conditions that a message matches, with its words filled in."""
    for circumstance in circumstances():
        match = re.search(circumstance.pattern, message)
        if match is not None:
            matched = match.groupdict()
            yield replace(
                circumstance,
                why=circumstance.why.format(**matched),
                fix=circumstance.fix.format(**matched),
            )


def _row_for(message: str) -> RefusalRow | None:
    return next((row for row in table() if _matches_row(message, row)), None)


def _matches_row(message: str, row: RefusalRow) -> bool:
    names_code = (
        rf"(?<![A-Za-z]){re.escape(code)}(?![A-Za-z])" for code in (row.code, *row.other_codes)
    )
    return any(re.search(pattern, message) for pattern in (*names_code, *row.patterns))


def _combined_refusal(row: RefusalRow, names: tuple[str, ...], urn: str) -> Refusal:
    """Return one refusal for several resources; its URN is that of the last one."""
    all_of_them = f": {', '.join(names)}" if len(names) > 1 else ""
    return Refusal(
        what=first_in_words(names, 1),
        why=f"{row.why}{all_of_them}",
        fix=row.fix,
        code=row.code,
        urn=urn,
    )
