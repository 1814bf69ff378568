"""The steps of a preview, from a digest or from a stream."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gpuinfra.model import STACK_REFERENCE, NotJudged
from gpuinfra.pulumi_files.file_faults import CREATE_FILE_AGAIN, FileError, OnFault, refuse
from gpuinfra.pulumi_files.file_stack import MAX_RESOURCES, TOO_MANY, EntryCollector
from gpuinfra.pulumi_files.property_values import Values
from gpuinfra.pulumi_files.removals import UNKNOWN_TRIGGER, Removals
from gpuinfra.pulumi_files.resource_entries import (
    STACK,
    ResourceEntry,
    entry_of,
    mapping,
    text,
    urn_of,
    with_prior_outputs,
    wrong_type_error,
)
from gpuinfra.pulumi_files.unseen_children import is_of_incomplete_preview, unseen_children
from gpuinfra.urns import type_of

_KEEPING_OPERATIONS: Final = frozenset({"same", "update", "refresh"})
_ADDS: Final = frozenset({"create", "import"})
_DELETES: Final = frozenset({"delete", "delete-replaced"})
_REPLACES: Final = frozenset({"create-replacement", "replace", "import-replacement"})
_CREATES: Final = frozenset({"create", "create-replacement", "replace"})
_READS: Final = frozenset({"read", "read-replacement", "discard", "discard-replaced"})
_CHANGES_NOTHING: Final = frozenset({"remove-pending-replace"})
OPERATIONS: Final = _KEEPING_OPERATIONS | _ADDS | _DELETES | _REPLACES | _READS | _CHANGES_NOTHING
"""https://github.com/pulumi/pulumi/blob/master/sdk/go/common/display/events.go, StepOp"""

_ONCE_PER_RESOURCE: Final = frozenset({"same", "create", "update", "import"})
"""Operations that tell what becomes of a resource, of which it has one; a summary counts no more
than the file has steps:
https://github.com/pulumi/pulumi/blob/master/pkg/engine/update.go, OnResourceStepPost"""

_COUNTED_OPERATIONS: Final = _ONCE_PER_RESOURCE - {"same"}
"""Of these it counts each."""

_REGISTERING_OPERATIONS: Final = (_ONCE_PER_RESOURCE | _REPLACES) - {"same"}
"""Operations of what the program registers, which is never what it only reads."""

_MAX_SHOWN: Final = 80
SHOW_SAMES: Final = "pulumi preview --json --show-sames > preview.json"


