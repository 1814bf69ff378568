"""The server of a provider for the engine that started this process."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from pulumi.runtime.proto.provider_pb2_grpc import add_ResourceProviderServicer_to_server

_THREADS = 32
_LOOK_SECONDS = 1.0
_MESSAGE_BYTES = 400 * 1024 * 1024  # the engine's own limit, sdk/go/common/util/rpcutil


def serve(provider: Any, parent: int) -> None:
    """Serve a `ResourceProviderServicer` until the engine ends; print the port first.

    `parent` is the engine's process, asked for before the engine knows the port, and may end.
    """
    server = grpc.server(
        ThreadPoolExecutor(max_workers=_THREADS),
        options=[
            ("grpc.max_receive_message_length", _MESSAGE_BYTES),
            ("grpc.max_send_message_length", _MESSAGE_BYTES),
        ],
    )
    add_ResourceProviderServicer_to_server(provider, server)
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
