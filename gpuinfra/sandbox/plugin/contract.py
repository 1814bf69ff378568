"""The seam between the plugin's dispatcher and the handlers that build resources in moto."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Call:
    """One resource operation, with everything a handler may look at.

    Attributes:
        token: Pulumi type, for example ``aws:ec2/vpc:Vpc``.
        name: the resource's logical name.
        urn: the resource's URN.
        inputs: plain camelCase values; secrets unwrapped, no unknowns, no ``__defaults``.
        region: the AWS region the resource belongs to.
        client: ``client("ec2")`` gives a boto3 client for that region at the moto endpoint.
    """

    token: str
    name: str
    urn: str
    inputs: dict[str, Any]
    region: str
    client: Callable[[str], Any]


class Handler(Protocol):
    """How one resource type is made, read, changed and removed in moto."""

    def create(self, call: Call) -> tuple[str, dict[str, Any]]:
        """Make it; return its id and all outputs: inputs echoed plus computed, camelCase."""
        ...

    def read(self, call: Call, resource_id: str) -> dict[str, Any] | None:
        """The properties as the cloud has them now, or None when it is gone.

        ``call.inputs`` are the last known inputs and outputs, ``{}`` on import.
        """
        ...

    def update(self, call: Call, resource_id: str, old: dict[str, Any]) -> dict[str, Any]:
        """Change it in place to ``call.inputs``; return all outputs."""
        ...

    def delete(self, call: Call, resource_id: str, old: dict[str, Any]) -> None:
        """Remove it; a resource that is already gone is no error."""
        ...


class CloudRefusalError(Exception):
    """The sandbox, in the cloud's place, says no; `code` is the cloud's own error code.

    The dispatcher translates botocore's ClientError to this, so a handler may let it through.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")
