import os
import subprocess
import sys
import time
from pathlib import Path

import pytest


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpuinfra.sandbox.plugin", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("arguments", [(), ("oracle",)])
def test_an_unknown_cloud_is_told_which_there_are(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)

    assert done.returncode == 2
    assert done.stdout.startswith("usage: python -m gpuinfra.sandbox.plugin aws")


def test_a_damaged_ledger_is_a_message_and_no_traceback(sandbox_home: Path) -> None:
    sandbox_home.mkdir()
    (sandbox_home / "ledger.db").write_text("no database", encoding="utf-8")

    done = run("aws")

    assert done.returncode == 1
    assert "gpuinfra sandbox reset" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plugin_ends_with_the_engine_that_started_it(sandbox_home: Path) -> None:
    plugin = [sys.executable, "-m", "gpuinfra.sandbox.plugin", "aws"]
    engine = (
        "import subprocess, sys\n"
        f"plugin = subprocess.Popen({plugin!r}, stdout=subprocess.PIPE)\n"
        "plugin.stdout.readline()\n"
        "print(plugin.pid, flush=True)\n"
        "import os; os._exit(0)"
    )
    wait_for_the_plugin_of(engine)


def test_what_a_plugin_was_asked_for_by_a_killed_engine_is_not_made_later(
    sandbox_home: Path,
) -> None:
    plugin = [sys.executable, "-m", "gpuinfra.sandbox.plugin", "gcp"]
    engine = (
        "import os, subprocess, time, grpc\n"
        "from pulumi.runtime.proto import provider_pb2 as proto\n"
        "from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub\n"
        "from gpuinfra.sandbox import faults\n"
        f"plugin = subprocess.Popen({plugin!r}, stdout=subprocess.PIPE)\n"
        "port = plugin.stdout.readline().decode().strip()\n"
        "stub = ResourceProviderStub(grpc.insecure_channel(f'127.0.0.1:{port}'))\n"
        "stub.Configure(proto.ConfigureRequest())\n"
        "faults.add(faults.InjectedFault(kind='slow-create', seconds=600, times=1))\n"
        "urn = 'urn:pulumi:s::p::gcp:pubsub/topic:Topic::t'\n"
        "asked = stub.Create.future(proto.CreateRequest(urn=urn))\n"
        "while faults.active_faults(): time.sleep(0.05)\n"
        "print(plugin.pid, flush=True)\n"
        "os._exit(0)"
    )
    wait_for_the_plugin_of(engine)


@pytest.mark.parametrize("package", ["gcp", "azure-native"])
def test_a_plugin_loads_its_own_cloud_only(package: str, sandbox_home: Path) -> None:
    code = (
        "import sys\n"
        "from importlib import import_module\n"
        "from gpuinfra.sandbox.plugin import __main__ as plugin\n"
        "from gpuinfra.sandbox.plugin.service import Service\n"
        f"Service(import_module(plugin._CLOUDS[{package!r}]).cloud())\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not {"boto3", "botocore", "gpuinfra.sandbox.plugin.aws", "gpuinfra.sandbox.aws"} & set(
        loaded
    )


@pytest.mark.parametrize("package", ["aws", "gcp", "azure-native"])
def test_a_plugin_serves_without_the_sdk(package: str, sandbox_home: Path) -> None:
    """The engine waits for each plugin that it starts, and the SDK takes as long as all else."""
    command = [sys.executable, "-X", "importtime", "-m", "gpuinfra.sandbox.plugin", package]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as plugin:
        assert plugin.stdout is not None
        assert int(plugin.stdout.readline()) > 0
        plugin.terminate()
        _, imported = plugin.communicate(timeout=60)

    loaded = {line.rpartition("|")[2].strip() for line in imported.splitlines()}
    assert "pulumi.runtime.proto.provider_pb2" in loaded
    assert not {"pulumi", "pulumi.runtime", "pulumi.automation", "dill"} & loaded


def wait_for_the_plugin_of(engine: str) -> None:
    """Run an engine, which prints its plugin's number, and see the plugin end after it."""
    done = subprocess.run(
        [sys.executable, "-c", engine], capture_output=True, text=True, check=True, timeout=60
    )
    deadline = time.monotonic() + 20
    while alive(int(done.stdout)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return (
            subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode
            == 0
        )


def test_the_plugin_knows_nothing_of_gpuinfra() -> None:
    code = (
        "import sys, gpuinfra.sandbox.plugin.__main__, gpuinfra.sandbox.plugin.service\n"
        "from gpuinfra.sandbox.plugin.aws import lookups, references, refusals\n"
        "from gpuinfra.sandbox.aws import HANDLERS\n"
        "print(*sorted(name for name in sys.modules if name.startswith('gpuinfra.')))"
    )
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ
    ).stdout.split()

    others = {name for name in loaded if not name.startswith("gpuinfra.sandbox")}
    assert others == {
        "gpuinfra.errors",
        "gpuinfra.file_locks",
        "gpuinfra.lazy",
        "gpuinfra.pulumi_special_values",
        "gpuinfra.records",
        "gpuinfra.similar_words",
        "gpuinfra.urns",
        "gpuinfra.version",
    }
    assert len(HANDLERS_NEEDED & set(loaded)) == len(HANDLERS_NEEDED)


HANDLERS_NEEDED = {"gpuinfra.sandbox.aws", "gpuinfra.sandbox.plugin.service"}
