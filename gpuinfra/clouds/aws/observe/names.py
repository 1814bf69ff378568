"""The names that AWS refuses."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.names import NamePattern, faults
from gpuinfra.model import Resource

BUCKET: Final = NamePattern(
    "the bucket name",
    re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"),
    "3 to 63 lower-case letters, digits, dots and hyphens, a letter or digit at both ends",
    (
        (re.compile(r"\.\."), "two dots are adjacent"),
        (re.compile(r"^\d+\.\d+\.\d+\.\d+$"), "it looks like an IP address"),
        (re.compile(r"^(?:xn--|sthree-|amzn-s3-demo-)"), "AWS reserves this prefix"),
        (
            re.compile(r"(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$"),
            "AWS reserves this suffix",
        ),
    ),
)
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"""

_GROUP: Final = NamePattern(
    "the scaling group's name",
    re.compile(r"[^:\x00-\x1f]{1,255}"),
    "1 to 255 characters without a colon",
)
"""https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html"""

_TEMPLATE: Final = NamePattern(
    "the launch template's name",
    re.compile(r"[a-zA-Z0-9().\-/_]{3,128}"),
    "3 to 128 letters, digits and ( ) . - / _",
)
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplate.html"""

_NODES: Final = NamePattern(
    "the node group's name",
    re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}"),
    "1 to 63 letters, digits, hyphens and underscores, a letter or digit first",
)
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html"""


_OWN: Final = {
    resource_types.GROUP: ((_GROUP, "name"),),
    resource_types.NODE_GROUP: ((_NODES, "nodeGroupName"),),
}


def group_name_faults(resource: Resource, launches: Sequence[LaunchSources]) -> tuple[str, ...]:
    """Return the faults of a group's name and of its templates' names."""
    kind = resource_types.canonical(resource.type)
    named = [(form, resource.inputs.get(key)) for form, key in _OWN.get(kind, ())]
    named += [
        (_TEMPLATE, layer.inputs.get("name"))
        for launch in launches
        for layer in launch.layers
        if resource_types.canonical(layer.type) == resource_types.TEMPLATE
    ]
    return faults(named)


def bucket_name_faults(resource: Resource) -> tuple[str, ...]:
    """Return the faults of a bucket's name."""
    return faults(((BUCKET, resource.inputs.get("bucket")),))
