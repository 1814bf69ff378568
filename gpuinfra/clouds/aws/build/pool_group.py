"""Builds the scaling group of a pool: its machines, how they are bought and replaced."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import scaling
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.scaling_group import CAPACITY_TIMEOUT, NEVER_MOVED, group_tags
from gpuinfra.clouds.building.network import Place
from gpuinfra.model import Group, Rung

GRACE: Final = 900
"""Seconds before a failed health check counts: images of tens of GB and models load first."""

HEALTHY_DURING_REFRESH: Final = 90
"""Percent of the pool that serves while machines are replaced after a change."""

IN_TURN: Final = {"on_demand_allocation_strategy": "prioritized"}
"""On demand the first type comes first, and the others where it is not to be had."""

COUNTED: Final = (scaling.RUNNING, scaling.WANTED)
"""What a group says of itself only when it is asked to, and a pool that works off a queue follows:
how many machines run, and how many are to; free:
https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-metrics.html"""


def make_group(
    children: Children,
    group: Group,
    made: aws.ec2.LaunchTemplate,
    place: Place,
    *,
    targets: aws.lb.TargetGroup | None,
    ready: Sequence[pulumi.Resource],
) -> aws.autoscaling.Group:
    """The scaling group between its minimum and maximum; the policy alone says how many run.

    The desired size is left out, so that no update undoes what the policy did. A change of the
    template rolls through the pool while most of it serves, and stops where its machines do not
    get well: those before them serve on, until the earlier stack file is brought up again.
    `auto_rollback` would not do that: the provider gives the group the new template first, and
    then all machines are replaced by it, in the name of going back.
    https://github.com/hashicorp/terraform-provider-aws/issues/34189

    Capacity rebalancing is off, and so is the rebalancing between zones: both go beyond the
    maximum that the caps count, by 10 % or by a machine.
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-capacity-rebalancing.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-benefits.html
    """
    specification = {
        "launch_template_id": made.id,
        "version": made.latest_version.apply(str),
    }
    overrides = {"overrides": [{"instance_type": one} for one in group.machines]}
    judged: dict[str, Any] = (
        {"health_check_type": "EC2", "enabled_metrics": list(COUNTED)}
        if targets is None
        else {"health_check_type": "ELB", "target_group_arns": [targets.arn]}
    )
    return children.make(
        aws.autoscaling.Group,
        "group",
        opts=children.options(depends_on=list(ready)),
        min_size=group.minimum,
        max_size=group.maximum,
        vpc_zone_identifiers=list(place.subnet_ids),
        mixed_instances_policy={
            "launch_template": {
                "launch_template_specification": specification,
                **(overrides if group.machines else {}),
            },
            "instances_distribution": {
                **distribution(group.rung),
                **(IN_TURN if group.machines else {}),
            },
        },
        health_check_grace_period=GRACE,
        suspended_processes=list(NEVER_MOVED),
        wait_for_capacity_timeout=CAPACITY_TIMEOUT,
        instance_refresh={
            "strategy": "Rolling",
            "preferences": {"min_healthy_percentage": HEALTHY_DURING_REFRESH},
        },
        tags=group_tags(children),
        **judged,
    )


def distribution(rung: Rung) -> dict[str, Any]:
    """How a pool's machines are bought: a base on demand, and shares above it.

    The spot strategy weighs price and the risk of interruption; AWS's default looks at price only.
    """
    shares: dict[str, Any] = {
        "on_demand_base_capacity": rung.on_demand_base,
        "on_demand_percentage_above_base_capacity": int(
            100 * (Decimal(1) - rung.spot_share_above_base)
        ),
        "spot_allocation_strategy": "price-capacity-optimized",
    }
    if rung.spot_share_above_base and rung.max_price is not None:
        shares["spot_max_price"] = f"{rung.max_price:f}"
    return shares
