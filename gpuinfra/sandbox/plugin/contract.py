"""The interface between the plugin's dispatcher and the handlers of a cloud's server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gpuinfra.sandbox.plugin.settings import ProviderSettings

Inputs = Mapping[str, Any]
"""The inputs of a resource, by name."""


@dataclass(frozen=True)
class OperationTarget:
    """The resource of an operation."""

    urn: str
    token: str
    name: str


@dataclass(frozen=True)
class Call:
    """A resource operation with everything that a handler may use.

    Attributes:
        token: Pulumi type, for example ``aws:ec2/vpc:Vpc``.
        name: the resource's logical name.
        urn: the resource's URN.
        inputs: plain camelCase values; secrets unwrapped, no unknowns, no ``__defaults``.
        region: the resource's location: a region, a zone, a location, by the cloud's own words.
        client: ``client("ec2")`` gives a client for that region at the cloud's server.
        settings: the provider's own.
    """

    token: str
    name: str
    urn: str
    inputs: dict[str, Any]
    region: str
    client: Callable[[str], Any]
    settings: ProviderSettings = field(default_factory=ProviderSettings)


class Handler(Protocol):
    """The operations on one resource type in moto."""

    def create(self, call: Call) -> tuple[str, dict[str, Any]]:
        """Create the resource; return its id and all outputs, inputs included, in camelCase."""
        ...

    def read(self, call: Call, resource_id: str) -> dict[str, Any] | None:
        """Return the current properties, or None if the resource no longer exists.

        ``call.inputs`` are the last known inputs and outputs, ``{}`` on import.
        """
        ...

    def update(self, call: Call, resource_id: str, old: dict[str, Any]) -> dict[str, Any]:
        """Update the resource in place to ``call.inputs``; return all outputs."""
        ...

    def delete(self, call: Call, resource_id: str, old: dict[str, Any]) -> None:
        """Delete the resource; one that no longer exists is no error."""
        ...


class CloudRefusalError(Exception):
    """A refusal of the sandbox as the cloud's; `code` is the cloud's own error code.

    What a server's clients raise becomes this in the dispatcher: a handler may let it through.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


class PartialCreateError(CloudRefusalError):
    """The error of a create that failed after it made a resource, which the engine keeps."""

    def __init__(
        self, refusal: CloudRefusalError, resource_id: str, outputs: dict[str, Any]
    ) -> None:
        self.resource_id = resource_id
        self.outputs = outputs
        super().__init__(refusal.code, refusal.message)
