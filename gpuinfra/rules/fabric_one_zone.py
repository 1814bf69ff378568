"""The machines of a fabric stand in one zone."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.fabric import of_fact
from gpuinfra.rules.rule import Finding, Judged, Rule, Words


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each declared fabric."""
    words = Words(
        "one zone",
        "its machines may stand in several zones",
        "the zones that its machines may stand in are not known",
    )
    return of_fact(judged, lambda fabric: fabric.one_zone, words)


RULE = Rule(
    id="fabric-one-zone",
    family="fabric",
    title="A fabric stays in one zone",
    why="RDMA traffic does not cross zones; ranks in two zones never connect.",
    fix="keep the group in one zone: one subnet, one zone",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    check=check,
    alone=True,
)
