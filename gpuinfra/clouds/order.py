"""What any room's build is told: plan-time values in one class, run-time values in the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Plan-time: plain values, known before anything runs.

    Attributes:
        name: the component's name; the names of its children start with it.
        stack: the stack it belongs to, a tag.
        owner: who answers for it, a tag.
        region: where it is built.
        tags: the caller's own, on everything that takes tags, beside ours.
    """

    name: str
    stack: str
    owner: str
    region: str
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Run-time: Pulumi resources and inputs, which may not be known until something exists.

    Attributes:
        parent: the component, parent of every child.
        network: the caller's own network, in the room's terms; None to make one.
        buckets: physical bucket names (`pulumi.Input[str]`) by the names that mounts use.
        customize: argument values by child and argument, merged into what the build says.
    """

    parent: Any
    network: Any = None
    buckets: Mapping[str, Any] = field(default_factory=dict)
    customize: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
