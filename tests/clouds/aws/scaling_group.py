"""What tests of capacity share: a scaling group of one launch template, and what is seen of it."""

from typing import Any

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import Group
from tests.rules.cases.program import Program

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"


def target(reservation: Any) -> dict[str, Any]:
    return {"capacityReservationTarget": {"capacityReservationId": reservation}}


def machines(
    program: Program, count: int, more: dict[str, Any] | None = None, **inputs: Any
) -> None:
    """A scaling group of one template; `more` is the group's."""
    template = program.add(TEMPLATE, "node", **{"instanceType": "p5.48xlarge", **inputs})
    program.add(
        GROUP,
        "workers",
        minSize=count,
        maxSize=count,
        availabilityZones=["us-east-1a"],
        launchTemplate={"id": template.id},
        **(more or {}),
    )


def only(program: Program, moment: Any = "created") -> Group:
    (group,) = observe(program.resources(moment)).groups
    return group
