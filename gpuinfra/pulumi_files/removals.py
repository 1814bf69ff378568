"""The resources that a preview deletes or replaces, and those of them that stay in the cloud."""

from dataclasses import replace
from typing import Final

from gpuinfra.clouds.deleted_with import Removed, is_left_behind
from gpuinfra.pulumi_files.file_stack import EntryCollector
from gpuinfra.pulumi_files.resource_entries import ResourceEntry
from gpuinfra.records import record

UNKNOWN_TRIGGER: Final = (
    "{} counts as replaced, since its replacementTrigger is not known yet: the update replaces it "
    "if the trigger or an input then requires it"
)
_DELETED_WITH: Final = "deletedWith"


@record
class _Removal:
    """A resource that steps delete or replace.

    Attributes:
        entry: the resource before the update.
        replaced: another one is created in its place.
        kept_by: what makes the engine leave it in the cloud; empty for nothing.
        goes_first: its delete comes before all other steps about it.
    """

    entry: ResourceEntry
    replaced: bool
    kept_by: str
    goes_first: bool


class Removals:
    """A collector of what the steps of a preview remove from the stack.

    The engine marks what it is to delete after the create of its replacement with `delete`, and
    what it deleted before with `pendingReplacement`. A stream has only the former, and only once
    the replacement is created; but it has every step, in order:
    https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go
    (continueStepsFromDiff), https://github.com/pulumi/pulumi/blob/master/sdk/go/common/apitype/events.go
    (StepEventStateMetadata)
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._by_urn: dict[str, _Removal] = {}

    def add(
        self, before: ResourceEntry, after: ResourceEntry | None, *, is_replaced: bool
    ) -> None:
        """Add a step that deletes or replaces a resource; several steps replace one.

        Args:
            before: the resource before the step.
            after: the one that replaces it; None for a delete.
            is_replaced: whether the step is of a replacement, and not of a delete.
        """
        new = _Removal(
            entry=before,
            replaced=is_replaced,
            kept_by=(after if after is not None and after.retained else before).kept_by,
            goes_first=before.is_pending_replacement or not is_replaced,
        )
        earlier = self._by_urn.get(before.urn, new)
        self._by_urn[before.urn] = replace(
            earlier,
            replaced=earlier.replaced or new.replaced,
            kept_by=earlier.kept_by or new.kept_by,
        )

    def record(self, collector: EntryCollector) -> None:
        """Record what the update deletes, or only removes from the state."""
        for removal in self._by_urn.values():
            left = is_left_behind(_removed(removal.entry), self._removed_of)
            kept_by = removal.kept_by or (_DELETED_WITH if left else "")
            if kept_by:
                collector.add_retained(removal.entry, kept_by)
                continue
            coexists = removal.replaced and not removal.goes_first
            collector.add_leaving(removal.entry, replaced=removal.replaced, coexists=coexists)

    def _removed_of(self, urn: str) -> Removed | None:
        other = self._by_urn.get(urn)
        return None if other is None else _removed(other.entry, kept=bool(other.kept_by))


def _removed(entry: ResourceEntry, *, kept: bool = False) -> Removed:
    places = (entry.inputs, entry.outputs)
    return Removed(entry.type, places, kept, entry.deleted_with, entry.provider)
