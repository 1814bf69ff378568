"""The image family of an EKS node group or a compute environment of Batch, stated or taken."""

from collections.abc import Iterable, Iterator
from typing import Final

from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.image_pinning import looked_up
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import all_of, as_list, at, text
from gpuinfra.clouds.versions import is_at_least
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_AL2023: Final = "AL2023"
_AL2023_PARAMETER: Final = "/aws/service/ami-amazon-linux-latest/al2023-"
"""How the parameter begins by which an image of Amazon Linux 2023 is looked up:
https://docs.aws.amazon.com/linux/al2023/ug/ec2.html"""
_AL2: Final = "AL2"
_FIRST_OF_AL2023: Final = "1.30"
_PROCESSORS: Final = {"ARM_64": "arm64", "ARM64": "arm64", "x86_64": "x86_64"}
"""The word of an image type for its processor:
https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html"""


def demands_tokens(resource: Resource, launch: LaunchSources, index: Index) -> Known:
    """Return whether an image requires a token by itself, as Amazon Linux 2023 does.

    Amazon Linux 2 does not, and of other families no source tells:
    https://docs.aws.amazon.com/linux/al2023/ug/imdsv2.html
    An image that the program states by its id counts as one that does not; one that is looked up
    in the same update is not known yet.
    """
    kind = resource_types.canonical(resource.type)
    image = looked_up(launch, index) or launch.get("imageId") or launch.get("ami")
    if image is not None:
        return UNKNOWN if isinstance(image, Unknown) else _AL2023_PARAMETER in str(image)
    if kind == resource_types.BATCH:
        return all_of(_is_al2023(family) for family in _families_of_batch(resource))
    return kind == resource_types.NODE_GROUP and _is_al2023(_family(resource, index))


def _is_al2023(family: str | Unknown) -> Known:
    if isinstance(family, Unknown):
        return UNKNOWN
    family_name = family.removeprefix("ECS_").removeprefix("EKS_")
    if family_name.startswith(_AL2023):
        return True
    return UNKNOWN if not family_name.startswith(_AL2) else False


def _families_of_batch(environment: Resource) -> tuple[str | Unknown, ...]:
    """Return the image types of a compute environment.

    Where none is stated, Batch takes Amazon Linux 2023 for those created since 2026-01-12:
    https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
    """
    configured, actual = (
        at(property_set.get("computeResources"), "ec2Configurations")
        for property_set in (environment.inputs, environment.outputs)
    )
    configurations = as_list(actual if configured is None else configured)
    image_types = [text(at(configuration, "imageType")) for configuration in configurations]
    families = tuple(UNKNOWN if family is None else family for family in image_types)
    return families or ((UNKNOWN,) if "id" in environment.outputs else (_AL2023,))


def other_processors(resource: Resource, machines: Iterable[str]) -> Iterator[str]:
    """Yield the machines that the image type of a node group is not for.

    EKS refuses them: "not a valid instance type for requested amiType"
    (https://github.com/eksctl-io/eksctl/pull/4973).
    """
    family = text(resource.inputs.get("amiType"))
    family_name = family if isinstance(family, str) else ""
    processor = next(
        (processor_name for word, processor_name in _PROCESSORS.items() if word in family_name),
        None,
    )
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
    cluster = index.targets(resource, "clusterName", resource_types.EKS_CLUSTER).only
    version = UNKNOWN if cluster is None else _version(cluster)
    if isinstance(version, Unknown) or (version and not version[0].isdigit()):
        return UNKNOWN
    return _AL2023 if version is None or is_at_least(version, _FIRST_OF_AL2023) else _AL2


def _version(cluster: Resource) -> str | Unknown | None:
    """Return the version of a cluster; None for the newest ones, of which EKS then takes one.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
    """
    return text(cluster.inputs.get("version", cluster.outputs.get("version")))
