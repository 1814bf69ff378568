"""The scaling group of a training workload: a fixed number of machines, replaced when lost."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.agent.install import DEFAULT_RESULT, HEARTBEAT_TIMEOUT, LIFECYCLE_HOOK
from gpuinfra.clouds.aws.declare.capacity import Capacity
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.graph import Options, Resource, format_values
from gpuinfra.model import Group, Rung
from gpuinfra.records import record
from gpuinfra.specs.schema import Training

CAPACITY_TIMEOUT: Final = "10m"
"""How long an update waits for all machines; no capacity by then is an answer: the next rung. A
launch that fails says so at once: `ignore_failed_scaling_activities` stays off."""

RESERVED_TIMEOUT: Final = "5m"
"""The same for machines that are kept already: there they are, or the reservation does not fit."""

DELETE_TIMEOUT: Final = {"delete": "30m"}
"""How long a deletion waits for the group's machines: the hook or the drain holds them for
minutes, and a machine with eight GPUs takes minutes more to shut down. The provider's own ten
minutes are too few: https://github.com/redhat-developer/mapt/issues/627"""

SUSPENDED_ALWAYS: Final = ("AZRebalance",)
SUSPENDED_FOR_GANG: Final = ("AZRebalance", "ReplaceUnhealthy")
"""Processes that a group does without. A gang of machines bought on demand is not broken up over a
health check, which would end the run on all of them; an interrupted spot machine has to come back.
https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html

For the same reason `capacity_rebalance` stays off: it starts a machine beside the gang, which a
run of fixed size has no place for. The agent saves the run when AWS recommends to move."""


@record
class TrainingMachines:
    """The machines of a training workload: type, number, location and prerequisites.

    Attributes:
        group: the plan's group.
        workload: the workload of the stack file.
        template: the launch template.
        capacity: the reservation and the placement group.
        subnet_id: the subnet of all machines.
        start_after: the keys of resources that a machine needs to start.
    """

    group: Group
    workload: Training
    template: Resource
    capacity: Capacity
    subnet_id: Any
    start_after: Sequence[str]


def make_group(children: Children, machines: TrainingMachines) -> Resource:
    """Declare the group, in one subnet; a run with checkpoints is saved before its machine ends.

    Another machine or another way to buy it replaces the group, the old one deleted first: a
    fixed group would keep its running machines and so differ from what was priced and judged.
    Other changes of the template reach a machine when it is next replaced, never mid-run.
    """
    group, nodes, template = machines.group, machines.workload.nodes, machines.template
    starts_together = nodes > 1 and group.rung.capacity != "spot"
    scaling = children.make(
        "aws:autoscaling/group:Group",
        "group",
        Options(
            depends_on=tuple(machines.start_after),
            replacement_trigger=purchase_key(group.rung),
            delete_before_replace=True,
            timeouts=DELETE_TIMEOUT,
        ),
        minSize=nodes,
        maxSize=nodes,
        desiredCapacity=nodes,
        vpcZoneIdentifiers=[machines.subnet_id],
        launchTemplate={
            "id": template["id"],
            "version": format_values(str, template["latestVersion"]),
        },
        healthCheckType="EC2",
        healthCheckGracePeriod=300,
        suspendedProcesses=SUSPENDED_FOR_GANG if starts_together else SUSPENDED_ALWAYS,
        waitForCapacityTimeout=RESERVED_TIMEOUT if _is_reserved(group.rung) else CAPACITY_TIMEOUT,
        tags=group_tags(children),
        placementGroup=machines.capacity.placement_group,
    )
    if machines.workload.checkpoints is not None:
        _hook(children, scaling)
    return scaling


def purchase_key(rung: Rung) -> tuple[str, ...]:
    """Return the key of a rung's machines: their type and how they are bought."""
    reservations = (
        [rung.reservation] if rung.reservation is not None else ["reserve"] * rung.reserve
    )
    return (rung.machine, rung.capacity, *reservations)


def group_tags(children: Children) -> list[dict[str, object]]:
    """Return a scaling group's tags, which its machines inherit."""
    tags = {"Name": children.spec.name, **children.tags}
    return [{"key": key, "value": value, "propagateAtLaunch": True} for key, value in tags.items()]


def _is_reserved(rung: Rung) -> bool:
    """Return whether the machines are reserved for this workload."""
    return rung.reserve or rung.reservation is not None


def _hook(children: Children, scaling: Resource) -> None:
    """Declare the hook that delays a machine's termination until its agent has saved the run.

    Without a heartbeat of the agent the machine ends after the timeout, so that nothing hangs.
    When the group is deleted the hook goes with it: deleted before, it would hold no machine.
    """
    children.make(
        "aws:autoscaling/lifecycleHook:LifecycleHook",
        "checkpoint_hook",
        Options(deleted_with=scaling.key),
        name=LIFECYCLE_HOOK,
        autoscalingGroupName=scaling["name"],
        lifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
        heartbeatTimeout=HEARTBEAT_TIMEOUT,
        defaultResult=DEFAULT_RESULT,
    )
