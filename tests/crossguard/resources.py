"""What tests of packs show and find in the state: machines, caps, a program's own words."""

from gpuinfra.crossguard.state import StandingResource
from gpuinfra.model import Resource
from tests.crossguard.wire import ACCEPTED, urn

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
BUDGET = ("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run", "price-unknown")
MACHINE = {"instanceType": "p5.48xlarge", "associatePublicIpAddress": False}
FIRST = {"latestVersion": 1, "defaultVersion": 1}
SPOT = {**MACHINE, "instanceMarketOptions": {"marketType": "spot"}}


def capped(per_hour):
    return {"settings": {**ACCEPTED, "budget": {"per_hour": per_hour}}}


def stands(kind, name, inputs, relations=None, region=None, /, **outputs):
    """What the state says of a resource; of AWS, in us-east-1 where no region is given."""
    return StandingResource(
        resource=Resource(
            urn=urn(kind, name),
            type=kind,
            name=name,
            inputs=inputs,
            outputs=outputs,
            relations=relations or {},
            region=region or ("us-east-1" if kind.startswith("aws") else None),
        )
    )


def root(run, **inputs):
    return run.show("gpuinfra:index:Stack", "root", inputs)
