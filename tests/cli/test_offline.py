import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from gpuinfra.cli import COMMANDS
from tests.cli.conftest import Run

Stack = Callable[..., Path]


def test_help_lists_every_command_without_importing_it(gpuinfra: Run) -> None:
    ran = gpuinfra("--help")

    assert ran.code == 0
    for name, _ in COMMANDS:
        assert name in ran.out


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_every_command_has_help(gpuinfra: Run, name: str) -> None:
    ran = gpuinfra(name, "--help")

    assert ran.code == 0
    assert "Usage:" in ran.out


def test_a_misspelt_command_gets_a_hint(gpuinfra: Run) -> None:
    ran = gpuinfra("chek")

    assert ran.code == 2
    assert "'check'" in ran.err


def test_check_of_the_quickstart_is_fine(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("check", quickstart)

    assert ran.code == 0
    assert ran.out.endswith("PASS, 1 warning\n")
    assert "NCCL over RDMA: yes" in ran.out


PLUGINS = """
import sys
from unittest.mock import patch
from gpuinfra.cli import main
sys.argv = ["gpuinfra", "check", *sys.argv[1:]]
with patch("gpuinfra.cli._exit"):
    main()
assert "pydantic" in sys.modules
assert "importlib.metadata" not in sys.modules
from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP
assert PYDANTIC_ENTRY_POINT_GROUP == "pydantic"
"""


def test_check_looks_for_no_plugins_of_pydantic(quickstart: Path) -> None:
    """Whatever else pydantic has in the module that looks for them is there when it is asked."""
    command = [sys.executable, "-c", PLUGINS, str(quickstart)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_check_as_json_is_json_alone(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("check", quickstart, "--json")

    report = json.loads(ran.out)
    assert report["ok"] is True
    refusing = [finding for finding in report["findings"] if finding["level"] == "mandatory"]
    assert {finding["outcome"] for finding in refusing} <= {"fine", "not-applicable"}


@pytest.mark.parametrize("verb", ["check", "plan", "cost"])
def test_structural_and_planning_problems_come_out_together(
    gpuinfra: Run, stack: Stack, verb: str
) -> None:
    path = stack(("budget:", "budgte:"), ("instance: g6.8xlarge", "instance: g6.9xlarge"))

    ran = gpuinfra(verb, path)

    assert ran.code == 2
    assert f"{path}:" in ran.err
    assert "budgte" in ran.err
    assert "budget" in ran.err
    assert "g6.9xlarge" in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_cap_that_does_not_hold_is_violated(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("per_hour: 8", "per_hour: 1"))

    ran = gpuinfra("check", path)

    assert ran.code == 1
    assert "✗ cap-per-hour" in ran.out
    assert "fix:" in ran.out


def test_cost_names_line_date_and_source(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("cost", quickstart, "--detail")

    assert ran.code == 0
    assert "2026-07-20" in ran.out
    assert "karpenter" in ran.out
    assert "per hour" in ran.out


def test_cost_of_an_outdated_price_is_refused(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("where:", "prices: {outdated_after_days: 30}\nwhere:"))

    ran = gpuinfra("cost", path)

    assert ran.code == 1


def test_plan_as_json_has_the_rungs(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("plan", quickstart, "--json")

    plan = json.loads(ran.out)
    assert {group["name"] for group in plan["plan"]["groups"]}
    assert all(rung["node_rate"] > 0 for rung in plan["rungs"])


def test_choose_gives_losers_their_reason(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--losers")

    assert ran.code == 0
    assert "p5.48xlarge" in ran.out
    assert "g6.xlarge" in ran.out


def test_choose_of_an_unknown_gpu_suggests_one(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H10O:8")

    assert ran.code == 2
    assert "H100" in ran.err


@pytest.mark.parametrize(
    ("cloud", "machine", "region"),
    [
        ("aws", "p5.48xlarge", "us-east-1"),
        ("gcp", "a3-highgpu-8g", "us-central1"),
        ("azure", "Standard_ND96isr_H100_v5", "eastus"),
    ],
)
def test_choose_asks_each_cloud_in_its_own_region(
    gpuinfra: Run, cloud: str, machine: str, region: str
) -> None:
    winner = json.loads(gpuinfra("choose", "H100:8", "--cloud", cloud, "--json").out)["winner"]

    assert (winner["machine"]["type"], winner["region"]) == (machine, region)
    assert winner["per_hour"] > 0


def test_choose_takes_a_machine_type_of_each_cloud(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "n1-standard-8+2xT4", "--cloud", "gcp")

    assert ran.code == 0
    assert "2 × T4" in ran.out
    assert "is another type" not in ran.out
    assert "others don't fit: gpuinfra choose n1-standard-8+2xT4 --cloud gcp --all" in ran.out
    assert "is another type" in gpuinfra("choose", "p5.48xlarge", "--losers").out


def test_choose_knows_the_types_of_other_clouds(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "Standard_ND96isr_H100_v5", "--cloud", "gcp")

    assert ran.code == 2
    assert "it is a machine type of azure" in ran.err
    assert "gpu: H100-SXM-80GB:8" in ran.err
    assert "available on aws, gcp" in gpuinfra("choose", "L4:1", "--cloud", "azure").err


@pytest.mark.parametrize("cloud", [(), ("--cloud", "gcp"), ("--cloud", "azure")])
def test_init_writes_a_starter_that_checks_and_never_overwrites(
    gpuinfra: Run, tmp_path: Path, cloud: tuple[str, ...]
) -> None:
    first = gpuinfra("init", tmp_path / "mine", *cloud)
    text = (tmp_path / "mine" / "stack.yaml").read_text()
    again = gpuinfra("init", tmp_path / "mine")

    assert first.code == 0
    assert not cloud or f"cloud: {cloud[-1]}}}" in text
    assert gpuinfra("check", tmp_path / "mine").code == 0
    assert again.code == 2
    assert "never overwrites" in again.err
    assert (tmp_path / "mine" / "stack.yaml").read_text() == text


@pytest.mark.slow
def test_the_schema_accepts_the_shipped_stacks(gpuinfra: Run, quickstart: Path) -> None:
    from ruamel.yaml import YAML

    schema = json.loads(gpuinfra("schema").out)

    for path in sorted(quickstart.parent.glob("*/stack.yaml")):
        jsonschema.validate(YAML(typ="safe").load(path), schema)


@pytest.mark.parametrize("verb", ["preview", "up", "status", "refresh", "destroy"])
def test_no_verb_assumes_a_target(gpuinfra: Run, quickstart: Path, verb: str) -> None:
    ran = gpuinfra(verb, quickstart)

    assert ran.code == 2
    assert "--target sandbox" in ran.err


def test_a_folder_without_a_stack_is_bad_input(gpuinfra: Run, tmp_path: Path) -> None:
    ran = gpuinfra("check", tmp_path)

    assert ran.code == 2
    assert str(tmp_path) in ran.err


def test_control_characters_never_reach_the_terminal(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("budget:", '"bud\\u001b[31mget":'))

    ran = gpuinfra("check", path)

    assert ran.code == 2
    assert "\x1b[31m" not in ran.out + ran.err


def test_an_idle_box_is_stopped_when_it_is_asked_for_and_a_bare_time_is_not_enough(
    gpuinfra: Run, tmp_path: Path, quickstart: Path
) -> None:
    """A development box costs money day and night until it is taken down: stacks/development."""
    text = (quickstart.parent / "development" / "stack.yaml").read_text()
    path = tmp_path / "stack.yaml"

    def with_stop(written: str) -> int:
        line = f"    idle_stop: {written}"
        path.write_text(re.sub("    idle_stop: .*", line, text, count=1))
        return path.read_text().splitlines().index(line) + 1

    with_stop("{below: 5%, after: 2h}")
    assert "box is stopped once" in gpuinfra("plan", path).out
    line = with_stop("2h")
    for verb in (["check"], ["plan"], ["cost"], ["up", "--target", "sandbox"]):
        ran = gpuinfra(*verb, path)
        assert ran.code == 2
        assert ran.out == ""
        assert f"{path}:{line}:" in ran.err
        assert "idle_stop" in ran.err


@pytest.mark.parametrize("installed", [(), ("pulumi-gcp",), ("pulumi-aws", "pulumi-azure-native")])
def test_doctor_wants_one_cloud_s_sdk(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, installed: tuple[str, ...]
) -> None:
    from gpuinfra.cli.commands import doctor

    def only(name: str) -> str | None:
        if name in {cloud for cloud, _, _ in doctor.CLOUDS}:
            return "1.0" if name in installed else None
        return "9.9" if name not in {"pulumi", "moto"} else None

    monkeypatch.setattr(doctor, "_installed_version", only)
    rows = {row["what"]: row for row in json.loads(gpuinfra("doctor", "--json").out)}
    sdks = {name: rows[f"{name} ({use})"] for name, use, _ in doctor.CLOUDS}

    assert {name for name, row in sdks.items() if row["found"] == "1.0"} == set(installed)
    assert all(row["ok"] is bool(installed) for row in sdks.values())
    assert all(row["fix"] for name, row in sdks.items() if name not in installed)
