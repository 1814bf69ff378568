"""`gpuinfra policy`: a pack to commit, its rules, and the mistakes in its configuration."""

import json
from pathlib import Path

import pytest

from gpuinfra.rules import RULES
from tests.cli.conftest import Run

FILES = {"PulumiPolicy.yaml", "__main__.py", "config.json", "README.md"}


def test_a_new_pack_has_what_it_needs_and_its_configuration_is_fine(
    gpuinfra: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "Our Guard"
    ran = gpuinfra("policy", "new", folder, "--per-hour", "260", "--per-month", "9000.5")
    assert ran.code == 0
    assert {path.name for path in folder.iterdir()} == FILES
    assert "name: our-guard\n" in (folder / "PulumiPolicy.yaml").read_text()
    assert 'pack("our-guard", rules_of())' in (folder / "__main__.py").read_text()
    config = json.loads((folder / "config.json").read_text())
    assert config["settings"]["budget"] == {"per_hour": 260, "per_month": 9000.5}
    assert gpuinfra("policy", "check", folder).code == 0
    commands = [line for line in (folder / "README.md").read_text().splitlines() if "   " in line]
    assert len(commands) == 3


def test_the_next_command_stays_whole_on_a_narrow_terminal(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    folder = tmp_path / "Our Guard"
    ran = gpuinfra("policy", "new", folder)

    options = f"--policy-pack '{folder}' --policy-pack-config '{folder / 'config.json'}'"
    assert f"`pulumi preview {options}`" in ran.err.splitlines()[-1]


def test_a_pack_of_some_families_has_their_rules_only(gpuinfra: Run, tmp_path: Path) -> None:
    folder = tmp_path / "guard"
    arguments = ("--pack", "budget", "--pack", "spot")
    ran = gpuinfra("policy", "new", folder, *arguments)
    assert "no cap is set" in ran.err
    assert 'rules_of("budget", "spot")' in (folder / "__main__.py").read_text()
    config = set(json.loads((folder / "config.json").read_text()))
    assert config - {"settings", "waiver"} <= {
        rule.id for rule in RULES if rule.family in {"budget", "spot"}
    }
    assert gpuinfra("policy", "check", folder, *arguments).code == 0
    refused = gpuinfra("policy", "check", folder, "--pack", "budget")
    assert refused.code == 2
    assert "is not in this pack" in refused.err


@pytest.mark.parametrize("name", sorted(FILES))
def test_nothing_is_written_over_and_nothing_beside_it(
    gpuinfra: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    ran = gpuinfra("policy", "new", tmp_path)
    assert ran.code == 2
    assert "new never overwrites one" in ran.err
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: "mine"}


def test_a_cap_needs_the_rules_that_keep_it(gpuinfra: Run, tmp_path: Path) -> None:
    ran = gpuinfra("policy", "new", tmp_path / "p", "--pack", "spot", "--per-hour", "3")
    assert ran.code == 2
    assert "add --pack budget" in ran.err
    assert not (tmp_path / "p").exists()


def test_a_folder_that_cannot_be_written_is_said(gpuinfra: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = gpuinfra("policy", "new", tmp_path / "file" / "pack")
    assert ran.code == 2
    assert "can't be written" in ran.err


def test_a_mistake_is_shown_where_it_stands(gpuinfra: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{\n  "spot-share": {"minimun": "60%"},\n  "no-cpa": "advisory"\n}\n')
    ran = gpuinfra("policy", "check", file)
    assert ran.code == 2
    assert f"{file}:2:18: the rule spot-share has no such setting" in ran.err
    assert "did you mean 'minimum'?" in ran.err
    assert f"{file}:3:3: unknown rule: 'no-cpa'" in ran.err


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 1, "a": 2}', "\0"])
def test_what_is_no_configuration_is_bad_input(gpuinfra: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)
    ran = gpuinfra("policy", "check", file)
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_rules_are_listed_with_their_packs_levels_and_settings(gpuinfra: Run) -> None:
    every = json.loads(gpuinfra("policy", "list", "--json").out)
    assert [policy["id"] for policy in every] == [*(rule.id for rule in RULES), "waiver"]
    assert {policy["id"]: policy["pack"] for policy in every}["spot-share"] == "spot"
    table = gpuinfra("policy", "list", "--pack", "spot").out
    assert "minimum (not demanded)" in table
    assert "metadata-v2" not in table
    assert "most_days (180)" in table
