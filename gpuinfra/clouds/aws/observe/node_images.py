"""The image family of an EKS node group, stated or taken by the version of its cluster."""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import text
from gpuinfra.clouds.versions import is_at_least
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_AL2023: Final = "AL2023_"
_AL2: Final = "AL2_"
_FIRST_OF_AL2023: Final = "1.30"
_PROCESSORS: Final = {"ARM_64": "arm64", "ARM64": "arm64", "x86_64": "x86_64"}
"""The word of an image type for its processor:
https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html"""


def demands_tokens(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether EKS's image for a node group requires a token, as Amazon Linux 2023 does.

    Amazon Linux 2 does not, and of other families no source tells:
    https://docs.aws.amazon.com/linux/al2023/ug/imdsv2.html
    """
    is_node_group = resource_types.canonical(resource.type) == resource_types.NODE_GROUP
    if not is_node_group or launch.get("imageId") is not None:
        return False
    family = _family(resource, index)
    if isinstance(family, Unknown):
        return UNKNOWN
    return True if family.startswith(_AL2023) else not family.startswith(_AL2) and UNKNOWN


def other_processors(resource: Resource, machines: Iterable[str]) -> Iterator[str]:
    """Yield the machines that the image type of a node group is not for.

    EKS refuses them: "not a valid instance type for requested amiType"
    (https://github.com/eksctl-io/eksctl/pull/4973).
    """
    family = text(resource.inputs.get("amiType"))
    family_name = family if isinstance(family, str) else ""
    processor = next((known for word, known in _PROCESSORS.items() if word in family_name), None)
    for name in machines if processor else ():
        spec = machine(name)
        if spec is not None and spec.architecture not in {None, processor}:
            yield f"the amiType {family} is not for {name}, whose processor is {spec.architecture}"


def _family(resource: Resource, index: Index) -> str | Unknown:
    """Return a node group's `amiType`, or how the one begins that EKS takes where none is stated.

    From version 1.30 of the cluster on that is Amazon Linux 2023, before it Amazon Linux 2:
    https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html
    """
    stated = text(resource.inputs.get("amiType", resource.outputs.get("amiType")))
    if stated is not None:
        return stated
    clusters = index.targets(resource, "clusterName", resource_types.EKS_CLUSTER)
    if not clusters.exact or len(clusters.certain) != 1:
        return UNKNOWN
    version = _version(clusters.certain[0])
    if isinstance(version, Unknown) or (version and not version[0].isdigit()):
        return UNKNOWN
    return _AL2023 if version is None or is_at_least(version, _FIRST_OF_AL2023) else _AL2


def _version(cluster: Resource) -> str | Unknown | None:
    """Return the version of a cluster; None for the newest ones, of which EKS then takes one.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
    """
    return text(cluster.inputs.get("version", cluster.outputs.get("version")))
