"""Whether the image type of an EKS node group has the driver of its GPUs."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.images import devices
from gpuinfra.clouds.aws.machines import machine
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch.group_requests import group_request_of
from gpuinfra.clouds.observing.values import text
from gpuinfra.model import Resource

_FAMILIES: Final = ("AL2_", "AL2023_", "BOTTLEROCKET_")
_IMAGE_WORDS_WITH_DRIVER: Final = ("NVIDIA", "GPU")


def faults_of(resource: Resource, index: Index) -> Iterator[str]:
    """Yield the NVIDIA machines whose image type has no GPU driver, so that pods have no GPU.

    https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html
    """
    family = text(resource.inputs.get("amiType"))
    if not isinstance(family, str) or not family.startswith(_FAMILIES):
        return
    if any(image_word in family for image_word in _IMAGE_WORDS_WITH_DRIVER):
        return
    for name in dict.fromkeys(
        option.machine for option in group_request_of(resource, index).options
    ):
        spec = machine(name) if isinstance(name, str) else None
        if spec is not None and devices(spec) == "nvidia":
            yield f"the amiType {family} has no NVIDIA driver, and {name} has NVIDIA GPUs"
