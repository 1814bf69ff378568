"""The seam between the plugin's dispatcher and the handlers that build in a cloud's server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from gpuinfra.sandbox.plugin.settings import ProviderSettings


@dataclass(frozen=True)
class Call:
    """One resource operation, with everything a handler may look at.

    Attributes:
        token: Pulumi type, for example ``aws:ec2/vpc:Vpc``.
        name: the resource's logical name.
        urn: the resource's URN.
        inputs: plain camelCase values; secrets unwrapped, no unknowns, no ``__defaults``.
        region: where the resource stands: a region, a zone, a location, by the cloud's own words.
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
    """The sandbox refuses in the cloud's place; `code` is the cloud's own error code.

    What a server's clients raise becomes this in the dispatcher: a handler may let it through.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(f"{code}: {message}")


class PartialCreateError(CloudRefusalError):
    """The create failed, and what it made stands: the engine keeps it and mends it later."""

    def __init__(
        self, refusal: CloudRefusalError, resource_id: str, outputs: dict[str, Any]
    ) -> None:
        self.resource_id = resource_id
        self.outputs = outputs
        super().__init__(refusal.code, refusal.message)
