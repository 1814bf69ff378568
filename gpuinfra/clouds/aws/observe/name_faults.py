"""The names that AWS refuses."""

import re
from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.name_patterns import NamedTypes, NamePattern, faults
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


_NAME_INPUTS: Final = {
    resource_types.GROUP: ((_GROUP, "name"),),
    resource_types.NODE_GROUP: ((_NODES, "nodeGroupName"),),
}


def _iam(content: str, longest: int) -> NamePattern:
    """Return the pattern of a name in IAM.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    return NamePattern(
        content,
        re.compile(rf"[\w+=,.@-]{{1,{longest}}}", re.ASCII),
        f"1 to {longest} letters, digits and + = , . @ - _",
    )


STANDALONE_NAME_INPUTS: Final[NamedTypes] = {
    resource_types.ROLE: (_iam("the role's name", 64), "name"),
    resource_types.USER: (_iam("the user's name", 64), "name"),
    resource_types.IAM_GROUP: (_iam("the group's name", 128), "name"),
    resource_types.PROFILE: (_iam("the instance profile's name", 128), "name"),
    resource_types.POLICY: (_iam("the policy's name", 128), "name"),
    resource_types.EKS_CLUSTER: (
        NamePattern(
            "the cluster's name",
            re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}"),
            "1 to 100 letters, digits, hyphens and underscores, a letter or digit first",
        ),
        "name",
    ),
}
"""https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html"""


def group_name_faults(resource: Resource, launches: Sequence[LaunchSources]) -> tuple[str, ...]:
    """Return the faults of a group's name and of its templates' names."""
    kind = resource_types.canonical(resource.type)
    stated_names = [(form, resource.inputs.get(key)) for form, key in _NAME_INPUTS.get(kind, ())]
    stated_names += [
        (_TEMPLATE, layer.inputs.get("name"))
        for launch in launches
        for layer in launch.layers
        if resource_types.canonical(layer.type) == resource_types.TEMPLATE
    ]
    return faults(stated_names)


def bucket_name_faults(resource: Resource) -> tuple[str, ...]:
    """Return the faults of a bucket's name."""
    return faults(((BUCKET, resource.inputs.get("bucket")),))
