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
from tests.policies.ground import Ground


@pytest.fixture(scope="module")
def sandbox_environment(module_sandbox_home: Path) -> dict[str, str]:
    return sandbox.environment(region="us-east-1")


@pytest.fixture(params=["analyzer", "language host"])
def environment(
    request: pytest.FixtureRequest, sandbox_environment: dict[str, str], language_host: Path
) -> dict[str, str]:
    """The sandbox, with packs started by the analyzer shim, or through a language host.

    The host stands in for the official one: it starts packs in the program's folder and without
    PULUMI_STACK, PULUMI_PROJECT and PULUMI_CONFIG.
    """
    if request.param == "analyzer":
        return dict(sandbox_environment)
    path = os.pathsep.join([sandbox_environment["PATH"], str(language_host)])
    return {**sandbox_environment, "PATH": path}


@pytest.fixture
def ground(request: pytest.FixtureRequest, environment: dict[str, str]) -> Iterator[Ground]:
    """A stack of the test's own; `indirect` parameters name the kind of machine."""
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name.lower())
    kind = getattr(request, "param", "instance")
    yield Ground(project=name.strip("-")[-60:].strip("-"), environment=environment, kind=kind)
    sandbox.faults.clear()


@pytest.fixture
def killed_update(
    engine: Engine, language_host: Path, tmp_path: Path
) -> Callable[[Ground, Sequence[str]], None]:
    """Runs an update without any pack, and kills the engine while the last machine is created."""

    def run(ground: Ground, names: Sequence[str]) -> None:
        program = (
            "from tests.policies.ground import Ground, instance\n"
            f"for name in {list(names)!r}:\n"
            f"    instance(Ground(project={ground.project!r}, environment={{}}), name)\n"
        )
        (tmp_path / "__main__.py").write_text(program)
        (tmp_path / "Pulumi.yaml").write_text(f"name: {ground.project}\nruntime: python\n")
        path = os.pathsep.join([ground.environment["PATH"], str(language_host)])
        repository = str(Path(__file__).parents[2])
        sandbox.faults.add(sandbox.faults.Fault(kind="slow-create", seconds=5))
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
