"""``python -m gpuinfra.sandbox.plugin CLOUD [ENGINE]``: serve one cloud to its engine."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import grpc
from pulumi.runtime.proto.provider_pb2_grpc import add_ResourceProviderServicer_to_server

from gpuinfra.errors import SandboxError
from gpuinfra.sandbox.plugin.service import Service

# Only the asked cloud is imported: the engine waits for the plugin's port.
_CLOUDS = {
    "aws": "gpuinfra.sandbox.plugin.aws.cloud",
    "gcp": "gpuinfra.sandbox.plugin.gcp.cloud",
    "azure-native": "gpuinfra.sandbox.plugin.azure.cloud",
}
_THREADS = 32
_LOOK_SECONDS = 1.0
_MESSAGE_BYTES = 400 * 1024 * 1024  # the engine's own limit, sdk/go/common/util/rpcutil


def main(arguments: list[str]) -> int:
    """Serve until the engine ends the process; prints the port as the protocol wants."""
    parent = os.getppid()  # before the engine knows the port, and may end
    if not arguments or arguments[0] not in _CLOUDS:
        print(f"usage: python -m gpuinfra.sandbox.plugin {'|'.join(_CLOUDS)} [ENGINE]")  # noqa: T201
        return 2
    engine = arguments[-1] if len(arguments) > 1 else ""
    try:
        service = Service(import_module(_CLOUDS[arguments[0]]).cloud(), engine)
    except SandboxError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    server = grpc.server(
        ThreadPoolExecutor(max_workers=_THREADS),
        options=[
            ("grpc.max_receive_message_length", _MESSAGE_BYTES),
            ("grpc.max_send_message_length", _MESSAGE_BYTES),
        ],
    )
    add_ResourceProviderServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    try:
        # A killed engine tells its plugins nothing: they end when they are no longer its children.
        while server.wait_for_termination(_LOOK_SECONDS) and os.getppid() == parent:
            pass
    except KeyboardInterrupt:
        server.stop(grace=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
