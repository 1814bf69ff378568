"""What a file leaves out comes from its lock, its folder, git and the clouds' own settings."""

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from unittest.mock import Mock

import pytest
from pydantic_core import PydanticUndefined

from gpuinfra import source
from gpuinfra.errors import InputError
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Inference, Training
from gpuinfra.specs.schema.workloads import Disk
from gpuinfra.specs.storage import Bucket, SharedStorage
from gpuinfra.stackfile import loads, read_stack_file
from gpuinfra.stackfile.defaults import stack_name
from gpuinfra.stackfile.grammar_defaults import (
    ENCRYPTION_DEFAULT,
    OWN_NETWORK,
    SPOT_PRICE_DEFAULT,
    built_in,
)

SHORT = """\
budget: {per_hour: 8}
prices: {accept_outdated: true}
inference:
  chat: {gpu: L4:1, replicas: 1..3, image: vllm/vllm-openai:v0.11.0, port: 8000}
training:
  box: {gpu: L4:1}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a short stack file, and a git user."""
    made = tmp_path / "My first_stack"
    made.mkdir()
    (made / "stack.yaml").write_text(SHORT)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n  name = Jane\n  email = jane@example.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return made


def given(document):
    return {default.key: (default.value, default.origin) for default in document.defaults}


def test_a_file_of_six_lines_is_whole(folder):
    document = read_stack_file(folder)

    assert len(SHORT.splitlines()) == 6
    assert document.stack.version == 1
    assert document.stack.name == "my-first-stack"
    assert document.stack.owner == "jane@example.com"
    assert document.stack.where.cloud == "any"
    assert document.stack.where.regions == ("us-east-1", "us-central1", "eastus")
    assert {key: origin for key, (_, origin) in given(document).items()} == {
        "version": "gpuinfra's default",
        "name": "the folder's name",
        "owner": "git config user.email",
        "where.cloud": "no region is configured: the cheapest of these is chosen",
        "where.regions": "no region is configured: the cheapest of these is chosen",
    }


def test_the_grammar_has_defaults_of_its_own(folder):
    stack = read_stack_file(folder).stack

    assert stack.inference["chat"].scale_on.gpu_utilization == Decimal("0.7")
    assert [(default.key, default.text) for default in built_in(stack)] == [
        ("training.box.nodes", "1"),
        ("training.box.capacity", "on-demand"),
        ("training.box.disk.size", "200GB"),
        ("training.box.network", OWN_NETWORK),
        ("inference.chat.capacity", "on-demand"),
        ("inference.chat.scale_on", "{gpu_utilization: 70%}"),
        ("inference.chat.certificate", ENCRYPTION_DEFAULT),
        ("inference.chat.disk.size", "200GB"),
        ("inference.chat.network", OWN_NETWORK),
    ]


def test_a_limit_of_the_machine_replaces_the_default_maximum_of_spot():
    head = "version: 1\nname: shop\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
    gpu = "gpu: {model: L4, count: 1, max_per_hour: 0.3}"
    image = "image: a/b:1, port: 80"
    pool = f"{gpu}, {image}, replicas: 1..2, capacity: {{on_demand_base: 0, above: spot}}"
    text = f"{head}training: {{t: {{{gpu}, capacity: [spot]}}}}\ninference: {{p: {{{pool}}}}}\n"
    limited, free = (
        {row.key for row in built_in(loads(written).stack)}
        for written in (text, text.replace(", max_per_hour: 0.3", ""))
    )

    assert free - limited == {"training.t.max_price", "inference.p.max_price"}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (
            "training: {t: {gpu: L4:1, capacity: [spot]}}",
            {"training.t.max_price": SPOT_PRICE_DEFAULT},
        ),
        ("training: {t: {gpu: L4:1, duration: 4h}}", {"training.t.runs": "1"}),
        ("training: {t: {gpu: L4:1, nodes: 2}}", {"training.t.fabric": "required"}),
        (
            "network: {flow_logs: true}\ntraining: {t: {gpu: L4:1, disk: 1TB}}",
            {"network.nat": "true"},
        ),
        (
            "buckets: {data: {size: 1TB}}",
            {"buckets.data.versioned": "true", "buckets.data.keep_noncurrent": "30d"},
        ),
        (
            "training: {t: {gpu: L4:1, shared_storage: {size: 1.2TiB}}}",
            {
                "training.t.shared_storage.deployment": "persistent-2",
                "training.t.shared_storage.storage": "ssd",
            },
        ),
    ],
)
def test_a_default_that_decides_money_is_told_and_is_no_longer_where_it_is_written(written, told):
    head = "version: 1\nname: shop\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
    shown = {row.key: row.text for row in built_in(loads(f"{head}{written}\n").stack)}

    assert told.items() <= shown.items()
    assert "training.t.disk.size" not in shown or "1TB" not in written
    assert "training.t.network" not in shown or "network:" not in written


