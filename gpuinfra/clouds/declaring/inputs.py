"""The values that the caller passes to a component at run time, as values of the graph."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from gpuinfra.graph import RuntimeInput
from gpuinfra.records import record

ORGANIZATION: Final = RuntimeInput("organization")
PROJECT: Final = RuntimeInput("project")
STACK: Final = RuntimeInput("stack")
NOW: Final = RuntimeInput("now")
"""Facts of the run: Pulumi's names, and the time (UTC, ISO 8601 to the second)."""


@record
class CallersNetwork:
    """The caller's own network, with values that may exist only at run time.

    `subnet_ids` is a list of such, or one value that is a list.
    """

    vpc_id: Any
    subnet_ids: Any
    cidr_block: Any = None


@record
class RuntimeInputs:
    """The run-time inputs of a component, in addition to its plan.

    Attributes:
        network: the caller's own; None to declare one.
        buckets: physical names by the names that mounts use; plain text where it is known.
        keys: the encryption keys of those that have one of the customer's, by the same names.
        images_renewed: when images were last renewed by hand, as Pulumi configuration has it; a
            part of the names under which found images are kept.
    """

    network: CallersNetwork | None = None
    buckets: Mapping[str, Any] = field(default_factory=dict)
    keys: Mapping[str, Any] = field(default_factory=dict)
    images_renewed: str = ""
