"""Training on spot writes checkpoints."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import (
    Finding,
    Judged,
    Rule,
    Words,
    fact,
    not_applicable,
    settings_hint,
    with_program_fix,
)
from gpuinfra.rules.spot import uses_spot


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge each training group on spot."""
    groups = [g for g in judged.plan.groups if uses_spot(g) and g.purpose == "training"]
    if not groups:
        yield not_applicable(judged.plan.name, "no training on spot")
    words = Words(
        good="writes checkpoints",
        bad="it trains on spot without checkpoints: an interruption loses the run",
        unknown="it is unknown whether it writes checkpoints",
    )
    for group in groups:
        finding = fact(group.subject, group.wishes.checkpoints, words)
        yield with_program_fix(judged, finding, _of_resources(group.name))


def _of_resources(name: str) -> str:
    say = settings_hint(name, "checkpoints: true")
    return f"write checkpoints to a bucket and say so {say}; or train on demand"


RULE = Rule(
    id="spot-checkpoints",
    family="spot",
    title="Training on spot writes checkpoints",
    why="A run of several days that can't resume is lost at the first interruption.",
    fix=_of_resources("…"),
    in_file="add checkpoints: {bucket: …, prefix: …, every: …}, or train on demand",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html",
    check=check,
)
