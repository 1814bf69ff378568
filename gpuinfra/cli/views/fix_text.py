"""The text of fixes: beside a table, and with `--fix`, their effects and what has none."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpuinfra.errors import lock_update
from gpuinfra.fixes import Fix, Proposal
from gpuinfra.fixes.fix import edits_in_words, with_plain_json, without_repeated_fixes
from gpuinfra.fixes.program_edits import WRITERS
from gpuinfra.lock import FILE_NAME
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import Finding
from gpuinfra.units import format_count
from gpuinfra.urns import name_of


def lines(
    fixes: Sequence[Fix], *, ok: bool, writing_hint: str, runtime: str = ""
) -> Iterator[str]:
    """Yield lines for each fix, and how they are written.

    A fix of what a larger one settles is left out, and what gives nothing up comes first.

    Args:
        fixes: the proposed fixes.
        ok: whether nothing refuses.
        writing_hint: the command that looks further; empty where it ran.
        runtime: of the source, a program; edits of one in Python, TypeScript or YAML are spelt so.
    """
    write_as_code = WRITERS.get(runtime)
    for fix in sorted(without_repeated_fixes(fixes), key=lambda fix: bool(fix.effect.losses)):
        edits_text = edits_in_words(fix.edits, write_as_code or str)
        is_list = bool(fix.edits[0].resource) and (
            write_as_code is not None or len(edits_text) > 1
        )
        passes = fix.passes_check and not ok
        head = "the check passes with" if passes else _untried(fix, is_list=is_list)
        if is_list:
            yield f"{head} ({fix.effect}):"
            yield from (f"  {_spelt(edit, runtime)}" for edit in edits_text)
        else:
            yield f"{head} {fix.with_effect(_spelt(fix.change, runtime))}"
    if fixes and not ok and writing_hint:
        writes = "" if fixes[0].edits[0].resource else ", and write them"
        yield f"look further for edits{writes}: {writing_hint}"


def _spelt(text: str, runtime: str) -> str:
    """Return an edit as it is written in a program of a runtime."""
    if runtime in WRITERS:
        return text
    return with_plain_json(text, _as_json_function if runtime == "yaml" else None)


def _as_json_function(document: Any) -> str:
    """Return a document as a mapping that a program in YAML writes as JSON: it can be pasted.

    https://www.pulumi.com/docs/iac/languages-sdks/yaml/yaml-language-reference/
    """
    return json.dumps({"fn::toJSON": document}, ensure_ascii=False)


def _untried(fix: Fix, *, is_list: bool) -> str:
    """Return the start of a line about a fix that is not written: its rules, and what to do.

    `is_list`: its edits follow, each on a line of its own.
    """
    names = tuple(dict.fromkeys(rule for rule, _ in fix.settled_findings))
    rules = f"{', '.join(names)}: to fix {'them' if names[1:] else 'it'}"
    if is_list:
        return rules
    if any(edit.resource for edit in fix.edits):
        return f"{rules},{'' if fix.edits[0].adds_resource else ' change'}"
    if fix.edits[0].after is None:
        return f"{rules},"
    only_adds = all(edit.before is None for edit in fix.edits)
    return f"{rules}, {'add' if only_adds else 'write'}"


def stop_text(proposal: Proposal) -> str:
    """Return that a search was stopped before its end."""
    trials = format_count(proposal.trial_count, "trial")
    return f"the search was stopped after {trials}: a better fix may exist"


def unfixed_lines(proposal: Proposal, findings: Sequence[Finding] = ()) -> Iterator[str]:
    """Yield a line for each finding without a fix, with the change that the finding suggests."""
    general = {rule.id: rule.fix_on(None) for rule in RULES}
    fix_by_finding = {(finding.rule, finding.subject): finding.fix for finding in findings}
    for rule, subject in proposal.unfixed_findings:
        name = name_of(subject)
        known_fix = fix_by_finding.get((rule, subject)) or general.get(rule)
        fix_text = f"; {known_fix}" if known_fix else ""
        yield f"no edit was found for {rule} of {name}, {proposal.trial_count} tried{fix_text}"


def _names_of(findings: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{rule} ({subject})" for rule, subject in findings)


def effect_lines(fix: Fix, path: Path) -> Iterator[str]:
    """Yield lines with the findings that a fix settles, and its effects."""
    yield f"fixes: {_names_of(fix.settled_findings)}"
    if fix.noted_findings:
        yield f"only noted from then on: {_names_of(fix.noted_findings)}"
    effect = fix.effect
    spans = (("hour", effect.per_hour), ("month", effect.per_month), ("run", effect.per_run))
    yield from (f"per {unit}: {span.maximum_text}" for unit, span in spans if span is not None)
    if effect.expected is not None:
        yield effect.expected.expected_words
    yield from map(str, effect.fabric)
    yield from effect.changes
    yield from (f"you lose: {loss}" for loss in effect.losses)
    yield from effect.assumptions
    if fix.relock:
        update_command = lock_update(path)
        yield f"{FILE_NAME} will no longer match; write it again: {update_command}"
