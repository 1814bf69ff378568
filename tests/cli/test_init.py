"""`init` writes a short file that passes, and tells its machines, prices and caps."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from gpuinfra.clouds import CLOUDS
from gpuinfra.stackfile.starter import SHORT_FILES
from tests.cli.conftest import Run
from tests.cli.hints import takes


def loaded(path: Path) -> Any:
    return json.loads(json.dumps(YAML(typ="safe").load(path), default=str))


@pytest.mark.parametrize("where", ["any", "aws", "gcp", "azure", "us-east-1"])
@pytest.mark.parametrize("what", SHORT_FILES)
def test_a_short_file_passes(gpuinfra: Run, tmp_path: Path, what: str, where: str) -> None:
    folder = tmp_path / "mine"
    done = gpuinfra("init", folder, "--what", what, "--where", where)

    assert done.code == 0, done.err
    assert len((folder / "stack.yaml").read_text().splitlines()) <= 12
    checked = gpuinfra("check", folder)
    assert checked.code == 0
    warned = {line.split(":")[0][2:] for line in checked.out.splitlines() if line[:2] == "! "}
    assert warned == {
        line.split(": ")[1] for line in done.err.splitlines() if line.startswith("check warns: ")
    }
    if where in {"us-east-1", "aws"}:
        assert warned == set()


@pytest.mark.parametrize("what", SHORT_FILES)
def test_a_machine_type_takes_the_place_of_the_gpus(
    gpuinfra: Run, tmp_path: Path, what: str
) -> None:
    given = ("--what", what, "--instance", "g4dn.xlarge")
    assert gpuinfra("init", tmp_path / "mine", *given).code == 0

    text = (tmp_path / "mine/stack.yaml").read_text()
    assert "\n    instance: g4dn.xlarge\n" in text
    assert "gpu:" not in text
    assert "# args" not in text  # a model of the example does not fit into 16 GB
    assert gpuinfra("check", tmp_path / "mine").code == 0


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_commented_file_passes_and_its_warnings_are_told(
    gpuinfra: Run, tmp_path: Path, cloud: str
) -> None:
    folder = tmp_path / "mine"
    done = gpuinfra("init", folder, "--what", "everything", "--where", cloud)

    assert f"cloud: {cloud} " in (folder / "stack.yaml").read_text()
    assert gpuinfra("check", folder).code == 0
    assert "check warns: time-limit: " not in done.err


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        (("--gpu", "L4:1"), ["box: g6.xlarge (1 × L4), aws us-east-1, on-demand, $0.80/h"]),
        (
            ("--what", "fine-tune", "--gpu", "H100:8", "--nodes", "2", "--capacity", "spot"),
            ["fine-tune: 2 × p5.48xlarge (8 × H100-SXM-80GB), aws eu-north-1, spot, at most $58."],
        ),
        (
            ("--what", "everything"),
            [
                "2 × g6.8xlarge (1 × L4), aws us-east-1, spot, then on-demand, at most $2.01/h",
                "\nchat: g6.xlarge (1 × L4), aws us-east-1, spot, at most $0.80/h each; counts",
            ],
        ),
    ],
)
def test_the_machines_and_their_prices_are_told(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...], lines: list[str]
) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--where", "aws", *asked)

    assert done.code == 0
    for line in lines:
        assert line in done.err


@pytest.mark.parametrize("gpu", ["INFERENTIA2:1", "TRAINIUM1:1"])
def test_a_machine_without_a_metric_of_its_gpus_ends_after_a_time(
    gpuinfra: Run, tmp_path: Path, gpu: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--gpu", gpu, "--where", "any")
    text = (tmp_path / "mine/stack.yaml").read_text()

    assert done.code == 0
    assert "time_to_live: 72h" in text
    assert "idle_stop: " not in text
    assert "all_or_nothing" not in text
    assert "idle-stop" not in gpuinfra("check", tmp_path / "mine", "-q").out


def test_the_maximum_cost_is_told_and_a_count_written(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra(
        "init", tmp_path / "mine", "--what", "development", "--gpu", "A100", "--where", "aws"
    )

    assert "gpu: A100:8" in (tmp_path / "mine/stack.yaml").read_text()
    assert re.search(r"^costs at most \$[\d.,]+/h, \$[\d.,]+/month$", done.err, re.MULTILINE)


@pytest.mark.parametrize(
    ("gpu", "cloud", "fits"), [("T4:1", "azure", False), ("L4:1", "gcp", True)]
)
@pytest.mark.parametrize("what", ["pool", "everything"])
def test_the_model_of_the_example_fits_the_gpus(
    gpuinfra: Run, tmp_path: Path, what: str, gpu: str, cloud: str, *, fits: bool
) -> None:
    size = () if what == "everything" else ("--gpu", gpu)
    gpuinfra("init", tmp_path, "--what", what, *size, "--where", cloud)

    text = (tmp_path / "stack.yaml").read_text()
    assert ("# args: [--model, " in text) is fits


@pytest.mark.parametrize("where", ["aws", "gcp", "azure"])
@pytest.mark.parametrize("what", [*SHORT_FILES, "everything"])
def test_the_commands_told_at_the_end_run_as_printed(
    gpuinfra: Run, tmp_path: Path, what: str, where: str
) -> None:
    done = gpuinfra("init", tmp_path / "a stack", "--what", what, "--where", where)
    told = [line for line in done.err.splitlines() if re.match(r"(next|then): ", line)]
    commands = [shlex.split(line)[2:] for line in told]

    assert [command[0] for command in commands] == ["check", "cost", "plan", "up"]
    assert [gpuinfra(*command).code for command in commands[:-1]] == [0, 0, 0]
    takes(shlex.join(commands[-1]))


def test_caps_leave_room_for_outdated_prices_to_double(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--where", "us-west-2")
    text = (tmp_path / "mine/stack.yaml").read_text()

    assert "check warns: price-outdated: " in done.err
    assert "\n# these caps leave room for outdated prices to double: g6.xlarge" in text
    assert "\nbudget: {per_hour: 1.70, per_month: 1300}\n" in text


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_run_has_a_cap_of_its_own_and_an_end(gpuinfra: Run, tmp_path: Path, cloud: str) -> None:
    gpuinfra("init", tmp_path / "mine", "--what", "fine-tune", "--where", cloud)

    text = (tmp_path / "mine/stack.yaml").read_text()
    budget = loaded(tmp_path / "mine/stack.yaml")["budget"]
    assert set(budget) == {"per_hour", "per_run", "per_month"}
    assert budget["per_run"] < 30 * budget["per_hour"]
    assert "time_to_live" in text
    assert "730 hours" not in text


def test_an_editor_finds_the_schema_and_git_what_to_leave(gpuinfra: Run, tmp_path: Path) -> None:
    gpuinfra("init", tmp_path / "mine", "--what", "fine-tune", "--gpu", "L4:1")
    first = (tmp_path / "mine/stack.yaml").read_text().splitlines()[0]
    schema = json.loads((tmp_path / "mine" / first.partition("$schema=")[2]).read_text())

    jsonschema.validate(loaded(tmp_path / "mine/stack.yaml"), schema)
    assert "state.json" in (tmp_path / "mine/.gitignore").read_text()


def test_a_clone_has_every_file_that_the_stack_file_names(gpuinfra: Run, tmp_path: Path) -> None:
    gpuinfra("init", tmp_path, "--what", "fine-tune", "--gpu", "L4:1")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)

    listed = subprocess.run(
        ["git", "-C", tmp_path, "ls-files", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()

    assert set(listed) == {".gitignore", ".gpuinfra/stack.schema.json", "stack.yaml"}


@pytest.mark.parametrize(("gpu", "warned"), [("L4:1", False), ("H100:8", True)])
def test_a_high_maximum_is_a_warning_and_caps_are_told(
    gpuinfra: Run, tmp_path: Path, gpu: str, *, warned: bool
) -> None:
    asked = ("init", tmp_path / "mine", "--what", "pool", "--gpu", gpu, "--where", "us-east-1")
    told = " ".join(gpuinfra(*asked).err.split())

    budget = re.search(r"per_hour: ([\d.]+), ", (tmp_path / "mine/stack.yaml").read_text())
    assert budget
    assert f"lower them to what you want to spend: ${float(budget[1]):.2f}/h, $" in told
    assert ("a month, more than $10,000.00: read the file before" in told) is warned


def test_files_that_are_there_stay(gpuinfra: Run, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")

    assert gpuinfra("init", tmp_path, "--what", "pool", "--name", "shop").code == 0
    assert gpuinfra("init", tmp_path, "--what", "pool").code == 2
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert "name: shop" in (tmp_path / "stack.yaml").read_text()
