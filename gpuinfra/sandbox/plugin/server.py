"""The server beside the ledger in which some types of a cloud live; most clouds have none."""

from collections.abc import Mapping
from typing import Any, Protocol

from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Handler


class Server(Protocol):
    """Where types with a handler live, and how its clients' errors read."""

    def start(self) -> str:
        """The id of the running server's start; empty when none was started."""
        ...

    def handlers(self) -> Mapping[str, Handler]:
        """The types that live in it."""
        ...

    def client(self, service: str, region: str) -> Any:
        """A client of one of its services; raises CloudRefusalError when it is not there."""
        ...

    def refusal(self, error: Exception, lost: int) -> CloudRefusalError | None:
        """What a client raised, as the cloud's refusal; None for what is no refusal.

        `lost` is how many resources stood in it.
        """
        ...

    def lost_stack_refusal(self, lost: int) -> CloudRefusalError:
        """Return the error for a stack whose `lost` resources were in a server that ended."""
        ...


class NoServer:
    """All types live in the ledger, also without another cloud's server."""

    def start(self) -> str:
        """No server, no start."""
        return ""

    def handlers(self) -> Mapping[str, Handler]:
        """None."""
        return {}

    def client(self, service: str, region: str) -> Any:
        """There is none to ask."""
        raise CloudRefusalError("NoServer", f"no client of {service} in {region}")

    def refusal(self, error: Exception, lost: int) -> CloudRefusalError | None:  # noqa: ARG002
        """No client, no error of one."""
        return None

    def lost_stack_refusal(self, lost: int) -> CloudRefusalError:
        """Nothing stands in it, so nothing is lost with it."""
        raise AssertionError(f"the state has {lost} resources of a server that no longer exists")
