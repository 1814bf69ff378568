"""Scale sets of Azure whose size an autoscale setting changes, and an update would set back."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.engine.stack_state import Snapshot, unwrap_secrets

SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
SETTING = "azure-native:monitor:AutoscaleSetting"


def scaled_sets(snapshot: Snapshot) -> list[str]:
    """Return the URNs of scale sets that an autoscale setting of the state scales.

    An update sends the whole set with the size that the state has, which is that of the last
    update; to ignore the property takes it from there, too. So it is read anew before:
    https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
    https://github.com/Azure/vm-scale-sets/issues/70
    """
    targets = {target for entry in snapshot.entries for target in _scaled_targets(entry)}
    return [
        entry["urn"]
        for entry in snapshot.entries
        if entry["type"] == SCALE_SET
        and not entry.get("delete")
        and str(entry.get("id")).lower() in targets
    ]


def _scaled_targets(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the id, in small letters, of what a setting scales between two sizes."""
    if entry["type"] != SETTING:
        return
    inputs = unwrap_secrets(entry.get("inputs") or {})
    capacities = [profile.get("capacity") or {} for profile in inputs.get("profiles") or ()]
    if any(capacity.get("minimum") != capacity.get("maximum") for capacity in capacities):
        yield str(inputs.get("targetResourceUri")).lower()
