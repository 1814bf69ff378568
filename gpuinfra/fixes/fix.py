"""A fix: its edits, the findings that it settles, and its effect on cost and machines."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from gpuinfra.errors import PathPart, lock_update
from gpuinfra.fixes.spans import UNCHANGED, ExpectedSpan, Span
from gpuinfra.fixes.value_text import DATA_MOVE_NOTE, cut, property_of, value_line
from gpuinfra.records import record
from gpuinfra.units import format_count
from gpuinfra.urns import name_of

Path = tuple[PathPart, ...]

FindingKey = tuple[str, str]
"""A finding, by its rule and its subject."""

Identity = tuple[str, str, Path, str]
"""The identity of an edit."""

MAX_OLD_VALUE_LENGTH: Final = 60
LONGEST_NEW: Final = 400
"""The maximum shown lengths of an old and a new value; --json has the full values."""


@record
class Edit:
    """A new value in the stack file or, where `resource` is given, in a program.

    Attributes:
        path: into the stack file, or into the resource's inputs; empty for all of a resource that
            is to be added or removed.
        before: the current value, None where there is none.
        after: the value to write; None removes the key.
        resource: the resource's URN, also where one is added; empty for a stack file.
        type: the resource's type.
        is_inside: whether the property that `path` starts with has other values.
    """

    path: Path
    before: Any
    after: Any
    resource: str = ""
    type: str = ""
    is_inside: bool = False

    def __str__(self) -> str:
        new = cut(value_line(self.after), LONGEST_NEW)
        if not self.resource:
            path = ".".join(map(str, self.path))
            return f"{f'remove {path}' if self.after is None else f'{path}: {new}'}{self._now}"
        name = name_of(self.resource)
        if self.removes_resource:
            return f"{self.type} `{name}`: remove it"
        if not self.path:
            return f"add {self.type} for `{name}`: {new}"
        return f"{self.change_at(property_of(self.path))}{self._now}"

    def change_at(self, place: str) -> str:
        """Return the new value of a resource's property, as text."""
        new = cut(value_line(self.after), LONGEST_NEW)
        change = f"remove {place}" if self.after is None else f"{place} = {new}"
        return f"{self.type} `{self.resource.rpartition('::')[2]}`: {change}"

    @property
    def identity(self) -> Identity:
        """The target and the new value; two edits may look alike as text."""
        return (self.resource, self.type, self.path, repr(self.after))

    @property
    def adds_resource(self) -> bool:
        """Whether the edit adds a resource."""
        return not self.path and self.after is not None

    @property
    def removes_resource(self) -> bool:
        """Whether the edit removes the resource."""
        return not self.path and self.after is None

    @property
    def target_path(self) -> tuple[str, str, str]:
        """The target of the edit, without the index of a list entry."""
        return (self.resource, self.type, property_of(self.path, each=True))

    @property
    def _now(self) -> str:
        old = cut(value_line(self.before), MAX_OLD_VALUE_LENGTH)
        return "" if self.before is None else f", now {old}"


@record
class FabricChange:
    """The fabric verdict of one group before and after, as text; None where it needs none."""

    group: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"fabric of {self.group}: {self.after}"
        if self.before == self.after:
            return f"fabric of {self.group} {UNCHANGED}: {self.after}"
        return f"fabric of {self.group}: {self.after or 'no proof needed'}, was {self.before}"


@record
class Effect:
    """The effect of edits on the maximum cost, the fabric, machines and locations.

    `losses` says in words what is less than the file asks for now; empty for nothing.
    `expected` is per hour what is expected rather than the most, where machines are bought
    otherwise and the most is the same. `assumptions` are those of the figures, for example how
    long a run takes on slower machines, and what is different though nothing is less than asked.
    """

    per_hour: Span
    per_month: Span
    per_run: Span | None
    fabric: tuple[FabricChange, ...] = ()
    changes: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    expected: ExpectedSpan | None = None
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [self.per_hour.text("h")]
        if self.per_hour.before == self.per_hour.after:
            other_spans = ((self.per_month, "month"), (self.per_run, "run"))
            texts = (
                span.text(unit) for span, unit in other_spans if span and span.before != span.after
            )
            parts = [next(texts, parts[0])]
        if self.expected is not None:
            parts = ["same maximum cost" if parts == [self.per_hour.text("h")] else parts[0]]
            parts.append(self.expected.expected_words)
        parts += _fabric_words(self.fabric)
        moves = (change for change in self.changes if change.endswith(DATA_MOVE_NOTE))
        parts += (*self.assumptions, *moves)
        if self.losses:
            parts.append(f"you lose {', '.join(_losses_by_workload(self.losses))}")
        return "; ".join(parts)


