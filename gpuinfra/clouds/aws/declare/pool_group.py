"""Declares the scaling group of a pool: its machines, their purchase and replacement."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.declare import scaling
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.training_group import (
    CAPACITY_TIMEOUT,
    DELETE_TIMEOUT,
    SUSPENDED_ALWAYS,
    group_tags,
)
from gpuinfra.clouds.declaring.network import NetworkPlace
from gpuinfra.graph import Options, Resource, concat
from gpuinfra.model import Group, Rung, Unknown

GRACE: Final = 900
"""Seconds before a failed health check counts: images of tens of GB and models load first."""

HEALTHY_DURING_REFRESH: Final = 90
"""Percent of the pool that serves while machines are replaced after a change."""

PRIORITIZED_ALLOCATION: Final = {"onDemandAllocationStrategy": "prioritized"}
"""On demand the first type comes first, and the others where it is not to be had."""

COUNTED_METRICS: Final = (scaling.RUNNING, scaling.DESIRED_CAPACITY)
"""What a group says of itself only when it is asked to, and a pool that works off a queue follows:
how many machines run, and how many are to; free:
https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-metrics.html"""


def make_group(
    children: Children,
    group: Group,
    template: Resource,
    network_place: NetworkPlace,
    *,
    targets: Resource | None,
    start_after: Sequence[str],
) -> Resource:
    """Declare the group between its minimum and maximum; the policy alone sets its size.

    The desired size is left out, so that no update undoes what the policy did. A change of the
    template rolls through the pool while most of it serves, and stops where its machines do not
    get well: those before them serve on, until the earlier stack file is brought up again.
    `auto_rollback` would not do that: the provider gives the group the new template first, and
    then all machines are replaced by it, in the name of going back.
    https://github.com/hashicorp/terraform-provider-aws/issues/34189

    Capacity rebalancing is off, and so is the rebalancing between zones: both go beyond the
    maximum that the caps count, by 10% or by a machine.
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-capacity-rebalancing.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-benefits.html
    """
    specification = {
        "launchTemplateId": template["id"],
        "version": concat(template["latestVersion"]),
    }
    overrides = {"overrides": [{"instanceType": machine} for machine in group.machines]}
    judged: dict[str, Any] = (
        {"healthCheckType": "EC2", "enabledMetrics": COUNTED_METRICS}
        if targets is None
        else {"healthCheckType": "ELB", "targetGroupArns": [targets["arn"]]}
    )
    return children.make(
        "aws:autoscaling/group:Group",
        "group",
        Options(depends_on=tuple(start_after), timeouts=DELETE_TIMEOUT),
        minSize=group.minimum,
        maxSize=group.maximum,
        vpcZoneIdentifiers=network_place.subnet_ids,
        mixedInstancesPolicy={
            "launchTemplate": {
                "launchTemplateSpecification": specification,
                **(overrides if group.machines else {}),
            },
            "instancesDistribution": {
                **distribution(group.rung),
                **(PRIORITIZED_ALLOCATION if group.machines else {}),
            },
        },
        healthCheckGracePeriod=GRACE,
        suspendedProcesses=SUSPENDED_ALWAYS,
        waitForCapacityTimeout=CAPACITY_TIMEOUT,
        instanceRefresh={
            "strategy": "Rolling",
            "preferences": _refresh(group, answers=targets is not None),
        },
        tags=group_tags(children),
        **judged,
    )


def _refresh(group: Group, *, answers: bool) -> dict[str, int]:
    """Return the preferences for replacing machines after a change.

    A pool that answers starts a new machine before it ends an old one: a maximum of healthy
    machines that is said, even of 100%, is passed by one machine where the minimum leaves no
    other way. Else a pool that runs one machine would be down while that one is replaced. At its
    largest the pool ends one first, as the minimum then lets it, and so keeps to the size that the
    caps count. One of a single machine can't; the caps count one more.
    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_RefreshPreferences.html
    """
    if not answers or isinstance(group.maximum, Unknown):
        return {"minHealthyPercentage": HEALTHY_DURING_REFRESH}
    without_one = 100 * (group.maximum - 1) // group.maximum
    least = min(HEALTHY_DURING_REFRESH, without_one or HEALTHY_DURING_REFRESH)
    return {"minHealthyPercentage": least, "maxHealthyPercentage": 100}


def distribution(rung: Rung) -> dict[str, Any]:
    """Return the purchase options of a pool's machines: an on-demand base, and shares above it.

    The spot strategy weighs price and the risk of interruption; AWS's default looks at price only.
    """
    distribution_inputs: dict[str, Any] = {
        "onDemandBaseCapacity": rung.on_demand_base,
        "onDemandPercentageAboveBaseCapacity": int(
            100 * (Decimal(1) - rung.spot_share_above_base)
        ),
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    if rung.spot_share_above_base and rung.max_price is not None:
        distribution_inputs["spotMaxPrice"] = f"{rung.max_price:f}"
    return distribution_inputs
