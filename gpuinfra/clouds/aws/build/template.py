"""The launch template: how a machine of a group starts."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.identity import Identity
from gpuinfra.clouds.aws.build.image import Image
from gpuinfra.clouds.aws.interfaces import Nic
from gpuinfra.clouds.aws.payload import LIMIT, fits, packed
from gpuinfra.clouds.footprint import gib
from gpuinfra.stackfile.schema import Disk

METADATA: Final = {"http_endpoint": "enabled", "http_tokens": "required"}
"""IMDSv2 only."""

TAGGED: Final = ("instance", "volume", "network-interface")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a template says of a machine.

    Attributes:
        type: of the machine.
        nics: its network interfaces.
        disk: its own.
        ena_express: whether its IP interfaces speak SRD.
        spot: whether it is asked for on spot.
        spot_price: the most of that in USD an hour; None for the on-demand price.
        block: whether it is of a capacity block.
        reservation: the id of the reservation, or the block, that it is of.
        placement_group: where it stands, when no scaling group says so.
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
    reservation: pulumi.Input[str] | None = None
    placement_group: pulumi.Input[str] | None = None
    hops: int = 1


def launch_template(
    children: Children,
    launch: Launch,
    image: Image,
    *,
    identity: Identity,
    security_group: pulumi.Input[str],
    start: pulumi.Input[str],
) -> aws.ec2.LaunchTemplate:
    """Register the template; every value of it is what the plan was judged on.

    Booleans of disks and interfaces are strings in this API.
    """
    return children.make(
        aws.ec2.LaunchTemplate,
        "launch_template",
        image_id=image.id,
        instance_type=launch.type,
        iam_instance_profile={"arn": identity.profile.arn},
        block_device_mappings=[{"device_name": image.root_device, "ebs": root_disk(launch.disk)}],
        metadata_options={**METADATA, "http_put_response_hop_limit": launch.hops},
        network_interfaces=[
            interface(nic, security_group, ena_express=launch.ena_express) for nic in launch.nics
        ],
        user_data=pulumi.Output.from_input(start).apply(partial(encoded, children.order.name)),
        tag_specifications=[
            {
                "resource_type": kind,
                "tags": {"Name": children.order.name, **children.tags},
            }
            for kind in TAGGED
        ],
        update_default_version=True,
        **bought(launch),
    )


def bought(launch: Launch) -> dict[str, Any]:
    """How the machine is bought, and where it stands.

    A machine that names a reservation comes from it or not at all, so that nobody pays for both.
    A block takes the market's name too, or EC2 refuses the launch:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html
    """
    said: dict[str, Any] = {}
    if launch.spot:
        said["instance_market_options"] = spot_market(launch.spot_price)
    elif launch.block:
        said["instance_market_options"] = {"market_type": "capacity-block"}
    if launch.reservation is not None:
        said["capacity_reservation_specification"] = {
            "capacity_reservation_target": {"capacity_reservation_id": launch.reservation}
        }
    if launch.placement_group is not None:
        said["placement"] = {"group_name": launch.placement_group}
    return said


def root_disk(disk: Disk) -> Mapping[str, Any]:
    """The machine's own disk: gp3, encrypted, gone with the machine."""
    speed = {"iops": disk.iops, "throughput": disk.throughput}
    return {
        "encrypted": "true",
        "delete_on_termination": "true",
        "volume_type": "gp3",
        "volume_size": gib(disk.size),
        **{name: value for name, value in speed.items() if value is not None},
    }


def interface(
    nic: Nic, security_group: pulumi.Input[str], *, ena_express: bool = False
) -> Mapping[str, Any]:
    """One network interface; the subnet is the scaling group's to say.

    An efa-only interface carries no address, so nothing about addresses may be said of it, nor of
    ENA Express, which speeds up what has one.
    """
    shown = {
        "network_card_index": nic.card,
        "device_index": nic.device,
        "interface_type": nic.kind,
        "security_groups": [security_group],
        "delete_on_termination": "true",
    }
    if nic.kind == "efa-only":
        return shown
    express = {"ena_srd_specification": {"ena_srd_enabled": True}} if ena_express else {}
    return {**shown, **express, "associate_public_ip_address": "false"}


def spot_market(price: Decimal | None) -> Mapping[str, Any]:
    """A spot request with its ceiling; without one, AWS's own is the on-demand price."""
    ceiling = {} if price is None else {"max_price": f"{price:f}"}
    return {
        "market_type": "spot",
        "spot_options": {
            "spot_instance_type": "one-time",
            "instance_interruption_behavior": "terminate",
            **ceiling,
        },
    }


def encoded(name: str, script: str) -> str:
    """User data as the API takes it.

    Raises:
        RunError: the names of the buckets made the script larger than EC2 takes.
    """
    if not fits(script):
        raise pulumi.RunError(
            f"{name}: the start-up script is too long for EC2, with {len(packed(script)):,} bytes "
            f"compressed; allowed: {LIMIT:,}; shorten command, or mount fewer parts of buckets"
        )
    return base64.b64encode(packed(script)).decode()
