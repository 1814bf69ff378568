"""Google Cloud changes that replace on a condition, and equivalent spellings.

`immutable_if` of data/gcp.json, made testable. Not testable from inputs, so in place here: another
service attachment as a forwarding rule's target.
"""

import ipaddress
from typing import Any

from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Inputs
from gpuinfra.sandbox.plugin.diff import (
    Condition,
    InputChange,
    Path,
    is_lowered,
    is_removed,
    touched_patterns,
)
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.gcp import resource_names
from gpuinfra.sandbox.plugin.gcp.machines import INSTANCE
from gpuinfra.sandbox.plugin.gcp.references import REFERENCES
from gpuinfra.sandbox.plugin.schema import ResourceType

_STOPPING = facts("gcp", "stopping")["gcp:compute/instance:Instance"]
_SCRIPT = "startup-script"
_ANYWHERE = ("zone", "region", "router", "instanceGroupManager", "cluster", "machineType")


def is_spelled_alike(token: str, path: Path, first: Any, second: Any) -> bool:
    """Return whether two names of the same resource differ only in form: link, id, name, case."""
    if not isinstance(first, str) or not isinstance(second, str):
        return False
    if path == ("location",):
        return first.lower() == second.lower()
    names = tuple(step for step in path if isinstance(step, str))
    known = {tuple(key.replace("[]", "").split(".")) for key in REFERENCES.get(token, {})}
    if names not in known and path[-1] not in _ANYWHERE:
        return False
    left, right = resource_names.relative(first), resource_names.relative(second)
    if "/" in left and "/" in right:
        return left == right or left.endswith(f"/{right}") or right.endswith(f"/{left}")
    return resource_names.last_segment(left) == resource_names.last_segment(right)


def update_refusal(
    resource_type: ResourceType, _old: Inputs, new: Inputs, changes: list[InputChange]
) -> CloudRefusalError | None:
    """Return the provider's refusal to stop a running machine for an update, or None."""
    if resource_type.token != INSTANCE or new.get("allowStoppingForUpdate") is True:
        return None
    stopping = touched_patterns(_STOPPING, changes)
    if not stopping or new.get("desiredStatus") == "TERMINATED":
        return None
    return CloudRefusalError(
        "StopNotAllowed",
        f"Changing {', '.join(stopping)} on a started instance requires stopping it. To "
        "acknowledge this, set allowStoppingForUpdate to true, or desiredStatus to TERMINATED",
    )


def _script_changed(old: Inputs, new: Inputs) -> bool:
    before, after = (
        side.get("metadataStartupScript") or (side.get("metadata") or {}).get(_SCRIPT)
        for side in (old, new)
    )
    return bool(before != after)


def _networks(inputs: Inputs) -> list[Any]:
    nics = inputs.get("networkInterfaces") or ()
    return [(nic.get("network"), nic.get("subnetwork")) for nic in nics]


def _range_shrunk(old: Inputs, new: Inputs) -> bool:
    try:
        before, after = (
            ipaddress.ip_network(str(side.get("ipCidrRange")), strict=False) for side in (old, new)
        )
    except ValueError:
        return True
    is_subset = before.version == after.version and before.network_address in after
    return not (is_subset and after.prefixlen <= before.prefixlen)


def _api_removed(old: Inputs, new: Inputs) -> bool:
    before, after = (
        set((side.get("enableK8sBetaApis") or {}).get("enabledApis") or ()) for side in (old, new)
    )
    return bool(before - after)


# A template's labels replace through the effective ones: those of the provider count too.
_TEMPLATE: dict[str, Condition] = {"effectiveLabels": lambda _old, _new: True}
_MANAGER: dict[str, Condition] = {
    "resourcePolicies.workloadPolicy": is_removed("resourcePolicies", "workloadPolicy")
}

CONDITIONS: dict[str, dict[str, Condition]] = {
    "gcp:compute/disk:Disk": {
        "size": is_lowered("size"),
        "provisionedIops": lambda _, new: not str(new.get("type") or "").startswith("hyperdisk"),
    },
    "gcp:compute/forwardingRule:ForwardingRule": {
        "allowGlobalAccess": lambda _, new: new.get("loadBalancingScheme") == "INTERNAL_MANAGED",
        "target": lambda _old, _new: False,
    },
    "gcp:compute/instance:Instance": {
        "metadataStartupScript": _script_changed,
        "networkInterfaces[].networkIp": lambda old, new: _networks(old) == _networks(new),
    },
    "gcp:compute/instanceGroupManager:InstanceGroupManager": _MANAGER,
    "gcp:compute/instanceTemplate:InstanceTemplate": _TEMPLATE,
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": _MANAGER,
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate": _TEMPLATE,
    "gcp:compute/subnetwork:Subnetwork": {"ipCidrRange": _range_shrunk},
    "gcp:container/cluster:Cluster": {
        "dnsConfig.additiveVpcScopeDnsDomain": lambda _, new: new.get("enableAutopilot") is True,
        "enableFqdnNetworkPolicy": is_removed("enableFqdnNetworkPolicy"),
        "enableK8sBetaApis.enabledApis": _api_removed,
        "enableL4IlbSubsetting": is_removed("enableL4IlbSubsetting"),
    },
    "gcp:storage/bucket:Bucket": {
        "retentionPolicy.isLocked": is_removed("retentionPolicy", "isLocked")
    },
}
