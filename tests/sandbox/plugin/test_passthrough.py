"""The plugin in the place of one that the sandbox does not know, as the engine meets it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub

from gpuinfra.sandbox.plugin.wire import from_wire, to_wire

URN = "urn:pulumi:dev::town::random:index/randomPet:RandomPet::pet"


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResourceProviderStub]:
    home = tmp_path_factory.mktemp("home")
    (home / "schemas").mkdir()
    (home / "schemas" / "random.json").write_text('{"name": "random"}')
    command = [sys.executable, "-m", "gpuinfra.sandbox.plugin.passthrough", "random", "4.18.0"]
    process = subprocess.Popen(
        command,
        env={**os.environ, "GPUINFRA_SANDBOX_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with grpc.insecure_channel(f"127.0.0.1:{process.stdout.readline().strip()}") as channel:
        yield ResourceProviderStub(channel)
    process.terminate()
    process.wait(timeout=10)
    process.stdout.close()


def refused(call: Any, request: Any) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call(request)
    return str(caught.value.details())


def test_it_says_the_sdk_s_version_and_the_schema_it_was_told(
    stranger: ResourceProviderStub,
) -> None:
    assert stranger.GetPluginInfo(empty_pb2.Empty()).version == ("4.18.0")
    assert stranger.GetSchema(proto.GetSchemaRequest()).schema == '{"name": "random"}'
    assert stranger.Handshake(proto.ProviderHandshakeRequest()).accept_secrets


def test_a_preview_shows_what_the_program_says(stranger: ResourceProviderStub) -> None:
    inputs = to_wire({"length": 2, "keepers": {"a": "b"}})
    checked = stranger.Check(proto.CheckRequest(urn=URN, news=inputs))
    made = stranger.Create(proto.CreateRequest(urn=URN, properties=checked.inputs, preview=True))

    assert from_wire(made.properties) == {"length": 2, "keepers": {"a": "b"}}
    assert made.id == ""


def test_nothing_is_ever_made(stranger: ResourceProviderStub) -> None:
    message = refused(stranger.Create, proto.CreateRequest(urn=URN, preview=False))

    assert (
        message
        == "the sandbox can't create resources of the package random: they are only previewed"
    )


def test_no_question_is_answered(stranger: ResourceProviderStub) -> None:
    token = "random:index:getPet"
    refusals = [
        refused(stranger.Invoke, proto.InvokeRequest(tok=token)),
        refused(stranger.Call, proto.CallRequest(tok=token)),
    ]

    assert (
        refusals
        == [f"UnansweredInvoke: the sandbox does not answer {token}; nothing after it was checked"]
        * 2
    )


def test_what_is_read_is_there_with_what_the_program_states(
    stranger: ResourceProviderStub,
) -> None:
    read = stranger.Read(proto.ReadRequest(urn=URN, id="x", properties=to_wire({"length": 2})))

    assert (read.id, from_wire(read.properties)) == ("x", {"length": 2})


def test_a_component_of_the_package_is_not_known(stranger: ResourceProviderStub) -> None:
    message = refused(stranger.Construct, proto.ConstructRequest(type="random:index:Zoo"))

    assert message == "the sandbox cannot construct random:index:Zoo"


class Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """The engine's side: it keeps what is registered."""

    def __init__(self) -> None:
        self.registered: list[Any] = []

    def RegisterResource(self, request: Any, context: Any) -> Any:  # noqa: N802  (gRPC)
        self.registered.append(request)
        return resource_pb2.RegisterResourceResponse(urn=f"urn:x::{request.name}")


def test_a_component_is_previewed_as_one_resource_of_unknown_content(
    stranger: ResourceProviderStub,
) -> None:
    monitor = Monitor()
    server = grpc.server(ThreadPoolExecutor(1))
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(monitor, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    request = proto.ConstructRequest(
        type="random:index:Zoo",
        name="zoo",
        parent="urn:parent",
        inputs=to_wire({"gpus": 8}),
        monitorEndpoint=f"127.0.0.1:{port}",
        dryRun=True,
    )
    made = stranger.Construct(request)
    server.stop(None)
    (registered,) = monitor.registered

    assert made.urn == "urn:x::zoo"
    assert from_wire(made.state) == {}
    assert (registered.type, registered.parent, registered.custom) == (
        "random:index:Zoo",
        "urn:parent",
        True,
    )
    assert from_wire(registered.object) == {"gpus": 8}
