"""What tests of packs show and find in the state: machines, caps, a program's own words."""

from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.model import Resource
from tests.crossguard.wire import ACCEPTED, urn

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
SCHEDULE = "aws:autoscaling/schedule:Schedule"
REGIONS = {"aws": "us-east-1", "gcp": "us-central1"}
BUDGET = ("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run", "price-unknown")
MACHINE = {"instanceType": "p5.48xlarge", "associatePublicIpAddress": False}
FIRST = {"latestVersion": 1, "defaultVersion": 1}
SPOT = {**MACHINE, "instanceMarketOptions": {"marketType": "spot"}}


def capped(per_hour):
    return {"settings": {**ACCEPTED, "budget": {"per_hour": per_hour}}}


def stands(kind, name, inputs, relations=None, region=None, /, **outputs):
    """What the state says of a resource, in a region of its cloud where none is given."""
    return ExistingResource(
        resource=Resource(
            urn=urn(kind, name),
            type=kind,
            name=name,
            inputs=inputs,
            outputs=outputs,
            relations=relations or {},
            region=region or REGIONS.get(kind.partition(":")[0]),
        )
    )


def root(run, **inputs):
    return run.show("gpuinfra:index:Stack", "root", inputs)
