"""The moto server as the backend of AWS types, with its boto3 clients."""

import os
from collections.abc import Mapping
from threading import Lock
from typing import Any

from gpuinfra.sandbox.plugin.contract import CloudRefusalError, Handler
from gpuinfra.sandbox.sandbox_folder import (
    ON_DEMAND_VARIABLE,
    SERVER_FILE,
    read_json,
    sandbox_home,
)

_GONE = "SandboxServerGone"


class Moto:
    """The cache of boto3 clients; the endpoint is in the sandbox's server file."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str], Any] = {}
        self._lock = Lock()

    def start(self) -> str:
        """Return the id of the running server's start; empty if none was started."""
        return str((read_json(sandbox_home() / SERVER_FILE) or {}).get("start", ""))

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers of the types that moto supports."""
        from gpuinfra.sandbox.aws import HANDLERS  # noqa: PLC0415  loads botocore

        return HANDLERS

    def client(self, service: str, region: str) -> Any:
        """Return the client; raises CloudRefusalError when no server was started."""
        with self._lock:
            key = (service, region)
            if key not in self._clients:
                self._clients[key] = self._make(service, region)
            return self._clients[key]

    def refusal(self, error: Exception, lost: int) -> CloudRefusalError | None:
        """Return boto3's error with AWS's code and message; None for other errors."""
        from botocore.exceptions import (  # noqa: PLC0415  loaded with the first operation
            ClientError,
            EndpointConnectionError,
            HTTPClientError,
            ParamValidationError,
        )

        if isinstance(error, ClientError):
            problem = error.response["Error"]
            return CloudRefusalError(problem["Code"], problem.get("Message", ""))
        if isinstance(error, ParamValidationError):
            return CloudRefusalError("ValidationError", str(error))
        if isinstance(error, EndpointConnectionError | HTTPClientError):
            return self.lost_stack_refusal(lost)
        return None

    def lost_stack_refusal(self, lost: int) -> CloudRefusalError:
        """Return the error for a server that has ended, with how many resources were lost."""
        went = f" and with it {lost} resources in moto" if lost else ""
        return CloudRefusalError(
            _GONE,
            f"the sandbox's server ended{went}. Start it with `gpuinfra sandbox start`; "
            "then `pulumi refresh` removes lost resources from the state, or `gpuinfra "
            "sandbox reset` removes everything",
        )

    def _make(self, service: str, region: str) -> Any:
        import boto3  # noqa: PLC0415  0.2 s that a program without moto resources need not wait
        from botocore.config import Config  # noqa: PLC0415

        return boto3.client(
            service,
            region_name=region,
            endpoint_url=self._endpoint(),
            aws_access_key_id="sandbox",
            aws_secret_access_key="sandbox",  # noqa: S106  moto looks at none
            config=Config(
                retries={"max_attempts": 2},
                s3={"addressing_style": "path"},
                max_pool_connections=64,
            ),
        )

    def _endpoint(self) -> str:
        """Return the server's endpoint; a temporary sandbox starts the server on first use."""
        server = read_json(sandbox_home() / SERVER_FILE)
        if server is not None:
            return str(server["endpoint"])
        if os.environ.get(ON_DEMAND_VARIABLE) != "1":
            raise self.lost_stack_refusal(0)
        from gpuinfra.sandbox import lifecycle  # noqa: PLC0415  hardly any program needs it

        return lifecycle.start().endpoint