def test_every_key_with_a_value_of_its_own_is_told_or_costs_nothing():
    """A new key of the grammar has the default None, or `stackfile/defaults.py` tells it."""
    forms = (Training, Inference, NetworkSpec, Bucket, Disk, SharedStorage)
    valued = {
        key
        for form in forms
        for key, field in form.model_fields.items()
        if field.get_default() not in (None, (), False, "", PydanticUndefined)
    }
    told = {"nodes", "runs", "size", "nat", "versioned", "keep_noncurrent"}
    told |= {"deployment", "storage"}

    free = {"efa_layout", "preflight", "health", "encryption"}
    assert valued - told - free == set(), "its default: None, applied in declare"


@pytest.mark.parametrize(
    ("variables", "cloud", "regions", "origin"),
    [
        ({"AWS_REGION": "eu-west-1"}, "aws", ("eu-west-1",), "AWS_REGION"),
        ({"AWS_DEFAULT_REGION": "eu-west-1"}, "aws", ("eu-west-1",), "AWS_DEFAULT_REGION"),
        ({"GOOGLE_ZONE": "europe-west4-a"}, "gcp", ("europe-west4",), "GOOGLE_ZONE"),
        ({"ARM_LOCATION_NAME": "East US"}, "azure", ("eastus",), "ARM_LOCATION_NAME"),
        (
            {"AWS_REGION": "us-east-1", "GOOGLE_REGION": "us-central1"},
            "any",
            ("us-east-1", "us-central1"),
            "AWS_REGION, GOOGLE_REGION",
        ),
    ],
)
def test_the_region_is_the_one_that_the_provider_would_take(
    folder, monkeypatch, variables, cloud, regions, origin
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    document = read_stack_file(folder)

    assert (document.stack.where.cloud, document.stack.where.regions) == (cloud, regions)
    assert given(document)["where.regions"][1] == origin


@pytest.mark.parametrize(("profile", "region"), [("default", "us-west-2"), ("team", "eu-west-1")])
def test_the_region_of_an_aws_profile_counts(folder, monkeypatch, tmp_path, profile, region):
    config = tmp_path / "config"
    config.write_text("[default]\nregion = us-west-2\n[profile team]\nregion=eu-west-1\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", profile)

    document = read_stack_file(folder)

    assert document.stack.where.regions == (
        {"default": "us-west-2", "team": "eu-west-1"}[profile],
    )
    assert given(document)["where.regions"][1] == f"the profile {profile} in {config}"


def test_a_configuration_of_aws_that_is_none_says_nothing(folder, monkeypatch, tmp_path):
    config = tmp_path / "config"
    config.write_text("region = us-west-2\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))

    assert read_stack_file(folder).stack.where.cloud == "any"


@pytest.mark.parametrize(
    ("where", "cloud", "regions"),
    [
        ("{cloud: gcp}", "gcp", ("us-central1",)),
        ("{cloud: aws}", "aws", ("eu-west-1",)),
        ("{regions: [us-central1]}", "gcp", ("us-central1",)),
        ("{regions: [us-central1, us-east-1]}", "any", ("us-central1", "us-east-1")),
    ],
)
def test_half_a_place_is_made_whole(folder, monkeypatch, where, cloud, regions):
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    text = SHORT.replace("box: {", f"box: {{where: {where}, ")
    (folder / "stack.yaml").write_text(f"where: {where}\n{text}")

    stack = read_stack_file(folder).stack

    assert (stack.where.cloud, stack.where.regions) == (cloud, regions)
    assert stack.training["box"].where == stack.where


@pytest.mark.parametrize("variable", ["GIT_CONFIG_GLOBAL", "PATH"])
def test_without_a_git_user_the_login_name_is_the_owner(folder, monkeypatch, variable):
    monkeypatch.setenv(variable, "")
    monkeypatch.setenv("LOGNAME", "jane")

    assert given(read_stack_file(folder))["owner"] == ("jane", "the login name")


def test_a_user_without_a_name_is_named_by_its_id(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("getpass.getuser", Mock(side_effect=KeyError("uid not found: 1000")))

    assert given(read_stack_file(folder))["owner"] == (f"uid-{os.getuid()}", "the user's id")


def test_a_name_that_no_tag_takes_is_passed_over(folder, tmp_path):
    (tmp_path / "gitconfig").write_text("[user]\n  name = Jane\n  email = jane@exämple.com\n")

    assert given(read_stack_file(folder))["owner"] == ("Jane", "git config user.name")


def test_the_user_of_the_folders_own_repository_comes_first(folder):
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "config", "user.email", "team@example.com"], cwd=folder, check=True)

    assert read_stack_file(folder).stack.owner == "team@example.com"


def test_a_folder_whose_name_is_none_is_told(folder):
    other = folder.with_name("数")
    folder.rename(other)

    with pytest.raises(InputError) as caught:
        read_stack_file(other)

    assert [problem.fix for problem in caught.value.problems] == ["add name: my-stack"]


def test_a_region_that_is_none_is_told_with_where_it_comes_from(folder, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "US East!")

    with pytest.raises(InputError) as caught:
        read_stack_file(folder)

    assert "AWS_REGION gives where.regions" in caught.value.problems[0].fix


def test_a_region_that_no_cloud_has_is_told_at_its_place(folder):
    (folder / "stack.yaml").write_text(f"where: {{regions: [moon]}}\n{SHORT}")

    with pytest.raises(InputError) as caught:
        read_stack_file(folder)

    (problem,) = caught.value.problems
    assert (problem.message, problem.value) == ("no cloud has this region", "moon")
    assert problem.path == ("where", "regions", 0)
    assert problem.allowed.endswith("for example us-east-1, us-central1, eastus")


def test_a_misspelt_region_is_told_with_the_one_that_is_meant(folder):
    (folder / "stack.yaml").write_text(f"where: {{regions: [us-eats-1]}}\n{SHORT}")

    with pytest.raises(InputError) as caught:
        read_stack_file(folder)

    (problem,) = caught.value.problems
    assert problem.message == "no cloud has this region"
    assert (problem.value, problem.suggestion) == ("us-eats-1", "us-east-1")
    assert problem.fix == "`gpuinfra catalog regions` lists them"


def test_a_text_without_a_folder_reads_nothing_around_it(folder, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "eu-west-1")

    with pytest.raises(InputError) as caught:
        loads(SHORT)

    assert [problem.message for problem in caught.value.problems] == [
        "the stack has no 'name', no 'owner' and no 'where'",
    ]


def test_a_lock_keeps_what_was_found(folder, monkeypatch):
    subprocess.run([sys.executable, "-m", "gpuinfra.cli", "lock", str(folder)], check=True)
    moved = folder.rename(folder.with_name("elsewhere"))
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.email")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "joe@example.com")
    stack_source, _ = source.read(moved, {})

    assert stack_source.valid_lock is not None
    assert stack_source.stack.name == "my-first-stack"
    assert stack_source.stack.owner == "jane@example.com"
    assert {
        origin for key, (_, origin) in given(stack_source.document).items() if key != "version"
    } == {"gpuinfra.lock"}


def test_a_lock_that_can_not_be_read_is_told_where_it_is_used(folder):
    (folder / "gpuinfra.lock").write_text("{")

    assert source.read_document(folder).stack.name == "my-first-stack"
    with pytest.raises(InputError, match="the lock is truncated: it ends here"):
        source.read(folder, {})


@pytest.mark.parametrize(
    ("name", "stack"), [("A b", "a-b"), ("2nd", "nd"), ("é", ""), ("x" * 50, "x" * 40)]
)
def test_a_folder_names_a_stack(name, stack):
    assert stack_name(Path("/tmp") / name) == stack  # noqa: S108 - nothing is made there


@pytest.mark.parametrize(
    ("folder", "name"),
    [("t", "stack-t"), ("7", "stack-7"), ("2024", "stack-2024"), ("a_b", "a-b"), ("数据", "")],
)
def test_a_folder_with_a_short_name_gives_one_too(tmp_path, folder: str, name: str) -> None:
    assert stack_name(tmp_path / folder) == name


def test_a_folder_without_letters_is_told_what_a_name_may_be(tmp_path) -> None:
    place = tmp_path / "数据"
    place.mkdir()
    (place / "stack.yaml").write_text("owner: me\ntraining: {t: {gpu: L4:1}}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_stack_file(place)
    (only,) = caught.value.problems

    assert "has no letter or digit" in only.message
    assert only.allowed.startswith("two to 40 letters")
