"""A sandbox of its own for each test, one server for all that only look, the engine for e2e."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub

from gpuinfra import sandbox
from gpuinfra.engine.contract import Engine
from gpuinfra.sandbox.plugin.wire import from_wire, to_wire
from tests.inline import Stacks, stacks

REGION = "us-east-1"


@pytest.fixture(scope="session")
def town_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A sandbox with a running server that many tests share."""
    home = tmp_path_factory.mktemp("town")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUINFRA_SANDBOX_HOME", str(home))
        sandbox.start()
    yield home
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUINFRA_SANDBOX_HOME", str(home))
        sandbox.stop()


@pytest.fixture
def shared_home(town_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared sandbox, as this test's sandbox."""
    monkeypatch.setenv("GPUINFRA_SANDBOX_HOME", str(town_home))
    return town_home


class Plugin:
    """The plugin as the engine sees it: a process that speaks gRPC."""

    def __init__(self, strict: bool = True, package: str = "aws", **settings: Any) -> None:
        environment = {**os.environ, **sandbox.environment(strict=strict)}
        for name in ("AWS_REGION", "GOOGLE_PROJECT", "ARM_SUBSCRIPTION_ID"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [shutil.which(f"pulumi-resource-{package}", path=environment["PATH"]) or ""],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        port = self.process.stdout.readline().strip()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.stub = ResourceProviderStub(self.channel)
        self.configure(**(settings or {"region": REGION}))

    def configure(self, **settings: Any) -> None:
        self.stub.Configure(proto.ConfigureRequest(args=to_wire(settings)))

    def check(
        self,
        token: str,
        inputs: dict[str, Any],
        name: str = "thing",
        old: dict[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Checked inputs, and what was refused by path."""
        answer = self.stub.Check(
            proto.CheckRequest(
                urn=urn(token, name),
                news=to_wire(inputs),
                olds=to_wire(old or {}),
                randomSeed=b"seed" + name.encode(),
            )
        )
        return from_wire(answer.inputs), {item.property: item.reason for item in answer.failures}

    def create(
        self, token: str, inputs: dict[str, Any], name: str = "thing", preview: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """Check, then create; the id and the outputs."""
        checked, failures = self.check(token, inputs, name)
        assert not failures
        answer = self.stub.Create(
            proto.CreateRequest(urn=urn(token, name), properties=to_wire(checked), preview=preview)
        )
        return answer.id, from_wire(answer.properties)

    def refusal(self, token: str, inputs: dict[str, Any], name: str = "refused") -> str:
        """What the plugin says when it refuses to create."""
        with pytest.raises(grpc.RpcError) as caught:
            self.create(token, inputs, name)
        return str(caught.value.details())

    def read(self, token: str, resource_id: str, name: str = "thing", **known: Any) -> Any:
        return self.stub.Read(
            proto.ReadRequest(
                id=resource_id,
                urn=urn(token, name),
                properties=to_wire(known.get("outputs", {})),
                inputs=to_wire(known.get("inputs", {})),
            )
        )

    def update(
        self,
        token: str,
        resource_id: str,
        old: dict[str, Any],
        new: dict[str, Any],
        name: str = "thing",
    ) -> dict[str, Any]:
        answer = self.stub.Update(
            proto.UpdateRequest(
                id=resource_id, urn=urn(token, name), olds=to_wire(old), news=to_wire(new)
            )
        )
        return from_wire(answer.properties)

    def delete(
        self, token: str, resource_id: str, outputs: dict[str, Any], name: str = "thing"
    ) -> None:
        self.stub.Delete(
            proto.DeleteRequest(id=resource_id, urn=urn(token, name), properties=to_wire(outputs))
        )

    def diff(self, token: str, old: dict[str, Any], new: dict[str, Any], **state: Any) -> Any:
        return self.stub.Diff(
            proto.DiffRequest(
                id="id",
                urn=urn(token, "thing"),
                old_inputs=to_wire(old),
                news=to_wire(new),
                olds=to_wire({**old, **state}),
            )
        )

    def invoke(self, token: str, **arguments: Any) -> dict[str, Any]:
        answer = self.stub.Invoke(proto.InvokeRequest(tok=token, args=to_wire(arguments)))
        return from_wire(getattr(answer, "return"))

    def close(self) -> None:
        self.channel.close()
        self.process.terminate()
        self.process.wait(timeout=10)
        assert self.process.stdout is not None
        self.process.stdout.close()


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:dev::town::{token}::{name}"


@pytest.fixture
def start_plugin() -> Iterator[Callable[..., Plugin]]:
    """Starts plugin processes in the test's sandbox and ends them after it."""
    started: list[Plugin] = []

    def start(**options: Any) -> Plugin:
        started.append(Plugin(**options))
        return started[-1]

    yield start
    for plugin in started:
        plugin.close()


@pytest.fixture(scope="session")
def plugin(town_home: Path) -> Iterator[Plugin]:
    """One plugin process in the shared sandbox."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUINFRA_SANDBOX_HOME", str(town_home))
        started = Plugin()
    yield started
    started.close()


@pytest.fixture
def stack(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox_home: Path
) -> Iterator[Stacks]:
    """Makes a stack of an inline program, by its name."""
    yield from stacks(engine, tmp_path, monkeypatch, region=REGION, project="town")


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Polls until a condition holds; fails after ten seconds."""

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    return wait
