"""AWS's description of machine types, and the machines that a resource would start."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.operation_context import OperationContext

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
INSTANCE = "aws:ec2/instance:Instance"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"

_facts: dict[str, Mapping[str, Any] | None] = {}
_zones: dict[tuple[str, str], frozenset[str]] = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class MachineStart:
    """The machines that a resource would start.

    Attributes:
        machine: instance type.
        zones: availability zones it may use, empty when the cloud chooses.
        capacity: on-demand, spot or capacity-block.
        template: the launch template's properties, or the instance's own inputs.
    """

    machine: str
    zones: tuple[str, ...]
    capacity: str
    template: Mapping[str, Any]

    @property
    def price(self) -> str:
        """The maximum spot price; empty without one."""
        market = self.template.get("instanceMarketOptions") or {}
        return str((market.get("spotOptions") or {}).get("maxPrice") or "")


def facts(context: OperationContext, machine: str) -> Mapping[str, Any] | None:
    """Return AWS's DescribeInstanceTypes of the machine; None if there is no such type."""
    with _lock:
        if machine not in _facts:
            try:
                answer = context.call.client("ec2").describe_instance_types(
                    InstanceTypes=[machine]
                )
            except ClientError:
                _facts[machine] = None
            else:
                _facts[machine] = next(iter(answer["InstanceTypes"]), None)
        return _facts[machine]


def offered_in(context: OperationContext, machine: str) -> frozenset[str]:
    """Return the region's zones that offer the machine (DescribeInstanceTypeOfferings)."""
    key = (context.call.region, machine)
    with _lock:
        if key not in _zones:
            answer = context.call.client("ec2").describe_instance_type_offerings(
                LocationType="availability-zone",
                Filters=[{"Name": "instance-type", "Values": [machine]}],
            )
            _zones[key] = frozenset(item["Location"] for item in answer["InstanceTypeOfferings"])
        return _zones[key]


def starts(context: OperationContext) -> list[MachineStart]:
    """Return the machines that the call's resource would start; empty for other types."""
    inputs = context.call.inputs
    read = {
        INSTANCE: _instance_starts,
        GROUP: _group_starts,
        RESERVATION: _reservation_starts,
        NODE_GROUP: _node_group_starts,
    }.get(context.call.token)
    return [start for start in read(context, inputs) if start.machine] if read else []


def capacity_of(template: Mapping[str, Any]) -> str:
    """Return the market type of a launch template or an instance, else "on-demand"."""
    return (template.get("instanceMarketOptions") or {}).get("marketType") or "on-demand"


def _instance_starts(
    context: OperationContext, inputs: Mapping[str, Any]
) -> Iterator[MachineStart]:
    template = _template(context, inputs.get("launchTemplate")) | dict(inputs)
    zones = _zones_of(context, [inputs["subnetId"]] if inputs.get("subnetId") else [])
    zone = inputs.get("availabilityZone")
    yield MachineStart(
        template.get("instanceType", ""),
        zones or ((zone,) if zone else ()),
        capacity_of(template),
        template,
    )


def _group_starts(context: OperationContext, inputs: Mapping[str, Any]) -> Iterator[MachineStart]:
    subnets = inputs.get("vpcZoneIdentifiers") or []
    zones = _zones_of(context, subnets) or tuple(inputs.get("availabilityZones") or ())
    mixed = inputs.get("mixedInstancesPolicy")
    if not mixed:
        template = _template(context, inputs.get("launchTemplate"))
        yield MachineStart(
            template.get("instanceType", ""), zones, capacity_of(template), template
        )
        return
    declared = mixed["launchTemplate"]
    template = _template(context, declared.get("launchTemplateSpecification"))
    distribution = mixed.get("instancesDistribution") or {}
    bought = ["spot"] if distribution.get("onDemandPercentageAboveBaseCapacity", 100) < 100 else []  # noqa: PLR2004  percent
    if not bought or distribution.get("onDemandBaseCapacity"):
        bought.append("on-demand")
    machine_types = [item.get("instanceType") for item in declared.get("overrides") or []]
    for machine in filter(None, machine_types or [template.get("instanceType")]):
        for capacity in bought:
            yield MachineStart(machine, zones, capacity, template)


def _reservation_starts(
    _context: OperationContext, inputs: Mapping[str, Any]
) -> Iterator[MachineStart]:
    yield MachineStart(inputs["instanceType"], (inputs["availabilityZone"],), "on-demand", inputs)


def _node_group_starts(
    context: OperationContext, inputs: Mapping[str, Any]
) -> Iterator[MachineStart]:
    template = _template(context, inputs.get("launchTemplate"))
    zones = _zones_of(context, inputs.get("subnetIds") or [])
    bought = {"SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}
    for machine in inputs.get("instanceTypes") or [template.get("instanceType", "")]:
        capacity = bought.get(inputs.get("capacityType", ""), "on-demand")
        yield MachineStart(machine, zones, capacity, template)


def _template(context: OperationContext, reference: Any) -> dict[str, Any]:
    reference = reference or {}
    value = reference.get("id") or reference.get("launchTemplateId")
    key = "id"
    if value is None:
        key, value = "name", reference.get("name") or reference.get("launchTemplateName")
    return dict(context.properties(TEMPLATE, key, value) or {}) if value else {}


def _zones_of(context: OperationContext, subnets: list[str]) -> tuple[str, ...]:
    if not subnets:
        return ()
    try:
        answer = context.call.client("ec2").describe_subnets(SubnetIds=subnets)
    except ClientError:
        recorded = (context.properties("aws:ec2/subnet:Subnet", "id", item) for item in subnets)
        return tuple(
            item["availabilityZone"] for item in recorded if item and "availabilityZone" in item
        )
    return tuple(item["AvailabilityZone"] for item in answer["Subnets"])
