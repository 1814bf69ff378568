"""The fleet of a training workload that wants all of its machines at once, or none."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.scaling_group import bought
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.model import Group, Rung

KINDS: Final[Kinds] = {"group": aws.ec2.Fleet}
"""Under the name of a scaling group, by which a workload's machines are found."""


def make_fleet(
    children: Children,
    group: Group,
    nodes: int,
    made: aws.ec2.LaunchTemplate,
    subnet_id: pulumi.Input[str],
    *,
    ready: Sequence[pulumi.Resource],
) -> pulumi.Output[str]:
    """One request for all machines, in one zone; gives its id once EC2 has started all of them.

    It is asked once: a machine that is lost stays lost, and what changes of its template or its
    size makes the fleet anew, the old machines ended first.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instant-fleet.html
    """
    fleet = children.make(
        aws.ec2.Fleet,
        "group",
        opts=children.options(
            depends_on=list(ready),
            replacement_trigger=bought(group.rung),
            replace_on_changes=["launchTemplateConfigs", "targetCapacitySpecification"],
            delete_before_replace=True,
        ),
        type="instant",
        launch_template_configs=[
            {
                "launch_template_specification": {
                    "launch_template_id": made.id,
                    "version": made.latest_version.apply(str),
                },
                "overrides": [{"subnet_id": subnet_id, **_price(group.rung)}],
            }
        ],
        target_capacity_specification={
            "default_target_capacity_type": _type(group.rung),
            "total_target_capacity": nodes,
        },
        terminate_instances=True,
        **_options(group.rung, nodes),
    )
    return pulumi.Output.all(fleet.id, fleet.fulfilled_capacity).apply(
        partial(whole, children.order.name, nodes)
    )


def _type(rung: Rung) -> str:
    """The fleet's word for the way to buy; reserved machines are on demand to it."""
    return rung.capacity if rung.capacity in {"spot", "capacity-block"} else "on-demand"


def _price(rung: Rung) -> dict[str, str]:
    return {} if rung.max_price is None else {"max_price": f"{rung.max_price:f}"}


def _options(rung: Rung, nodes: int) -> dict[str, Any]:
    """All machines or none, of one kind in one zone; a block has all of them already."""
    together: dict[str, Any] = {
        "min_target_capacity": nodes,
        "single_availability_zone": True,
        "single_instance_type": True,
    }
    if rung.capacity == "capacity-block":
        return {}
    if rung.capacity == "spot":
        together = {
            **together,
            "allocation_strategy": "price-capacity-optimized",
            "instance_interruption_behavior": "terminate",
        }
        return {"spot_options": together}
    return {"on_demand_options": together}


def whole(name: str, nodes: int, made: Sequence[Any]) -> str:
    """The fleet's id, when it has its machines: without room it stands all the same, and empty.

    Raises:
        RunError: EC2 started fewer machines.
    """
    fleet_id, fulfilled = made
    if fulfilled is not None and Decimal(str(fulfilled)) < nodes:
        raise pulumi.RunError(
            f"{name}: the fleet {fleet_id} has {fulfilled:g} of {nodes} machines: EC2 had no room"
            " for all of them at once; the next gpuinfra up asks again, or take another rung with"
            " --rung"
        )
    return str(fleet_id)
