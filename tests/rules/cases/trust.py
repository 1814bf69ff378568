"""Machines of three clouds that refer to other stacks, and what is trusted of those."""

from gpuinfra.model import Resource, Trust, Usage
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.program import Program

STACK = "pulumi:pulumi:StackReference"
RULES = ("public-address", "open-login", "administrator-role")

MACHINE = {
    "ami": "ami-1",
    "instanceType": "g6.xlarge",
    "subnetId": "subnet-1",
    "vpcSecurityGroupIds": ["sg-1"],
    "iamInstanceProfile": "platform",
}

NETWORK = (
    Trust(input="subnetId", private=True, why="ours"),
    Trust(input="vpcSecurityGroupIds", private=True, why="ours"),
)

LIMITED = Trust(input="iamInstanceProfile", limited=True, why="ours")


def told(resources, *trust):
    """The outcomes of RULES under what is trusted."""
    plan = of_resources(resources, usage=Usage(trust=trust))
    return tuple(outcomes(plan, rule)[0] for rule in RULES)


def aws(**changes):
    """One machine of AWS."""
    program = Program()
    program.add("aws:ec2/instance:Instance", "box", **{**MACHINE, **changes})
    return program


def gcp(network="projects/host/global/networks/shared", **interface):
    return Resource(
        urn="urn:pulumi:dev::shop::gcp:compute/instance:Instance::box",
        type="gcp:compute/instance:Instance",
        name="box",
        inputs={
            "machineType": "g2-standard-4",
            "zone": "us-central1-a",
            "networkInterfaces": [{"network": network, **interface}],
            "serviceAccount": {
                "email": "work@host.iam.gserviceaccount.com",
                "scopes": ["cloud-platform"],
            },
        },
    )


def made(kind, **inputs):
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::it", type=kind, name="it", inputs=inputs, region=None
    )
