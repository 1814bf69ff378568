"""Machines of a fabric ask for no public address."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.fabric import of_fact
from gpuinfra.rules.rule import Finding, Judged, Rule, Words, opposite


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric."""
    words = Words(
        "no public address",
        "asks for a public address, by itself or by its subnet",
        "whether its subnet gives public addresses is not known",
    )
    return of_fact(judged, lambda fabric: opposite(fabric.public_ip), words)


RULE = Rule(
    id="fabric-public-ip",
    family="fabric",
    title="Machines of a fabric have no public address",
    why="A machine with several interfaces can't get one; the cloud refuses the launch.",
    fix="use a private subnet, and leave the public address out of every interface",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    check=check,
    alone=True,
)
