"""Machines of a fabric ask for no public address."""

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.rules.fabric import of_fact
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="fabric-public-ip",
    family="fabric",
    title="Machines of a fabric have no public address",
    why="The cloud refuses to launch a machine with several interfaces and a public address.",
    fix="use a private subnet, and request no public address on any interface",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    check=of_fact(
        lambda fabric: opposite(fabric.public_ip),
        good="no public address",
        bad="it requests a public address, directly or through its subnet",
        unknown="it is unknown whether its subnet assigns public addresses",
    ),
    alone=True,
)
