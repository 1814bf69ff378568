"""The fix that a search result is: what it settles, and its effect."""

from collections.abc import Iterator

from gpuinfra.fixes.effects import effect
from gpuinfra.fixes.fix import FindingKey, Fix
from gpuinfra.fixes.search_result import SearchResult
from gpuinfra.fixes.trials import TrialOutcome


def fix_of(before: TrialOutcome, chosen: SearchResult) -> Fix:
    """Return the fix of a search result."""
    judged = chosen.outcome.judged
    assert judged is not None  # noqa: S101  an accepted outcome was judged
    noted_findings = _noted_findings(before, chosen.outcome)
    return Fix(
        settled_findings=tuple(_settled_findings(before, chosen.outcome, noted_findings)),
        noted_findings=tuple(sorted(noted_findings)),
        edits=chosen.edits,
        effect=effect(before.judged, judged, chosen.loss),
        passes_check=not chosen.outcome.refusing_findings,
        relock=chosen.outcome.relock,
    )


def _noted_findings(before: TrialOutcome, after: TrialOutcome) -> frozenset[FindingKey]:
    """Return the warnings that stay as notes: what they say holds, and needs no action."""
    warnings = before.open_findings - before.refusing_findings
    return (warnings & after.noted_findings) - after.open_findings


def _settled_findings(
    before: TrialOutcome, after: TrialOutcome, noted_findings: frozenset[FindingKey]
) -> Iterator[FindingKey]:
    """Yield the findings that are gone, first those that refused."""
    gone = before.removed_by(after) - noted_findings
    yield from sorted(gone & before.refusing_findings)
    yield from sorted(gone - before.refusing_findings)
