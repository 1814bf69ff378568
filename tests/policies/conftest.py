"""Where the packs are tried: the sandbox, with packs started in each of the two ways."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Engine
from tests.policies.ground import ANALYZER, Cloud, Ground
from tests.policies.ground import cloud as cloud_named

pytest.register_assert_rewrite("tests.policies.cap_cases")


@pytest.fixture(scope="module")
def sandbox_environment(module_sandbox_home: Path) -> dict[str, str]:
    return sandbox.environment(region="us-east-1")


@pytest.fixture
def environment(
    request: pytest.FixtureRequest, sandbox_environment: dict[str, str], language_host: Path
) -> dict[str, str]:
    """The sandbox, with packs started by the analyzer shim, or through a language host.

    `indirect` parameters say which way; without one it is the shim.
    The host stands in for the official one: it starts packs in the program's folder and without
    PULUMI_STACK, PULUMI_PROJECT and PULUMI_CONFIG.
    """
    if getattr(request, "param", ANALYZER) == ANALYZER:
        return dict(sandbox_environment)
    path = os.pathsep.join([sandbox_environment["PATH"], str(language_host)])
    return {**sandbox_environment, "PATH": path}


@pytest.fixture
def cloud() -> Cloud:
    """Where the machines are; a test elsewhere has a fixture of its own."""
    return cloud_named("aws")


@pytest.fixture
def ground(
    request: pytest.FixtureRequest, environment: dict[str, str], cloud: Cloud
) -> Iterator[Ground]:
    """A stack of the test's own; `indirect` parameters name the kind of machine."""
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name.lower())
    kind = getattr(request, "param", "instance")
    project = name.strip("-")[-60:].strip("-")
    yield Ground(project=project, environment=environment, cloud=cloud, kind=kind)
    sandbox.faults.clear()


@pytest.fixture
def killed_update(
    engine: Engine, language_host: Path, tmp_path: Path
) -> Callable[[Ground, Sequence[str]], None]:
    """Runs an update without any pack, and kills the engine while the last machine is created."""

    def run(ground: Ground, names: Sequence[str]) -> None:
        program = (
            "from tests.policies.ground import Ground, cloud\n"
            f"ground = Ground({ground.project!r}, {{}}, cloud({ground.cloud.name!r}))\n"
            f"ground.register({list(names)!r})\n"
        )
        (tmp_path / "__main__.py").write_text(program)
        (tmp_path / "Pulumi.yaml").write_text(f"name: {ground.project}\nruntime: python\n")
        path = os.pathsep.join([ground.environment["PATH"], str(language_host)])
        repository = str(Path(__file__).parents[2])
        sandbox.faults.add(sandbox.faults.InjectedFault(kind="slow-create", seconds=5))
        with subprocess.Popen(
            [engine.path, "up", "--yes", "--skip-preview", "--stack", "sandbox"],
            cwd=tmp_path,
            env={**os.environ, **ground.environment, "PATH": path, "PYTHONPATH": repository},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        ) as running:
            while not ground.stood().pending:
                assert running.poll() is None, "the update ended before it could be killed"
                time.sleep(0.02)
            os.killpg(running.pid, signal.SIGKILL)
        sandbox.faults.clear()
        lifecycle.unlock(ground.request(lambda: None, {}))

    return run
