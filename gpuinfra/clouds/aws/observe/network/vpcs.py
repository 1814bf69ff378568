"""The VPCs of subnets and security groups, and whether two of them differ."""

from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.model import Resource

_DEFAULT: Final = "default"
_CREATED_HERE: Final = "made here"


def vpc_of(resource: Resource, index: Index) -> str | None:
    """Return the VPC of a subnet or a security group, by its URN here or its id elsewhere.

    A security group that names none is in the default one of its region:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
    """
    vpc_id = resource.inputs.get("vpcId") or resource.outputs.get("vpcId")
    is_group = resource_types.canonical(resource.type) == resource_types.SECURITY_GROUP
    if vpc_id is None:
        return _DEFAULT if is_group else None
    targets = index.targets(resource, "vpcId", resource_types.NETWORK, vpc_id)
    if targets.only is not None:
        return targets.only.urn
    return vpc_id if isinstance(vpc_id, str) and not targets.certain else None


def are_apart(first: str | None, second: str | None) -> bool:
    """Return whether two VPCs certainly differ; a referenced VPC may be one of the stack."""
    kinds = {_kind_of_vpc(vpc) for vpc in (first, second)}
    return first != second and (len(kinds) == 1 or kinds == {_CREATED_HERE, _DEFAULT})


def _kind_of_vpc(vpc: str | None) -> str:
    """Return the kind of a VPC: created in the stack, the default one, or another."""
    if vpc is None or vpc == _DEFAULT:
        return vpc or "unknown"
    return _CREATED_HERE if f"{resource_types.NETWORK}::" in vpc else "elsewhere"
