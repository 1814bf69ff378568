"""EC2 Fleets; those of type `instant` start their machines once, on creation."""

from typing import Any

from gpuinfra.sandbox import faults
from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.instances import metadata_of, set_metadata
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, without
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts

_ON_DEMAND = "on-demand"
_INSTANT = "instant"
_SEPARATE = facts("aws", "separate")["aws:ec2/fleet:Fleet"]
_ENDED_STATES = frozenset(
    {"deleted", "deleted-terminating", "deleted_terminating", "deleted_running"}
)
_SHORTAGES = ("no-capacity", "quota", "spot-price")
_ALIVE = frozenset({"pending", "running", "stopping", "stopped"})


class Fleet(ResourceHandler):
    """``aws:ec2/fleet:Fleet``.

    A fleet without capacity stands, empty: CreateFleet answers with `Errors` that the provider
    does not look at (terraform-provider-aws internal/service/ec2/ec2_fleet.go). moto starts each
    machine with one interface, regardless of its template. Options are answered as last known.
    """

    def create(self, call: Call) -> str:
        client, inputs = call.client("ec2"), call.inputs
        request = arguments(client, "CreateFleet", without(inputs, _SEPARATE))
        # moto takes the strategy of spot options for granted.
        if "SpotOptions" in request:
            request["SpotOptions"] = {"AllocationStrategy": "lowestPrice"} | request["SpotOptions"]
        if _out_of_capacity(call):
            request["TargetCapacitySpecification"] |= {
                "TotalTargetCapacity": 0,
                "OnDemandTargetCapacity": 0,
                "SpotTargetCapacity": 0,
            }
        response = client.create_fleet(**request, **ec2.tag_specifications(call, "fleet"))
        started = [
            machine_id
            for group in response.get("Instances", [])
            for machine_id in group["InstanceIds"]
        ]
        for template in _templates(inputs):
            set_metadata(call, started, metadata_of(call, template))
        return str(response["FleetId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        fleet = ec2.describe_one(call, "describe_fleets", "Fleets", FleetIds=[resource_id])
        if fleet is None or fleet["FleetState"] in _ENDED_STATES:
            return None
        machines = _machines(call, resource_id)
        return {
            "fleetInstanceSets": _sets(machines) or None,
            "fleetState": fleet["FleetState"],
            "fulfilledCapacity": len(machines),
            "fulfilledOnDemandCapacity": sum(not _spot(machine) for machine in machines),
            "type": fleet["Type"],
            "arn": ec2.arn(call, ec2.account(call), "fleet", resource_id),
            **tags.tag_outputs(call, ec2.current_tags(call, resource_id)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        inputs = call.inputs
        changed = [
            key
            for key in ("launchTemplateConfigs", "targetCapacitySpecification", "context")
            if inputs.get(key) != old.get(key)
        ]
        if changed and inputs.get("type") == _INSTANT:
            raise CloudRefusalError(
                "FleetNotInModifiableState",
                f"a fleet of type instant can't be modified: {', '.join(changed)} "
                "[https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyFleet.html]",
            )
        ec2.retag(call, resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        terminates_instances = bool(old.get("terminateInstances"))
        if not terminates_instances and old.get("type") == _INSTANT:
            raise CloudRefusalError(
                "NoTerminateInstancesNotSupported",
                "a fleet of type instant can be deleted only with its instances: set "
                "terminateInstances "
                "[https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteFleets.html]",
            )
        client = call.client("ec2")
        machines = (
            [machine["InstanceId"] for machine in _machines(call, resource_id)]
            if terminates_instances
            else []
        )
        # moto stumbles over a fleet that has no machine to end.
        client.delete_fleets(FleetIds=[resource_id], TerminateInstances=bool(machines))
        if machines:
            client.terminate_instances(InstanceIds=machines)
            ec2.drop_interfaces(call, machines)


def _machines(call: Call, fleet: str) -> list[dict[str, Any]]:
    client = call.client("ec2")
    listed = client.describe_fleet_instances(FleetId=fleet)["ActiveInstances"]
    ids = [machine["InstanceId"] for machine in listed if machine.get("InstanceId")]
    if not ids:
        return []
    reservations = client.describe_instances(InstanceIds=ids)["Reservations"]
    return [
        machine
        for group in reservations
        for machine in group["Instances"]
        if machine["State"]["Name"] in _ALIVE
    ]


def _sets(machines: list[dict[str, Any]]) -> list[Properties]:
    """Return machines grouped by type and lifecycle, as DescribeFleets lists them."""
    kinds = sorted({(entry["InstanceType"], _spot(entry)) for entry in machines})
    return [
        {
            "instanceIds": sorted(
                entry["InstanceId"]
                for entry in machines
                if (entry["InstanceType"], _spot(entry)) == (machine, spot)
            ),
            "instanceType": machine,
            "lifecycle": "spot" if spot else _ON_DEMAND,
        }
        for machine, spot in kinds
    ]


def _spot(machine: dict[str, Any]) -> bool:
    return machine.get("InstanceLifecycle") == "spot"


def _templates(inputs: Properties) -> list[Properties]:
    key_names = {"launchTemplateId": "id", "launchTemplateName": "name", "version": "version"}
    return [
        {key_names[key]: value for key, value in config["launchTemplateSpecification"].items()}
        for config in inputs.get("launchTemplateConfigs") or []
        if config.get("launchTemplateSpecification")
    ]


def _out_of_capacity(call: Call) -> bool:
    """Return whether a pending capacity fault leaves this fleet without machines."""
    capacities = call.inputs["targetCapacitySpecification"]
    capacity = capacities["defaultTargetCapacityType"]
    configs = call.inputs["launchTemplateConfigs"]
    overrides = [override for config in configs for override in config.get("overrides") or []]
    machines = {override.get("instanceType") for override in overrides} - {None}
    zones = _zones(call, overrides)

    def fault_applies(fault: faults.InjectedFault) -> bool:
        return (
            fault.type in (None, call.token)
            and fault.capacity in (None, capacity)
            and (fault.instance_type is None or machines <= {fault.instance_type})
            and (fault.zone is None or zones <= {fault.zone})
        )

    return any(faults.take_fault(kind, fault_applies) is not None for kind in _SHORTAGES)


def _zones(call: Call, overrides: list[Properties]) -> set[str]:
    """Return the zones that the fleet may use; empty if it names none."""
    subnets = [override["subnetId"] for override in overrides if override.get("subnetId")]
    zones = {
        override["availabilityZone"] for override in overrides if override.get("availabilityZone")
    }
    if not subnets:
        return zones
    rows = call.client("ec2").describe_subnets(SubnetIds=subnets)["Subnets"]
    return zones | {row["AvailabilityZone"] for row in rows}
