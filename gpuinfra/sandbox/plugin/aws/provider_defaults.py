"""The values that AWS or its provider picks for omitted inputs, where moto differs."""

from collections.abc import Callable
from typing import Any

from gpuinfra.sandbox.plugin.contract import Call


def default_inputs(call: Call) -> dict[str, Any]:
    """Return inputs to add to those given."""
    choose = _CHOICES.get(call.token)
    return choose(call) if choose else {}


def _zone(call: Call) -> dict[str, Any]:
    """Return the first zone, so that runs are alike; AWS takes any zone, moto a random one."""
    if call.inputs.get("availabilityZone") or call.inputs.get("availabilityZoneId"):
        return {}
    zones = call.client("ec2").describe_availability_zones()["AvailabilityZones"]
    return {"availabilityZone": min(zone["ZoneName"] for zone in zones)}


def _protocol(call: Call) -> dict[str, Any]:
    """Return HTTP for application load balancers, as terraform-provider-aws does."""
    application = ":loadbalancer/app/" in str(call.inputs.get("loadBalancerArn"))
    return {} if call.inputs.get("protocol") or not application else {"protocol": "HTTP"}


_CHOICES: dict[str, Callable[[Call], dict[str, Any]]] = {
    "aws:ec2/subnet:Subnet": _zone,
    "aws:lb/listener:Listener": _protocol,
}
