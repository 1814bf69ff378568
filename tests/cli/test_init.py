"""`init` asks three questions or none, and writes a short file that passes; schemas."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from gpuinfra.cli.commands.schema import KINDS
from gpuinfra.clouds import CLOUDS
from gpuinfra.stackfile.starter import SHORT_FILES
from tests.cli.conftest import Run
from tests.cli.hints import takes

ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--gpu", "g6.8xlarge"), "fix:     name it as --instance g6.8xlarge"),
        (("--instance", "g6.8xlarg"), "did you mean 'g6.8xlarge'?"),
        (("--instance", "g6.8xlarge", "--gpu", "L4:1"), "name the machine once"),
        (("--instance", "a3-megagpu-8g", "--where", "africa"), "africa has a3-megagpu-8g\n"),
        (("--instance", "g6.xlarge", "--what", "everything"), "has workloads of its own"),
        (
            ("--instance", "p5.48xlarge", "--where", "gcp"),
            "request its GPU: --gpu H100-SXM-80GB:8",
        ),
    ],
)
def test_a_machine_that_init_does_not_take_is_refused(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], message: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", *given)

    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_commented_file_passes_and_its_warnings_are_told(
    gpuinfra: Run, tmp_path: Path, cloud: str
) -> None:
    folder = tmp_path / "mine"
    done = gpuinfra("init", folder, "--what", "everything", "--where", cloud)

    assert f"cloud: {cloud} " in (folder / "stack.yaml").read_text()
    assert gpuinfra("check", folder).code == 0
    assert "check warns: time-limit: " not in done.err


def test_everything_is_not_written_for_a_region(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--what", "everything", "--where", "us-east-1")

    assert done.code == 2
    assert "takes a cloud as --where: aws, gcp, azure" in done.err


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


def test_a_draft_without_a_price_is_refused_for_that_alone(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--gpu", "TRAINIUM2:1", "--where", "any")

    assert done.code == 1
    assert done.err.count("price-unknown: no on-demand price for trn2.3xlarge in ap-south-2") == 1
    assert "cap-per" not in done.err


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


@pytest.mark.parametrize(
    ("given", "assumed"),
    [
        ((), "--what development, --gpu L4:1, --where aws"),
        (("--gpu", "T4:1"), "--what development, --where aws"),
        (("--what", "pool", "--where", "gcp"), "--gpu L4:1"),
    ],
)
def test_what_was_assumed_is_told(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], assumed: str
) -> None:
    told = gpuinfra("init", tmp_path / "mine", *given).err.splitlines()

    assert f"assumed: {assumed}" in told
    options = assumed.replace(",", "").split()
    assert gpuinfra("init", tmp_path / "again", *given, *options).err.count("assumed: ") == 0
    files = [(tmp_path / name / "stack.yaml").read_text() for name in ("mine", "again")]
    assert files[0] == files[1]


def test_a_configured_region_is_told_with_where_it_is_configured(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    told = gpuinfra("init", tmp_path / "mine", "--what", "pool").err

    assert "assumed: --gpu L4:1, region us-west-2 (AWS_REGION)\n" in told


def test_without_a_place_it_is_the_cloud_with_the_fewest_warnings(
    gpuinfra: Run, tmp_path: Path
) -> None:
    done = gpuinfra("init", tmp_path / "mine")

    assert "where: {cloud: aws}" in (tmp_path / "mine/stack.yaml").read_text()
    assert "check warns" not in done.err


def test_a_configured_region_of_another_cloud_is_taken(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDSDK_COMPUTE_REGION", "us-central1")

    assert gpuinfra("init", tmp_path / "mine").code == 0

    assert "where:" not in (tmp_path / "mine/stack.yaml").read_text()


@pytest.mark.parametrize(
    ("variable", "region", "gpu"),
    [
        ("AWS_REGION", "us-west-2", "L4:1"),
        ("AWS_REGION", "us-east-2", "L4:1"),
        ("AWS_REGION", "eu-west-1", "T4:1"),
        ("ARM_LOCATION_NAME", "westeurope", "T4:1"),
        ("CLOUDSDK_COMPUTE_REGION", "europe-central2", "T4:1"),
    ],
)
def test_what_is_sold_in_the_configured_region_is_suggested_and_passes(
    gpuinfra: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    region: str,
    gpu: str,
) -> None:
    monkeypatch.setenv(variable, region)

    done = gpuinfra("init", tmp_path / "mine")

    assert done.code == 0, done.err
    assert gpuinfra("check", tmp_path / "mine").code == 0
    assert f"    gpu: {gpu}\n" in (tmp_path / "mine/stack.yaml").read_text()


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


def test_the_owner_is_always_written(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("LOGNAME", "jane")
    for what in ("pool", "everything"):
        gpuinfra("init", tmp_path / what, "--what", what)

        assert "\nowner: jane  " in (tmp_path / what / "stack.yaml").read_text()


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


def test_files_that_are_there_stay(gpuinfra: Run, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")

    assert gpuinfra("init", tmp_path, "--what", "pool", "--name", "shop").code == 0
    assert gpuinfra("init", tmp_path, "--what", "pool").code == 2
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert "name: shop" in (tmp_path / "stack.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--gpu", "H1000:8"), "H1000"),
        (("--where", "mars-1"), "mars-1"),
        (("--gpu", "H100:8", "--where", "lambda"), "no cloud has this region"),
    ],
)
def test_what_is_not_sold_there_is_told_and_nothing_written(
    gpuinfra: Run, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--what", "development", *arguments)

    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_file_has_a_schema(gpuinfra: Run, kind: str) -> None:
    schema = json.loads(gpuinfra("schema", kind).out)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"].startswith("gpuinfra")


def test_the_schemas_take_what_is_sound_and_refuse_what_is_not(
    gpuinfra: Run, tmp_path: Path
) -> None:
    (tmp_path / "stack.yaml").write_text((ROOT / "stacks/quickstart/stack.yaml").read_text())
    gpuinfra("lock", tmp_path)
    waiver = {"rule": "a", "resource": "b", "reason": "c", "owner": "d", "until": "2026-12-31"}
    sound = {
        "lock": json.loads((tmp_path / "gpuinfra.lock").read_text()),
        "waivers": {"waivers": [waiver]},
        "settings": {"budget": {"per_hour": 8}, "resources": {"box": {"purpose": "training"}}},
    }
    unsound = {
        "lock": {**sound["lock"], "workloads": 7},
        "waivers": {"waivers": [{**waiver, "until": "soon"}]},
        "settings": {"budgte": {}},
    }
    for kind in ("lock", "waivers", "settings"):
        validator = jsonschema.Draft202012Validator(json.loads(gpuinfra("schema", kind).out))

        assert [error.message for error in validator.iter_errors(sound[kind])] == []
        assert not validator.is_valid(unsound[kind])


def test_a_wrong_gpu_is_refused_by_the_name_of_its_option(gpuinfra: Run, tmp_path: Path) -> None:
    ran = gpuinfra("init", tmp_path / "box", "--gpu", "2xL4")

    assert ran.code == 2
    assert "error: --gpu is not a request for GPUs\n" in ran.err
    assert "training.box" not in ran.err


def test_the_commented_file_takes_no_gpu_and_a_cloud_with_one_is_a_place(
    gpuinfra: Run, tmp_path: Path
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--what", "everything", "--gpu", "L4:1")
    assert refused.code == 2
    assert "--gpu goes with development, fine-tune, pool" in " ".join(refused.err.split())
    assert not (tmp_path / "mine").exists()

    assert gpuinfra("init", tmp_path / "mine", "--cloud", "gcp", "--gpu", "L4:1").code == 0
    text = (tmp_path / "mine/stack.yaml").read_text()
    assert "where: {cloud: gcp}" in text
    assert "gpu: L4:1" in text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--nodes", "2"), "--nodes sets nothing in a file of --what development"),
        (
            ("--what", "pool", "--duration", "3h"),
            "--duration sets nothing in a file of --what pool",
        ),
        (("--capacity", "spot"), "--capacity sets nothing in a file of --what development"),
        (("--what", "fine-tune", "--duration", "soon"), "--duration: 'soon' is not a duration"),
        (("--what", "everything", "--nodes", "2"), "goes with development, fine-tune, pool"),
    ],
)
def test_settings_that_a_file_does_not_have_are_refused(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], told: str
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", *given)

    assert refused.code == 2
    assert told in " ".join(refused.err.split())
    assert not (tmp_path / "mine").exists()


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


def test_a_cloud_alone_is_a_place_of_the_development_machine(
    gpuinfra: Run, tmp_path: Path
) -> None:
    assert gpuinfra("init", tmp_path / "mine", "--cloud", "gcp").code == 0
    text = (tmp_path / "mine/stack.yaml").read_text()

    assert "where: {cloud: gcp}" in text
    assert "# one machine to develop on" in text


@pytest.mark.parametrize(
    ("what", "fix"),
    [
        ("fine-tune", "use another count: 8, on 2 machines (--nodes 2)"),
        ("pool", "use a count that a cloud has"),
    ],
)
def test_more_gpus_than_a_machine_has_are_several_machines_of_a_run(
    gpuinfra: Run, tmp_path: Path, what: str, fix: str
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--what", what, "--gpu", "H100:16")

    assert refused.code == 2
    assert f"  fix:     {fix}\n" in refused.err
