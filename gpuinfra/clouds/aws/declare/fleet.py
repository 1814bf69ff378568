"""The fleet of a training workload that starts all of its machines at once or none."""

from decimal import Decimal
from functools import partial
from typing import Any

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.training_group import TrainingMachines, purchase_key
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.errors import RefusedError
from gpuinfra.graph import Options, compute, format_values
from gpuinfra.model import Rung


def make_fleet(children: Children, machines: TrainingMachines) -> Any:
    """Declare one request for all machines, in one zone; return its id once EC2 started all.

    It has the name that a scaling group would have, by which a workload's machines are found.
    EC2 does not replace a lost machine. A change of the template or of the number of machines
    replaces the fleet, after the old machines have ended.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instant-fleet.html
    """
    group, nodes, template = machines.group, machines.workload.nodes, machines.template
    price = group.rung.max_price
    highest = {} if price is None else {"maxPrice": f"{price:f}"}
    fleet = children.make(
        "aws:ec2/fleet:Fleet",
        "group",
        Options(
            depends_on=tuple(machines.start_after),
            replacement_trigger=purchase_key(group.rung),
            replace_on_changes=("launchTemplateConfigs", "targetCapacitySpecification"),
            delete_before_replace=True,
        ),
        type="instant",
        launchTemplateConfigs=[
            {
                "launchTemplateSpecification": {
                    "launchTemplateId": template["id"],
                    "version": format_values(str, template["latestVersion"]),
                },
                "overrides": [{"subnetId": machines.subnet_id, **highest}],
            }
        ],
        targetCapacitySpecification={
            "defaultTargetCapacityType": _purchase_option(group.rung),
            "totalTargetCapacity": nodes,
        },
        terminateInstances=True,
        **_options(group.rung, nodes),
    )
    return compute(
        partial(require_all_machines, children.spec, nodes),
        fleet["id"],
        fleet["fulfilledCapacity"],
    )


def _purchase_option(rung: Rung) -> str:
    """Return the fleet's term for the purchase option; reserved machines are on-demand to it."""
    return rung.capacity if rung.capacity in {"spot", "capacity-block"} else "on-demand"


def _options(rung: Rung, nodes: int) -> dict[str, Any]:
    """Return the options: all machines or none, one type, one zone; none for a capacity block."""
    together: dict[str, Any] = {
        "minTargetCapacity": nodes,
        "singleAvailabilityZone": True,
        "singleInstanceType": True,
    }
    if rung.capacity == "capacity-block":
        return {}
    if rung.capacity == "spot":
        together = {
            **together,
            "allocationStrategy": "price-capacity-optimized",
            "instanceInterruptionBehavior": "terminate",
        }
        return {"spotOptions": together}
    return {"onDemandOptions": together}


def require_all_machines(
    spec: BuildSpec, nodes: int, fleet_id: str, fulfilled: float | None
) -> str:
    """Return the fleet's id if it has its machines; a fleet without them exists all the same.

    The provider drops the errors of machines that EC2 could not start: no capacity, a quota, a
    permission, or a role that has not propagated yet. The fleet keeps them:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_FleetData.html

    Raises:
        RefusedError: EC2 started fewer machines.
    """
    if fulfilled is not None and Decimal(str(fulfilled)) < nodes:
        raise RefusedError(
            f"{spec.name}: the fleet {fleet_id} has {fulfilled:g} of {nodes} machines; "
            f"for the reason: aws ec2 describe-fleets --region {spec.region} "
            f"--fleet-ids {fleet_id} --query 'Fleets[].Errors'. If EC2 lacks capacity "
            "for all of them at once, run `gpuinfra up` again, or use another rung with "
            "--rung"
        )
    return str(fleet_id)
