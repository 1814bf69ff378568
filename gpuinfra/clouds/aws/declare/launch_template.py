"""The launch template: how a machine of a group starts."""

import base64
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.identity import DeclaredIdentity
from gpuinfra.clouds.aws.declare.image import DeclaredImage
from gpuinfra.clouds.aws.interfaces import Nic
from gpuinfra.clouds.aws.payload import MAX_USER_DATA, is_accepted_by_ec2, pack
from gpuinfra.clouds.billing import gib
from gpuinfra.errors import InputError
from gpuinfra.graph import Resource, compute
from gpuinfra.records import record
from gpuinfra.specs.schema import Disk

METADATA: Final = {"httpEndpoint": "enabled", "httpTokens": "required"}
"""IMDSv2 only."""

TAGGED_RESOURCE_TYPES: Final = ("instance", "volume", "network-interface")
"""What a launch creates, all of which it tags."""


@record
class LaunchSpec:
    """The settings of a template for a machine.

    Attributes:
        type: of the machine.
        nics: its network interfaces.
        disk: its own.
        ena_express: whether its IP interfaces speak SRD.
        spot: whether it is a spot machine.
        spot_price: the most of that in USD an hour; None for the on-demand price.
        block: whether it is of a capacity block.
        reservation: the id of the reservation, or the block, that it is of.
        placement_group: its placement group, when no scaling group says so.
        hops: how far the metadata service answers. One keeps containers away from the machine's
            role: they need none where buckets are mounted on the machine itself.
    """

    type: str
    nics: Sequence[Nic]
    disk: Disk
    ena_express: bool = False
    spot: bool = False
    spot_price: Decimal | None = None
    block: bool = False
    reservation: Any = None
    placement_group: Any = None
    hops: int = 1


def launch_template(
    children: Children,
    launch: LaunchSpec,
    image: DeclaredImage,
    *,
    identity: DeclaredIdentity,
    security_group: Any,
    start: Any,
) -> Resource:
    """Declare the template; every value in it is one that the plan was judged on.

    Booleans of disks and interfaces are strings in this API.
    """
    tags = {"Name": children.spec.name, **children.tags}
    return children.make(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "launch_template",
        imageId=image.id,
        instanceType=launch.type,
        iamInstanceProfile={"arn": identity.profile["arn"]},
        blockDeviceMappings=[{"deviceName": image.root_device, "ebs": root_disk(launch.disk)}],
        metadataOptions={**METADATA, "httpPutResponseHopLimit": launch.hops},
        networkInterfaces=[
            interface(nic, security_group, ena_express=launch.ena_express) for nic in launch.nics
        ],
        userData=compute(partial(user_data, children.spec.name), start, known_value=start),
        tagSpecifications=[{"resourceType": kind, "tags": tags} for kind in TAGGED_RESOURCE_TYPES],
        updateDefaultVersion=True,
        **purchase_options(launch),
    )


def purchase_options(launch: LaunchSpec) -> dict[str, Any]:
    """Return the purchase and placement options of the machine.

    A machine that names a reservation comes from it or not at all, so that the two are not both
    billed. A capacity block requires the market type too, or EC2 refuses the launch:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html
    """
    options: dict[str, Any] = {}
    if launch.spot:
        options["instanceMarketOptions"] = spot_market(launch.spot_price)
    elif launch.block:
        options["instanceMarketOptions"] = {"marketType": "capacity-block"}
    if launch.reservation is not None:
        options["capacityReservationSpecification"] = {
            "capacityReservationTarget": {"capacityReservationId": launch.reservation}
        }
    if launch.placement_group is not None:
        options["placement"] = {"groupName": launch.placement_group}
    return options


def root_disk(disk: Disk) -> Mapping[str, Any]:
    """Return the machine's own disk: gp3, encrypted, deleted with the machine."""
    speed = {"iops": disk.iops, "throughput": disk.throughput}
    return {
        "encrypted": "true",
        "deleteOnTermination": "true",
        "volumeType": "gp3",
        "volumeSize": gib(disk.size),
        **{name: value for name, value in speed.items() if value is not None},
    }


def interface(nic: Nic, security_group: Any, *, ena_express: bool = False) -> Mapping[str, Any]:
    """Return one network interface; the scaling group sets the subnet.

    An efa-only interface carries no address, so nothing about addresses may be said of it, nor of
    ENA Express, for machine types that support it.
    """
    inputs = {
        "networkCardIndex": nic.card,
        "deviceIndex": nic.device,
        "interfaceType": nic.kind,
        "securityGroups": [security_group],
        "deleteOnTermination": "true",
    }
    if nic.kind == "efa-only":
        return inputs
    express = {"enaSrdSpecification": {"enaSrdEnabled": True}} if ena_express else {}
    return {**inputs, **express, "associatePublicIpAddress": "false"}


def spot_market(price: Decimal | None) -> Mapping[str, Any]:
    """Return a spot request with its maximum price; without one, AWS uses the on-demand price."""
    ceiling = {} if price is None else {"maxPrice": f"{price:f}"}
    return {
        "marketType": "spot",
        "spotOptions": {
            "spotInstanceType": "one-time",
            "instanceInterruptionBehavior": "terminate",
            **ceiling,
        },
    }


def user_data(name: str, script: str) -> str:
    """Return user data in the API's encoding.

    Raises:
        InputError: the names of the buckets made the script larger than EC2 takes.
    """
    if is_accepted_by_ec2(script):
        return base64.b64encode(pack(script)).decode()
    raise InputError.of(
        f"{name}: the start-up script is too long for EC2, with {len(pack(script)):,} "
        f"bytes compressed; allowed: {MAX_USER_DATA:,}; shorten command, or mount fewer parts "
        "of buckets"
    )
