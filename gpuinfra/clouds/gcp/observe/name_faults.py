"""The names that Google Cloud refuses."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.name_patterns import NamedTypes, NamePattern, faults
from gpuinfra.model import Resource

_NAME_RULE: Final = "a lower-case letter, then at most {} of a-z, 0-9 and hyphens, no hyphen last"


def _label(content: str, longest: int, last: str = "[a-z0-9]") -> NamePattern:
    """Return the pattern of a label of RFC 1035.

    https://docs.cloud.google.com/compute/docs/naming-resources
    """
    pattern = re.compile(rf"[a-z](?:[-a-z0-9]{{0,{longest - 2}}}{last})?")
    return NamePattern(content, pattern, _NAME_RULE.format(longest - 1))


_MACHINE: Final = _label("the machine's name", 63)
_GROUP: Final = _label("the group's name", 63)
_BASE: Final = _label("the base name of the machines", 58)
"""Four characters and a hyphen follow it."""
_TEMPLATE: Final = _label("the template's name", 63)
_PREFIX: Final = _label("the template's name prefix", 54, last="[-a-z0-9]")
"""https://www.pulumi.com/registry/packages/gcp/api-docs/compute/instancetemplate/"""
_POOL: Final = _label("the node pool's name", 40)
"""https://docs.cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters.nodePools
"""

BUCKET: Final = NamePattern(
    "the bucket name",
    re.compile(r"(?=.{3,222}$)[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_-]{1,63})*"),
    "3 to 63 lower-case letters, digits, hyphens and underscores, a letter or digit at both ends",
    (
        (re.compile(r"^\d+\.\d+\.\d+\.\d+$"), "it looks like an IP address"),
        (re.compile(r"^goog|g[o0]{2}g[l1]e"), "Google reserves its own name"),
    ),
)
"""https://docs.cloud.google.com/storage/docs/buckets#naming"""

_NAME_INPUTS: Final = {
    resource_types.INSTANCE: ((_MACHINE, "name"),),
    resource_types.INSTANCE_FROM_TEMPLATE: ((_MACHINE, "name"),),
    resource_types.GROUP: ((_GROUP, "name"), (_BASE, "baseInstanceName")),
    resource_types.NODE_POOL: ((_POOL, "name"),),
    resource_types.TEMPLATE: ((_TEMPLATE, "name"), (_PREFIX, "namePrefix")),
}


STANDALONE_NAME_INPUTS: Final[NamedTypes] = {
    resource_types.ACCOUNT: (
        NamePattern(
            "the service account's accountId",
            re.compile(r"[a-z][-a-z0-9]{4,28}[a-z0-9]"),
            "6 to 30 lower-case letters, digits and hyphens, a letter first, no hyphen last",
        ),
        "accountId",
    ),
    resource_types.CUSTOM_ROLE: (
        NamePattern(
            "the custom role's roleId",
            re.compile(r"[a-zA-Z0-9_.]{3,64}"),
            "3 to 64 letters, digits, underscores and dots",
        ),
        "roleId",
    ),
    resource_types.CLUSTER: (_label("the cluster's name", 40), "name"),
    resource_types.NETWORK: (_label("the network's name", 63), "name"),
    resource_types.SUBNET: (_label("the subnetwork's name", 63), "name"),
    resource_types.FIREWALL: (_label("the firewall rule's name", 63), "name"),
}
"""https://docs.cloud.google.com/iam/docs/service-accounts-create
https://docs.cloud.google.com/iam/docs/reference/rest/v1/projects.roles/create
https://docs.cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters
https://docs.cloud.google.com/compute/docs/naming-resources"""


def group_name_faults(resource: Resource, launches: Sequence[LaunchSources]) -> tuple[str, ...]:
    """Return the faults of a group's name and of its templates' names."""
    layers = [layer for launch in launches for layer in launch.layers]
    parts_by_urn = {part.urn: part for part in (resource, *layers)}
    return faults(
        (form, part.inputs.get(key))
        for part in (resource, *(parts_by_urn[urn] for urn in parts_by_urn if urn != resource.urn))
        for form, key in _NAME_INPUTS.get(resource_types.canonical(part.type), ())
    )


def bucket_name_faults(resource: Resource) -> tuple[str, ...]:
    """Return the faults of a bucket's name."""
    return faults(((BUCKET, resource.inputs.get("name")),))
