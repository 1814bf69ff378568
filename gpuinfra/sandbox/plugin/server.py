"""The server that holds a cloud's resources instead of the ledger; most clouds have none."""

from collections.abc import Mapping
from typing import Any, Protocol

from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Handler


class Server(Protocol):
    """A server that holds the resource types with a handler."""

    def start(self) -> str:
        """Return the id of the running server's start; empty when none was started."""
        ...

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers of the types in the server."""
        ...

    def client(self, service: str, region: str) -> Any:
        """Return a client of a service; raises CloudRefusalError when the server is missing."""
        ...

    def refusal(self, error: Exception, lost: int) -> CloudRefusalError | None:
        """Return a client's error as the cloud's refusal; None for other errors.

        `lost` is the number of its resources.
        """
        ...

    def lost_stack_refusal(self, lost: int) -> CloudRefusalError:
        """Return the error for a stack whose `lost` resources were in a server that ended."""
        ...


class NoServer:
    """The absence of a server: all types are in the ledger."""

    def start(self) -> str:
        """Return an empty id, since no server runs."""
        return ""

    def handlers(self) -> Mapping[str, Handler]:
        """Return no handlers."""
        return {}

    def client(self, service: str, region: str) -> Any:
        """Raise CloudRefusalError, since there is no server."""
        raise CloudRefusalError("NoServer", f"no client of {service} in {region}")

    def refusal(self, error: Exception, lost: int) -> CloudRefusalError | None:  # noqa: ARG002
        """Return None, since no client can raise an error."""
        return None

    def lost_stack_refusal(self, lost: int) -> CloudRefusalError:
        """Raise AssertionError: without a server no resource can be lost."""
        raise AssertionError(f"the state has {lost} resources of a server that no longer exists")
