"""The proposed fixes on the page: each once, with its edits, its costs and what it takes away."""

from collections.abc import Iterator

from gpuinfra.errors import lock_update
from gpuinfra.fixes import Fix, Span
from gpuinfra.fixes.fix import edits_in_words, with_plain_json, without_repeated_fixes
from gpuinfra.records import record
from gpuinfra.report.report import Report, cut


@record
class ProposedFix:
    """A fix as the page shows it.

    Attributes:
        rules: the rules that it settles.
        passes: whether the check passes with it.
        edits: in words.
        costs: the maximum costs that change: the unit, and the new one beside the old one.
        losses: what it takes away.
        notes: what else is different with it.
    """

    rules: tuple[str, ...]
    passes: bool
    edits: tuple[str, ...]
    costs: tuple[tuple[str, str], ...]
    losses: tuple[str, ...]
    notes: tuple[str, ...]


def proposals(report: Report) -> Iterator[ProposedFix]:
    """Yield the proposed fixes; first those that take nothing away."""
    fixes = without_repeated_fixes(report.fixes)
    for fix in sorted(fixes, key=lambda fix: bool(fix.effect.losses)):
        yield ProposedFix(
            rules=tuple(dict.fromkeys(rule for rule, _ in fix.settled_findings)),
            passes=fix.passes_check,
            edits=tuple(map(cut, map(with_plain_json, edits_in_words(fix.edits)))),
            costs=tuple(_costs(fix)),
            losses=fix.effect.losses,
            notes=tuple(_notes(fix)),
        )


def _costs(fix: Fix) -> Iterator[tuple[str, str]]:
    effect = fix.effect
    spans = (("hour", effect.per_hour), ("month", effect.per_month), ("run", effect.per_run))
    for unit, span in spans:
        if span is not None and _is_changed(span):
            yield f"per {unit}", span.maximum_text


def _is_changed(span: Span) -> bool:
    return span.before is None or span.before != span.after


def _notes(fix: Fix) -> Iterator[str]:
    effect = fix.effect
    if effect.expected is not None:
        yield effect.expected.expected_words
    yield from (str(change) for change in effect.fabric if change.before != change.after)
    yield from effect.changes
    yield from effect.assumptions
    if fix.relock:
        yield f"the lock no longer matches: then `{lock_update()}`"
