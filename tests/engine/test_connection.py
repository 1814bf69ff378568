"""What an engine that has gone leaves behind in the process that ran its program."""

import contextvars
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi import log
from pulumi.runtime import settings
from pulumi.runtime.proto import engine_pb2_grpc

from gpuinfra.engine import connection


class Engine(engine_pb2_grpc.EngineServicer):
    def __init__(self):
        self.heard = []

    def Log(self, request, context):  # noqa: N802
        self.heard.append(request.message)
        if request.message == "refused":
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "not you")
        return empty_pb2.Empty()


@contextmanager
def listening(port):
    engine, server = Engine(), grpc.server(ThreadPoolExecutor(max_workers=1))
    engine_pb2_grpc.add_EngineServicer_to_server(engine, server)
    assert server.add_insecure_port(f"127.0.0.1:{port}") == port
    server.start()
    try:
        yield engine
    finally:
        server.stop(0).wait()


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def connected(port):
    """The context of a program whose engine is at that port."""
    context = contextvars.copy_context()
    address = f"127.0.0.1:{port}"
    context.run(settings.reset_options, project="p", stack="s", engine_address=address)
    return context


def test_a_new_engine_on_the_port_of_one_that_went_is_reached(port):
    connection.connect_separately()
    gone = connected(port)
    with pytest.raises(grpc.RpcError, match="Connection refused"):
        gone.run(log.debug, "to nobody")

    with listening(port) as engine:
        connected(port).run(log.debug, "first word")

    assert engine.heard == ["first word"]


def test_a_program_may_write_to_an_engine_that_has_gone(port):
    context = connected(port)
    context.run(connection.ignore_ended_engine)

    context.run(log.debug, "to nobody")


def test_what_an_engine_refuses_to_write_is_raised(port):
    context = connected(port)
    context.run(connection.ignore_ended_engine)

    with listening(port) as engine, pytest.raises(grpc.RpcError, match="not you"):
        context.run(log.debug, "refused")

    assert engine.heard == ["refused"]


def test_a_program_without_an_engine_is_left_as_it_is():
    contextvars.copy_context().run(connection.ignore_ended_engine)


def test_every_run_keeps_apart_once():
    connection.connect_separately()
    connection.connect_separately()

    assert (
        vars(settings)["_GRPC_CHANNEL_OPTIONS"].count(("grpc.use_local_subchannel_pool", 1)) == 1
    )
