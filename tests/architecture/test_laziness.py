"""What a fresh interpreter has loaded after some work: no more than the work needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.clouds import CLOUDS

ROOT = Path(__file__).parents[2]
SDKS = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure": "pulumi_azure_native"}
HEAVY = {
    *SDKS.values(),
    *("pulumi", "pulumi_policy", "grpc", "boto3", "moto", "urllib3"),
    *("numpy", "pandas", "scipy", "statsmodels"),
    *("jinja2", "matplotlib"),
}

MOST_MODULES = {"startup-aws": 376, "startup-gcp": 312, "startup-azure": 305, "anywhere": 494}
"""Of ours without the rules, which every check loads: a few more than each check needs. What only
other stacks need is imported by them."""

RUN = """
import contextlib, io
from gpuinfra.cli import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    assert run({arguments!r}) == 0
"""

DEPLOY = """
import asyncio
from pathlib import Path
from gpuinfra import source
from gpuinfra.components.program import program
from tests.components.conftest import run
asyncio.set_event_loop(asyncio.new_event_loop())
found, _ = source.read(Path({stack!r}), {{}})
made = run(program(found, {{}}), config={{"gcp:project": "my-project"}}, clouds=())
assert len(made.resources) > 10
"""
"""Registers all that a stack file says, without an engine."""


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running the code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def clouds_of(modules: set[str]) -> set[str]:
    return {cloud for cloud in CLOUDS if f"gpuinfra.clouds.{cloud}" in modules}


@pytest.mark.parametrize("verb", ["check", "plan", "cost"])
@pytest.mark.parametrize("cloud", CLOUDS)
def test_reading_a_stack_loads_no_pulumi_and_one_room(verb: str, cloud: str, stacks: Path) -> None:
    loaded = loaded_by(RUN.format(arguments=[verb, str(stacks / f"startup-{cloud}")]))

    assert not packages(loaded) & HEAVY
    assert clouds_of(loaded) == {cloud}


def test_any_cloud_loads_all_rooms_and_no_pulumi(stacks: Path) -> None:
    loaded = loaded_by(RUN.format(arguments=["check", str(stacks / "anywhere")]))

    assert not packages(loaded) & HEAVY
    assert clouds_of(loaded) == set(CLOUDS)


@pytest.mark.parametrize("stack", MOST_MODULES)
def test_a_check_loads_what_its_stack_needs(stack: str, stacks: Path) -> None:
    loaded = loaded_by(RUN.format(arguments=["check", str(stacks / stack)]))

    ours = {name for name in loaded if name.partition(".")[0] == "gpuinfra"}
    counted = {name for name in ours if not name.startswith("gpuinfra.rules.")}
    assert len(counted) <= MOST_MODULES[stack], (
        "import a new module inside of the function that uses it, if most stacks do without it; "
        "else raise MOST_MODULES"
    )


@pytest.mark.parametrize("cloud", CLOUDS)
def test_choosing_loads_no_pulumi_and_one_room(cloud: str) -> None:
    loaded = loaded_by(RUN.format(arguments=["choose", "T4:1", "--cloud", cloud]))

    assert not packages(loaded) & HEAVY
    assert clouds_of(loaded) == {cloud}


def test_init_checks_what_it_writes_without_pulumi_in_one_room(tmp_path: Path) -> None:
    loaded = loaded_by(RUN.format(arguments=["init", "--cloud", "gcp", str(tmp_path / "mine")]))

    assert not packages(loaded) & HEAVY
    assert clouds_of(loaded) == {"gcp"}


@pytest.mark.parametrize("arguments", [["schema"], ["--help"]])
def test_what_reads_no_stack_loads_no_room(arguments: list[str]) -> None:
    loaded = loaded_by(RUN.format(arguments=arguments))

    assert not packages(loaded) & HEAVY
    assert clouds_of(loaded) == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = packages(loaded_by("import gpuinfra"))

    assert not loaded & (HEAVY | {"pydantic", "ruamel", "rich", "click"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stack", "clouds"),
    [
        *((f"startup-{cloud}", {cloud}) for cloud in CLOUDS),
        ("quickstart", {"aws"}),
        ("anywhere", {"aws", "gcp"}),
    ],
)
def test_deploying_a_stack_loads_the_sdks_of_its_clouds_alone(
    stack: str, clouds: set[str], stacks: Path
) -> None:
    loaded = packages(loaded_by(DEPLOY.format(stack=str(stacks / stack / "stack.yaml"))))

    assert loaded & set(SDKS.values()) == {SDKS[cloud] for cloud in clouds}
