"""The run-time values that a component's caller passes in addition to its arguments."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import pulumi

from gpuinfra.components.network import Network
from gpuinfra.records import record


@record
class CallerInputs:
    """The run-time values: Pulumi resources and inputs, which may not be known yet.

    Attributes:
        parent: the component, parent of every child.
        network: the caller's own network; None to make one.
        buckets: physical bucket names (`pulumi.Input[str]`) by the names that mounts use.
        keys: the keys of those that are encrypted with the customer's own, by the same names.
        customize: argument values by child and argument, merged into what is declared.
    """

    parent: pulumi.Resource
    network: Network | None = None
    buckets: Mapping[str, Any] = field(default_factory=dict)
    keys: Mapping[str, Any] = field(default_factory=dict)
    customize: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
