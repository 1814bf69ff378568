"""The references between resources of different regions, which EC2 cannot resolve."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.cross_region import cross_region_references
from gpuinfra.clouds.observing.fault_texts import Remark
from gpuinfra.model import Resource

_REGIONAL: Final = ("aws:ec2/", "aws:vpc/", "aws:lb/", "aws:autoscaling/")
_ACROSS: Final = ("Peering", "transitGateway", "TransitGateway", "copy", "Copy")
"""Services whose resources name others of their own region, and types that reach beyond it:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resources.html"""


def cross_region_remarks(machines: Resource, index: Index) -> Iterator[Remark]:
    """Yield the machines' related resources that refer to another region."""
    return cross_region_references(machines, index, _region)


def _region(resource: Resource) -> str | None:
    """Return the region that a regional resource names; None otherwise."""
    if not resource.type.startswith(_REGIONAL) or any(key in resource.type for key in _ACROSS):
        return None
    region = resource.inputs.get("region")
    return region if isinstance(region, str) else None
