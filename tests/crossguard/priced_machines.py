"""Machines that cost what they say, and a running total of them."""

from decimal import Decimal

from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.running_total import RunningTotal
from gpuinfra.crossguard.update_cost import Cost
from gpuinfra.model import Resource

INSTANCE = "aws:ec2/instance:Instance"


def urn(name):
    return f"urn:pulumi:dev::proj::{INSTANCE}::{name}"


def machine(name, price, relations=None, **inputs):
    """A machine that costs its monitoring an hour; monitoring changes in place."""
    return Resource(
        urn=urn(name),
        type=INSTANCE,
        name=name,
        inputs={"monitoring": price, **inputs},
        relations=relations or {},
    )


class Prices:
    """A world where a resource costs what it says, or what the one that it refers to says."""

    def __init__(self):
        self.known = {}

    def add(self, resource, former_urn=""):
        self.known.pop(former_urn, None)
        self.known[resource.urn] = resource

    def cost(self, resource):
        goal = resource.inputs.get("lt", resource.outputs.get("id"))
        templates = [
            candidate
            for candidate in self.known.values()
            if goal and candidate.outputs.get("id") == goal
        ]
        template = templates[0] if templates else resource
        price = template.inputs["monitoring"]
        if price is None:
            amounts = (("machines", resource.inputs.get("count", 1)),)
            return Cost(unknown=(f"{resource.name} has no price",), amounts=amounts)
        left = Decimal(price - sum(self.occupancy(resource).machines.values()))
        return Cost(per_hour=left, per_month=left * 730)

    def kept_cost(self, resource, used):
        left = Decimal(max(0, resource.inputs["monitoring"] - used))
        return Cost(per_hour=left, per_month=left * 730)

    def occupancy(self, resource):
        return Occupancy(
            {
                other.urn: other.inputs["monitoring"]
                for other in self.known.values()
                if other.inputs.get("of") == resource.urn
            }
        )

    def reserves(self, resource):
        return resource.inputs.get("keeps", False)

    def names(self, resource):
        return [resource.outputs["id"]] if "id" in resource.outputs else []

    def named_by(self, resource):
        return texts_in(resource.inputs)


def running(*standing):
    rows = [
        resource if isinstance(resource, ExistingResource) else ExistingResource(resource=resource)
        for resource in standing
    ]
    return RunningTotal(rows, Prices)


def see(total, *resources, deletes_first=False):
    for resource in resources:
        step = total.count(resource, deletes_first=deletes_first)
    return step