def _losses_by_workload(losses: Sequence[str]) -> Iterator[str]:
    """Yield losses, each workload named once, before its first: `chat: 50% of the GPUs`."""
    losses_by_name: dict[str, list[str]] = {}
    for loss in losses:
        workload, colon, _ = loss.partition(": ")
        losses_by_name.setdefault(workload if colon else "", []).append(loss)
    for workload, its_losses in losses_by_name.items():
        first, *other_losses = its_losses
        yield first
        yield from (
            loss.removeprefix(f"{workload}: ") if workload else loss for loss in other_losses
        )


def _fabric_words(changes: Sequence[FabricChange]) -> Iterator[str]:
    """Yield the fabric changes group by group; several unchanged groups are only counted."""
    unchanged = [change for change in changes if change.before == change.after]
    counted_changes = unchanged if len(unchanged) > 1 else ()
    yield from (str(change) for change in changes if change not in counted_changes)
    if counted_changes:
        yield f"fabric of {format_count(len(counted_changes), 'group')} {UNCHANGED}"


@record
class Fix:
    """The smallest edits that were found for findings.

    Attributes:
        settled_findings: the findings that go, by rule and subject.
        edits: what is to be written.
        effect: what else changes with it.
        passes_check: whether the check passes; else it settles its findings and makes no other.
        noted_findings: the warnings that are only noted then.
        relock: whether the lock beside the stack file must be rewritten.
    """

    settled_findings: tuple[FindingKey, ...]
    edits: tuple[Edit, ...]
    effect: Effect
    passes_check: bool
    noted_findings: tuple[FindingKey, ...] = ()
    relock: bool = False

    @property
    def rule(self) -> str:
        """The rule of the first finding that it settles."""
        return self.settled_findings[0][0]

    @property
    def subject(self) -> str:
        """The subject of the first finding that it settles."""
        return self.settled_findings[0][1]

    @property
    def change(self) -> str:
        """The edits as text."""
        return "; ".join(edits_in_words(self.edits))

    def __str__(self) -> str:
        return self.with_effect(with_plain_json(self.change))

    def with_effect(self, change: str) -> str:
        """Return the edits, however they are spelt, with their effect."""
        lock = f"; then {lock_update()}" if self.relock else ""
        return f"{change} ({self.effect}{lock})"


def with_plain_json(text: str, write: Callable[[Any], str] | None = None) -> str:
    """Return a text with each quoted JSON document in it, for example a policy, as `write` has it.

    By default that is the document itself, without quotes and escapes.
    """

    def replacement(quoted: re.Match[str]) -> str:
        try:
            document = json.loads(json.loads(quoted[0]))
        except ValueError:
            return quoted[0]
        return write(document) if write else json.dumps(document, ensure_ascii=False)

    return _JSON_TEXT.sub(replacement, text)


_JSON_TEXT: Final = re.compile(r'"\{(?:[^"\\]|\\.)*\}"')
"""A quoted JSON document."""


def without_repeated_fixes(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """Return the fixes without those whose findings an earlier or a larger fix settles, too."""
    keys = [frozenset(fix.settled_findings) for fix in fixes]

    def is_repeated(index: int) -> bool:
        return any(
            keys[index] < other or (keys[index] == other and earlier < index)
            for earlier, other in enumerate(keys)
        )

    return tuple(fix for index, fix in enumerate(fixes) if not is_repeated(index))


@record
class Proposal:
    """The fixes that are proposed for one verdict.

    Attributes:
        fixes: first the one that passes the check, or settles findings collected greedily,
            then those of single findings.
        trial_count: how many sets of edits were planned, priced and judged.
        is_incomplete: whether the budget of trials ended the search before it was done.
        unfixed_findings: the findings for which nothing was found.
        advisory_fixes: fixes of what does not refuse; they are written only on request.
    """

    fixes: tuple[Fix, ...] = ()
    trial_count: int = 0
    is_incomplete: bool = False
    unfixed_findings: tuple[FindingKey, ...] = ()
    advisory_fixes: tuple[Fix, ...] = ()

    @property
    def complete_fix(self) -> Fix | None:
        """The fix with which the check passes; None if none was found."""
        return next((fix for fix in self.fixes if fix.passes_check), None)


def distinct(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return edits without repeated ones: two changes may declare the same bucket."""
    return tuple({edit.identity: edit for edit in edits}.values())


def identity(edits: Iterable[Edit]) -> frozenset[Identity]:
    """Return a key that identifies a set of edits, regardless of their order."""
    return frozenset(edit.identity for edit in edits)


def edits_in_words(edits: Sequence[Edit], to_text: Callable[[Edit], str] = str) -> tuple[str, ...]:
    """Return edits as text, each formatted by `to_text`, shared parts only once."""
    edits_by_target: dict[tuple[tuple[str, str, str], str], list[Edit]] = {}
    for edit in edits:
        edits_by_target.setdefault((edit.target_path, value_line(edit.after)), []).append(edit)
    if to_text is not str:
        return tuple(map(to_text, edits))
    return tuple(
        first.change_at(property_of(first.path, each=True)) if further_edits else str(first)
        for first, *further_edits in edits_by_target.values()
    )
