"""Azure's replacing changes, equivalent spellings, and refused updates.

Source of the first two: provider/pkg/provider/diff.go of pulumi-azure-native.
"""

from typing import Any

from gpuinfra.sandbox.plugin import diff
from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.locations import normal
from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Inputs
from gpuinfra.sandbox.plugin.diff import Condition, InputChange, Path
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.naming import DEFAULTS_KEY, Naming
from gpuinfra.sandbox.plugin.schema import ResourceType

# Parts of a rejected path that Azure does change in place, by learn.microsoft.com's pages on
# updating a virtual machine's secrets and patch settings, and on resizing a reservation.
_CHANGEABLE = facts("azure-native", "changeable")

_BUDGETS = ("azure-native:consumption:Budget", "azure-native:costmanagement:Budget")


def is_spelled_alike(_token: str, path: Path, left: Any, right: Any) -> bool:
    """Return whether two values differ only in a location's or resource group's spelling."""
    if not isinstance(left, str) or not isinstance(right, str):
        return False
    if path == ("location",):
        return normal(left) == normal(right)
    return path == ("resourceGroupName",) and left.lower() == right.lower()


def hits(pattern: str, change: InputChange) -> bool:
    """Return whether an immutable path requires a replacement on a change.

    Below a flagged object changed values replace, what is added or removed does not; the items of
    a flagged list never do, only the list as a whole: `a#`.
    """
    path = tuple(step for step in change.path if isinstance(step, str))
    steps = tuple(pattern.removesuffix("#").split("."))
    if pattern.endswith("#"):
        return path == steps and len(path) == len(change.path)
    return path == steps or (path[: len(steps)] == steps and change.kind == "update")


def deletes_first(naming: Naming | None, old: Inputs, _new: Inputs) -> bool:
    """Return whether a replacement deletes first: always, except with a generated name."""
    return naming is None or naming.key not in old.get(DEFAULTS_KEY, ())


def update_refusal(
    resource_type: ResourceType, old: Inputs, new: Inputs, changes: list[InputChange]
) -> CloudRefusalError | None:
    """Return Azure's error for an update that azure-native plans and Azure refuses, or None."""
    changeable = _CHANGEABLE.get(resource_type.token, ())
    fixed = [change for change in changes if not diff.touched_patterns(changeable, [change])]
    for path, reason in resource_type.rejected_update.items():
        change = next(
            (change for change in fixed if diff.touched_patterns([path], [change])), None
        )
        one_way = _ONE_WAY.get((resource_type.token, path))
        if change is None or not (one_way is None or one_way(old, new)):
            continue
        if path == "location":
            return _moved_error(resource_type, old, new)
        if path == "timePeriod.startDate":
            # The words: https://github.com/Azure/CanadaPubSecALZ/issues/317
            return CloudRefusalError(
                "400",
                "Start date of budgets cannot be updated. Please delete and create a new budget.",
            )
        message = f"Changing property '{change.text}' is not allowed. [{reason}]"
        return CloudRefusalError("PropertyChangeNotAllowed", message)
    return None


def _moved_error(resource_type: ResourceType, old: Inputs, new: Inputs) -> CloudRefusalError:
    # The words: https://github.com/MicrosoftDocs/azure-docs/issues/70422
    name = new.get(ids.slots(resource_type.id_form)[-1])
    return CloudRefusalError(
        "InvalidResourceLocation",
        f"The resource '{name}' already exists in location '{old.get('location')}' in resource "
        f"group '{new.get('resourceGroupName')}'. A resource with the same name cannot be created "
        f"in location '{new.get('location')}'. Please select a new resource name.",
    )


def _merges_placement_groups(old: Inputs, new: Inputs) -> bool:
    """Return whether several placement groups are to become one, which Azure refuses."""
    return old.get("singlePlacementGroup") is False and new.get("singlePlacementGroup") is True


def _changes_start_day(old: Inputs, new: Inputs) -> bool:
    """Return whether the start date changes to another day."""
    days = [str((side.get("timePeriod") or {}).get("startDate"))[:10] for side in (old, new)]
    return days[0] != days[1]


_ONE_WAY: dict[tuple[str, str], Condition] = {
    (
        "azure-native:compute:VirtualMachineScaleSet",
        "singlePlacementGroup",
    ): _merges_placement_groups,
    **{(budget, "timePeriod.startDate"): _changes_start_day for budget in _BUDGETS},
}