@dataclass(slots=True)
class StepReader:
    """A collector of a preview's steps, and of what the preview reports about itself.

    `new_key` and `old_key` are what the two states of a step are called in the file. `on_failure`
    takes the fault of a preview that failed.
    """

    new_key: str
    old_key: str
    on_failure: OnFault = refuse
    values: Values = field(default_factory=lambda: Values(preview=True))
    collector: EntryCollector = field(default_factory=EntryCollector)
    summary: Mapping[str, Any] | None = None
    _seen_steps: set[tuple[str, str]] = field(default_factory=set)
    _is_partial: bool = False
    _warnings: dict[str, str] = field(default_factory=dict)
    _removals: Removals = field(default_factory=Removals)

    def configure(self, value: Any, location: str) -> None:
        """Record the configuration, from which a default provider has its region.

        Raises:
            FileError: it is no mapping.
        """
        self.collector.config = mapping(
            self.values.plain_value(mapping(value or {}, location)), location
        )

    def step(self, document: Any, location: str, *, begins: bool = True) -> None:
        """Record one step; in a stream, one event starts a step, and others end it.

        Raises:
            FileError: it is not as Pulumi writes one.
        """
        document = mapping(document, location)
        operation = text(document.get("op"), f"{location}.op")
        if operation not in OPERATIONS:
            raise FileError(
                f"{location}.op is an unknown operation",
                value=operation[:_MAX_SHOWN],
                allowed=", ".join(sorted(OPERATIONS)),
                fix="this version of gpuinfra does not support the operation",
            )
        urn = urn_of(document, location)
        if begins:
            self._refuse_duplicate(operation, urn)
        old_state = self._state(document, self.old_key, location)
        if operation in _CHANGES_NOTHING:
            if old_state is not None and old_state.kept_by:
                self.collector.add_retained(old_state, old_state.kept_by)
            return
        new_state = self._state(document, self.new_key, location)
        self._check_step_parts(operation, urn, new_state, location)
        if operation in _READS:
            self._record_read(operation, old_state, new_state)
            return
        if old_state:
            self._record_existing(operation, old_state, new_state)
        if operation not in _DELETES:
            self._record_state(document, operation, old_state, new_state, location)

    def _record_existing(
        self, operation: str, old_entry: ResourceEntry, new_entry: ResourceEntry | None
    ) -> None:
        """Record an existing resource, and its fate if the update removes it."""
        self.collector.add_former(old_entry)
        if operation not in _DELETES | _REPLACES:
            return
        self._removals.add(old_entry, new_entry, is_replaced=operation in _REPLACES)
        if operation in _REPLACES and new_entry is not None and new_entry.has_unknown_trigger:
            self.collector.notes.append(UNKNOWN_TRIGGER.format(old_entry.urn))

    def _record_read(
        self, operation: str, old_entry: ResourceEntry | None, new_entry: ResourceEntry | None
    ) -> None:
        """Record a reference to a stack, or a resource that its program only reads from now on."""
        if new_entry is not None and new_entry.type == STACK_REFERENCE:
            self.collector.add(new_entry)
        is_digest = self.new_key == "newState"  # a stream does not tell what was read before, too
        if operation == "read" and is_digest and old_entry is not None and not old_entry.external:
            self.collector.add_former(old_entry)
            self.collector.add_retained(old_entry, "a read of the program")

    def _refuse_duplicate(self, operation: str, urn: str) -> None:
        if (operation, urn) in self._seen_steps:
            raise FileError(f"two steps {operation} {urn}", value=urn[:_MAX_SHOWN])
        if len(self._seen_steps) >= MAX_RESOURCES:
            raise FileError(TOO_MANY)
        becomes = next(
            (earlier for earlier in _ONCE_PER_RESOURCE if (earlier, urn) in self._seen_steps), ""
        )
        if operation in _ONCE_PER_RESOURCE and becomes:
            raise _contradicts(f"the steps {becomes} and {operation} for {urn}")
        self._seen_steps.add((operation, urn))

    def _check_step_parts(
        self, operation: str, urn: str, new_entry: ResourceEntry | None, location: str
    ) -> None:
        """Refuse a step whose parts contradict each other.

        Raises:
            FileError: it names another resource than its state, makes what it only reads, only
                reads what it makes, or leaves behind what it deletes.
        """
        if new_entry is None:
            return
        state = f"{location}.{self.new_key}"
        if new_entry.urn != urn:
            raise _contradicts(f"{location}.urn and {state}.urn")
        if operation in _DELETES:
            raise _contradicts(f"{location}.op {operation} and {state}")
        # Events of a stream do not tell what is external.
        is_read = operation in _READS and self.new_key == "newState" and not new_entry.external
        if is_read or (operation in _REGISTERING_OPERATIONS and new_entry.external):
            raise _contradicts(f"{location}.op {operation} and {state}.external")

    def _record_state(
        self,
        step: Mapping[str, Any],
        operation: str,
        old_entry: ResourceEntry | None,
        new_entry: ResourceEntry | None,
        location: str,
    ) -> None:
        if new_entry is None and operation == "refresh":
            return  # it is gone; what the program makes of that is a step of its own
        if new_entry is None:
            # The CLI leaves a state out that it cannot write down, and goes on.
            urn = urn_of(step, location)
            reason = f"the preview has no state for it after {operation}"
            self.collector.not_read.append(
                NotJudged(subject=urn, type=type_of(urn), reason=reason)
            )
            return
        if operation in _CREATES:
            self.collector.created_urns.add(new_entry.urn)
        if old_entry and operation in _KEEPING_OPERATIONS:
            new_entry = with_prior_outputs(new_entry, old_entry)
        self.collector.add(new_entry)

    def _state(self, step: Mapping[str, Any], key: str, location: str) -> ResourceEntry | None:
        state = step.get(key)
        return None if state is None else entry_of(state, f"{location}.{key}", self.values)

    def summarise(self, value: Any, location: str) -> None:
        """Record how many resources the preview counted, by operation.

        Raises:
            FileError: it is no mapping of numbers.
        """
        self.summary = mapping(value, location)
        for operation, count in self.summary.items():
            if not isinstance(count, int) or isinstance(count, bool):
                raise wrong_type_error(
                    count, f"{location}.{operation[:_MAX_SHOWN]}", "a whole number"
                )

    def record_diagnostic(self, severity: Any, message: Any, urn: Any = None) -> None:
        """Record a diagnostic of the engine or a program; `urn` is the resource's that it names.

        Raises:
            FileError: the preview failed, so that it shows a part of the stack only; unless
                `failed` keeps that.
        """
        if is_of_incomplete_preview(severity, message):
            is_urn = isinstance(urn, str) and urn.startswith("urn:")
            self._warnings[urn if is_urn else "the preview"] = type_of(urn) if is_urn else STACK
        if severity == "error":
            self._is_partial = True
            self.on_failure(
                FileError(
                    "the preview failed, so the file shows only some of the stack's resources",
                    value=str(message).strip()[:200],
                    fix="correct the program, then preview again",
                )
            )

    def close(self) -> EntryCollector:
        """Return all that was taken in, when it is the whole stack, or known to be a part.

        Raises:
            FileError: the preview did not end, or left out what does not change.
        """
        self._removals.record(self.collector)
        if self._is_partial:
            return self.collector
        if self.summary is None:
            raise FileError(
                "the preview has no summary: it failed or was interrupted",
                fix=f"check pulumi's output; {CREATE_FILE_AGAIN}",
            )
        listed = Counter(operation for operation, _ in self._seen_steps)
        for operation in sorted(_ONCE_PER_RESOURCE):
            self._check_complete(operation, int(self.summary.get(operation, 0)), listed[operation])
        unseen = unseen_children(self.collector.entries, self._warnings)
        self.collector.not_read.extend(unseen)
        return self.collector

    @staticmethod
    def _check_complete(operation: str, reported: int, listed_count: int) -> None:
        if listed_count > reported and operation in _COUNTED_OPERATIONS:
            raise _contradicts(f"{listed_count} steps {operation} and the summary's {reported}")
        if reported <= listed_count:
            return
        missing = reported - listed_count
        if operation == "same":
            raise FileError(
                f"the preview counts {reported} unchanged resources and omits {missing} "
                "of them, so the whole stack can't be checked",
                fix=f"preview with --show-sames: {SHOW_SAMES}",
            )
        raise FileError(
            f"the preview counts {reported} resources to {operation} and omits {missing} "
            "of them, so the whole stack can't be checked"
        )


def _contradicts(statement: str) -> FileError:
    return FileError(
        f"the preview contradicts itself: {statement}",
        fix=f"it was edited, or combined from several; {CREATE_FILE_AGAIN}",
    )
