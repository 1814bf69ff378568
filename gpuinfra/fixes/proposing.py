"""Fixes for what a check refuses: of each finding, and one with which the whole passes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gpuinfra.fixes.effects import effect
from gpuinfra.fixes.loss import Wishes
from gpuinfra.fixes.options import Dimension
from gpuinfra.fixes.search import Accept, Found, Search
from gpuinfra.fixes.trials import Outcome, Trials
from gpuinfra.fixes.values import Fix, Key, Proposal

QUICK: Final = 60
"""Trials beside a table: some milliseconds each."""

THOROUGH: Final = 600
"""Trials of `--fix`."""

MOST_EDITS: Final = 3
QUICK_EDITS: Final = 2
WIDE: Final = 8
"""How many values of one dimension are tried beside a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is wrong, what may be changed, and how hard to look.

    Attributes:
        before: what the stack comes to now.
        wishes: what was asked for, by workload.
        dimensions: what may be changed, the likeliest first.
        trials: what tries edits.
        most: how many changes are tried together at most.
        advised: whether to look for fixes of what does not refuse, too.
    """

    before: Outcome
    wishes: Wishes
    dimensions: Sequence[Dimension]
    trials: Trials
    most: int = MOST_EDITS
    advised: bool = False


@dataclass
class _Gathered:
    """The fixes so far, by their edits."""

    fixes: dict[tuple[str, ...], Fix] = field(default_factory=dict)
    without: list[Key] = field(default_factory=list)


def propose(asked: Asked) -> Proposal:
    """Look for the smallest edits: one that passes the whole check, and one for each finding."""
    search = Search(asked.dimensions, asked.trials, asked.wishes)
    found = _refusing(asked, search) if asked.before.refuses else Proposal()
    advised = tuple(_advised(asked, search, found)) if asked.advised else ()
    return replace(found, advised=advised, tried=asked.trials.tried, stopped=asked.trials.stopped)


def _advised(asked: Asked, search: Search, found: Proposal) -> Iterator[Fix]:
    """One change for each finding that is only advised, if that takes nothing away."""
    settled = {key for fix in found.fixes for key in fix.settles}
    for key in sorted(asked.before.bad - asked.before.refuses - settled):
        one = search.smallest(settles(asked.before, (key,)), 1)
        if one is not None and not one.loss.amount:
            yield fix_of(asked.before, one)


def _refusing(asked: Asked, search: Search) -> Proposal:
    before = asked.before
    targets = sorted(before.refuses)
    whole = search.smallest(settles(before, targets), 1)
    gathered = _Gathered()
    parts: dict[Key, Found] = {}
    if asked.most > 1 and (whole is None or whole.loss.amount):
        if len(targets) == 1:
            more = search.smallest(settles(before, targets), asked.most, 2, full=whole is not None)
            whole = _better(whole, more)
        else:
            parts = _parts(asked, search, targets)
            whole = _better(whole, _joined(asked, search, targets, parts))
    if whole is not None:
        _add(gathered, fix_of(before, whole))
    for key in targets:
        if key in parts:
            _add(gathered, fix_of(before, parts[key]))
        elif whole is None:
            gathered.without.append(key)
    return Proposal(fixes=tuple(gathered.fixes.values()), without=tuple(gathered.without))


def settles(before: Outcome, targets: Sequence[Key]) -> Accept:
    """Accepts what no longer has these findings, and none that was not there before."""
    gone = frozenset(targets)
    planned = before.judged is not None

    def accept(after: Outcome) -> bool:
        new = after.bad - before.bad if planned else after.refuses
        hidden = before.holds - after.holds or (planned and after.unjudged - before.unjudged)
        judged = after.judged is not None and not hidden
        return judged and gone.isdisjoint(after.bad) and not new

    return accept


def _parts(asked: Asked, search: Search, targets: Sequence[Key]) -> dict[Key, Found]:
    """The smallest edits for each finding alone."""
    found = {
        key: search.smallest(settles(asked.before, (key,)), min(asked.most, 2)) for key in targets
    }
    return {key: one for key, one in found.items() if one is not None}


def _joined(
    asked: Asked, search: Search, targets: Sequence[Key], parts: dict[Key, Found]
) -> Found | None:
    """Edits with which the whole passes: the parts together, or a smaller set."""
    accept = settles(asked.before, targets)
    together = None
    if len(parts) == len(targets):
        every = {str(one.edits): one for found in parts.values() for one in found.options}
        options = tuple(every.values())
        together = search.thinned(options, accept)
    most = asked.most if together is None else min(asked.most, len(together.options))
    return _better(together, search.smallest(accept, most, 2))


def _better(one: Found | None, other: Found | None) -> Found | None:
    return min((it for it in (one, other) if it), key=lambda it: it.rank, default=None)


def _add(gathered: _Gathered, fix: Fix) -> None:
    gathered.fixes.setdefault(tuple(sorted(map(str, fix.edits))), fix)


def fix_of(before: Outcome, found: Found) -> Fix:
    """A fix, from what was found."""
    judged = found.outcome.judged
    assert judged is not None  # noqa: S101  an accepted outcome was judged
    return Fix(
        settles=tuple(_settled(before, found.outcome)),
        edits=found.edits,
        effect=effect(before.judged, judged, found.loss),
        whole=not found.outcome.refuses,
        relock=found.outcome.relock,
    )


def _settled(before: Outcome, after: Outcome) -> Iterator[Key]:
    """What goes, what refuses first."""
    gone = before.bad - after.bad
    yield from sorted(gone & before.refuses)
    yield from sorted(gone - before.refuses)
