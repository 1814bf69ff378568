"""What is put on a machine: small, old enough a Python, and exactly what the settings say."""

import ast
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.clouds.aws.agent import install, packaged_agent
from gpuinfra.clouds.aws.agent.install import AgentSettings
from gpuinfra.clouds.aws.agent.minifying import minified
from gpuinfra.clouds.startup import JOB, script_of, shell_part
from tests.parsing import parsed

SETTINGS = AgentSettings(
    stack="dev", workload="trainer", region="eu-west-1", checkpoints="s3://bkt/llm/"
)
FILES = install.agent_files(SETTINGS)
MODULES = [path for path in FILES if path.endswith(".py")]
LARGEST = 9 * 1024 + 256
"""Bytes that the agent may take of a start-up script's 16 KiB, compressed."""


@pytest.mark.parametrize("path", MODULES)
def test_a_module_is_python_3_9_and_the_one_that_is_tested(path: str) -> None:
    source = Path(install.__file__).with_name(Path(path).name).read_text()

    shipped = parsed(FILES[path], feature_version=(3, 9))
    plain = parsed(source)
    for node in ast.walk(plain):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            kept = [statement for statement in node.body if not _text(statement)]
            node.body = kept or [ast.Expr(ast.Constant(""))]
    assert ast.dump(shipped) == ast.dump(plain)


def _text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@pytest.mark.parametrize("path", MODULES)
def test_a_module_needs_the_standard_library_and_its_neighbours_only(path: str) -> None:
    neighbours = {Path(module).stem for module in MODULES}
    for node in ast.walk(parsed(FILES[path])):
        if isinstance(node, ast.Import):
            assert {name.name.partition(".")[0] for name in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            name = node.module or ""
            parts = {name.name for name in node.names} | {name.rpartition(".")[2]}
            ours = name.startswith("gpuinfra.clouds.aws.agent") and parts & neighbours
            assert ours or name in sys.stdlib_module_names | {"collections.abc"}


def test_the_installed_program_starts_without_any_package(tmp_path: Path) -> None:
    for path, text in FILES.items():
        place = tmp_path / path.removeprefix("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    words = _unit()["ExecStart"].split()
    _, *flags, configuration = words

    done = subprocess.run(
        [sys.executable, "-I", *flags[:1], "-c", "import sys; sys.exit(3)"], check=False
    )
    missing = subprocess.run(
        [sys.executable, *flags, str(tmp_path / "nothing.json")],
        env={"PYTHONPATH": str(tmp_path / install.CODE.removeprefix("/"))},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert (flags[:2], configuration) == (["-S", "-m"], install.SETTINGS)
    assert done.returncode == 3
    assert "FileNotFoundError" in missing.stderr
    assert "nothing.json" in missing.stderr


def _unit() -> dict[str, str]:
    lines = FILES[f"/etc/systemd/system/{install.UNIT}"].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_the_unit_comes_back_and_keeps_what_it_remembers() -> None:
    unit = _unit()

    assert (unit["Restart"], unit["StartLimitIntervalSec"]) == ("always", "0")
    assert f"/run/{unit['RuntimeDirectory']}" == install.RUN
    assert unit["RuntimeDirectoryPreserve"] == "yes"
    assert unit["Environment"] == f"PYTHONPATH={install.CODE}"


def test_it_leaves_room_in_the_start_up_script() -> None:
    script = script_of([shell_part("base.sh"), *install.agent_parts(SETTINGS)])
    parsed = subprocess.run(["bash", "-n"], input=script, text=True, check=False)

    assert parsed.returncode == 0
    assert len(gzip.compress(script.encode(), mtime=0)) < LARGEST
    for text in FILES.values():
        assert text in script


def test_shellcheck_has_nothing_to_say() -> None:
    script = script_of([shell_part("base.sh"), *install.agent_parts(SETTINGS)])
    checked = subprocess.run(
        ["shellcheck", "--shell=bash", "-"],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    )

    assert (checked.returncode, checked.stdout) == (0, "")


def test_the_configuration_is_what_the_settings_say() -> None:
    plain = json.loads(FILES[install.SETTINGS])
    block = install.agent_configuration(
        AgentSettings(
            stack="dev",
            workload="trainer",
            region="eu-west-1",
            local="/scratch",
            lifecycle=False,
            block_ends="2026-12-01T11:30Z",
            ultraserver=True,
        )
    )

    assert (plain["block"], plain["lifecycle_hook"]) == (None, install.LIFECYCLE_HOOK)
    assert (plain["unit"], plain["checkpoints"]) == (JOB, "s3://bkt/llm/")
    assert plain["dimensions"] == list(install.DIMENSIONS)
    assert block["block"] == {
        "ends": "2026-12-01T11:30Z",
        "machines_go": 60,
        "checkpoint_starts": 75,
    }
    assert block["lifecycle_hook"] == ""
    assert block["reserve"] > plain["reserve"]


def test_the_hook_outlasts_a_beat_and_the_budget_a_groups_deletion() -> None:
    plain = json.loads(FILES[install.SETTINGS])

    assert plain["heartbeat"] * 3 <= install.HEARTBEAT_TIMEOUT
    assert plain["lifecycle_budget"] + 120 <= 600


def test_rights_are_for_this_stacks_groups_and_its_own_figures() -> None:
    counted, figures_right, held = install.agent_rights("aws-cn", "cn-north-1", "dev")

    assert counted["Condition"] == {"StringEquals": {"cloudwatch:namespace": "gpuinfra"}}
    assert figures_right["Action"] == ["autoscaling:DescribeAutoScalingInstances"]
    assert held["Resource"] == "arn:aws-cn:autoscaling:cn-north-1:*:autoScalingGroup:*"
    assert held["Condition"] == {"StringEquals": {"aws:ResourceTag/gpuinfra:stack": "dev"}}
    assert install.agent_rights("aws", "us-east-1", "dev", lifecycle=False) == [counted]


def test_bare_source_is_the_same_program() -> None:
    source = '''"""About."""
# A reason.

A = 1
"""What it is,

at length."""


def f() -> None:
    """Do nothing."""


def g(text: str = "# not a comment") -> str:
    """Say it."""

    return text
'''

    assert minified(source) == (
        'A = 1\ndef f() -> None:\n    ""\n'
        'def g(text: str = "# not a comment") -> str:\n    return text\n'
    )


def test_text_over_lines_that_stays_is_refused() -> None:
    with pytest.raises(ValueError, match="several lines"):
        minified('A = """one\n\n# two"""\n')


def test_the_program_that_is_kept_is_made_from_the_modules() -> None:
    """`python -m gpuinfra.clouds.aws.agent.packaged_agent` writes it anew."""
    assert packaged_agent.minified_modules() == packaged_agent.program()
    assert list(packaged_agent.program()) == list(packaged_agent.MODULES)
