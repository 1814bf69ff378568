"""The gRPC connections between a program and its engine, one per run."""

from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS  # noqa: TID253
from pulumi.runtime.settings import get_engine  # noqa: TID253

_LOCAL_POOL_OPTION = ("grpc.use_local_subchannel_pool", 1)


def connect_separately() -> None:
    """Make every run open a new connection, even if an earlier run's connection broke.

    gRPC shares connections by address within a process. One whose engine has gone waits up to
    two minutes between its attempts; a later engine that is given the same port would be taken
    for gone all that time.
    """
    if _LOCAL_POOL_OPTION not in _GRPC_CHANNEL_OPTIONS:
        _GRPC_CHANNEL_OPTIONS.append(_LOCAL_POOL_OPTION)


def ignore_ended_engine() -> None:
    """Ignore errors when the program writes to an engine that has ended.

    The Automation API writes debug messages on its way out. One that fails leaves the program's
    loop, threads and connections behind, and a traceback in the log.
    """
    engine = get_engine()
    if engine is not None:
        engine.Log = _unless_gone(engine.Log)  # pyright: ignore[reportAttributeAccessIssue]


def _unless_gone(log: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def write(request: Any) -> Any:
        try:
            return log(request)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return empty_pb2.Empty()

    return write
