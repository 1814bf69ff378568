import json

import pytest

from gpuinfra.engine.program_preview import configuration, project
from gpuinfra.errors import InputError


@pytest.fixture
def town(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: town\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("")
    return project.read_project(tmp_path)


def write_stack(town, stack, text):
    (town.folder / f"Pulumi.{stack}.yaml").write_text(text)


def problem(town, stack=None):
    with pytest.raises(InputError) as caught:
        configuration.read(town, stack, {})
    [only] = caught.value.problems
    return only


def test_without_a_stacks_file_the_stack_is_called_dev(town):
    configured = configuration.read(town, None, {})

    assert (configured.stack, configured.values, configured.secrets) == ("dev", {}, ())
    assert configured.notes == ("previewed as stack dev, without a stack's configuration",)


def test_the_only_stack_is_taken_and_told(town):
    write_stack(town, "prod", "config: {aws:region: eu-west-1, town:size: 3}\n")

    configured = configuration.read(town, None, {})

    assert configured.stack == "prod"
    assert json.loads(configured.text()) == {"config": {"aws:region": "eu-west-1", "town:size": 3}}
    assert configured.notes == (
        "previewed as stack prod, with the configuration of Pulumi.prod.yaml",
    )


@pytest.mark.parametrize("name", ["prod", "acme/prod", "acme/town/prod"])
def test_a_named_stack_is_taken_without_its_organization(name, town):
    write_stack(town, "dev", "config: {town:size: 1}\n")
    write_stack(town, "prod", "config: {town:size: 2}\n")

    configured = configuration.read(town, name, {})

    assert (configured.stack, configured.values, configured.notes) == (
        "prod",
        {"town:size": 2},
        (),
    )


def test_of_several_stacks_none_is_assumed(town):
    write_stack(town, "dev", "")
    write_stack(town, "prod", "")

    refusal = problem(town)

    assert refusal.allowed == "dev, prod"
    assert refusal.fix == "choose one: --config-of dev"


def test_a_stack_that_has_no_file_is_told_which_have(town):
    write_stack(town, "production", "")

    refusal = problem(town, "prodction")

    assert (refusal.value, refusal.suggestion) == ("prodction", "production")


def test_what_is_given_stands_in_for_the_files(town):
    write_stack(
        town, "dev", "config: {town:size: 1, town:key: {secure: v1:abc}, aws:region: eu-west-1}\n"
    )

    configured = configuration.read(town, None, {"size": "9", "key": "k", "gcp:project": "p"})

    assert configured.values == {
        "town:size": "9",
        "town:key": "k",
        "gcp:project": "p",
        "aws:region": "eu-west-1",
    }
    assert configured.secrets == ()


def test_secrets_are_left_out_wherever_they_stand_and_told(town):
    write_stack(
        town,
        "dev",
        "secretsprovider: awskms://alias/x\nencryptedkey: AAA\nconfig:\n"
        "  town:key: {secure: v1:abc}\n"
        "  town:all: {user: me, more: [{secure: v1:def}, 3], 'a.b': {secure: v1:ghi}}\n"
        "  town:plain: {secure: x, other: y}\n",
    )

    configured = configuration.read(town, None, {})

    assert configured.secrets == ("town:key", 'town:all["more"][0]', 'town:all["a.b"]')
    held = configuration.PLACEHOLDER
    assert configured.values == {
        "town:all": {"user": "me", "more": [held, 3], "a.b": held},
        "town:plain": {"secure": "x", "other": "y"},
    }
    assert "v1:" not in configured.text()
    assert "AAA" not in configured.text()
    assert configured.notes[1].endswith("placeholders: " + ", ".join(configured.secrets))


def test_of_many_secrets_some_are_named(town):
    keys = "".join(f"  town:k{number}: {{secure: v1:abc}}\n" for number in range(6))
    write_stack(town, "dev", f"config:\n{keys}")

    assert configuration.read(town, None, {}).notes[1].endswith("town:k3 and 2 more")


def test_environments_of_an_account_are_told_to_be_unknown(town):
    write_stack(town, "dev", "environment: [shared]\nconfig: {}\n")

    assert "Pulumi ESC" in configuration.read(town, None, {}).notes[1]


def test_configuration_that_is_no_mapping(town):
    write_stack(town, "dev", "config: [a]\n")

    assert "is not a mapping" in problem(town).message
