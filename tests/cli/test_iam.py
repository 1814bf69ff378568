"""`gpuinfra iam`: policies on the output, what to know of them beside it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import STACKS, Run


def test_policies_are_printed_as_json_and_labelled(gpuinfra: Run) -> None:
    ran = gpuinfra("iam", STACKS / "quickstart")

    assert ran.code == 0
    assert {policy["Version"] for policy in json.loads(ran.out)} == {"2012-10-17"}
    assert "not tested against AWS" in ran.err
    assert "evaluated offline" in ran.err
    assert "no permissions boundary" in " ".join(ran.err.split())
    assert "do not allow" not in ran.err


def test_json_says_all_of_it(gpuinfra: Run) -> None:
    ran = gpuinfra("iam", STACKS / "quickstart", "--json", "--trust", "github:example/lab@dev")

    answer = json.loads(ran.out)
    assert answer["label"] == "not tested against AWS"
    assert answer["types_without_rights"] == []
    assert answer["refused_offline"] == []
    (trust,) = answer["trust"]["Statement"]
    assert "repo:example/lab:ref:refs/heads/dev" in trust["Condition"]["StringEquals"].values()


@pytest.mark.parametrize("trust", ["gitlab:a/b", "github:lab", "github:a/b@"])
def test_another_form_of_trust_is_refused_with_the_way_out(gpuinfra: Run, trust: str) -> None:
    ran = gpuinfra("iam", STACKS / "quickstart", "--trust", trust)

    assert ran.code == 2
    assert "github:ORG/REPO@BRANCH" in ran.err


def test_a_stack_elsewhere_is_refused(gpuinfra: Run, tmp_path: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "version: 1\nname: elsewhere\nowner: ml\nwhere: {cloud: gcp, regions: [us-central1]}\n"
        "buckets: {data: {}}\n"
    )

    ran = gpuinfra("iam", path)

    assert ran.code == 2
    assert "this stack has no resources on AWS" in ran.err


def test_each_document_goes_to_a_file_of_its_own(gpuinfra: Run, tmp_path: Path) -> None:
    folder = tmp_path / "rights"
    policies = json.loads(gpuinfra("iam", STACKS / "quickstart").out)
    ran = gpuinfra(
        "iam", STACKS / "quickstart", "-o", folder, "--trust", "github:example/lab@main"
    )

    written = [json.loads((folder / name).read_text()) for name in sorted(_names(folder))]
    assert ran.code == 0
    assert written[:-1] == policies
    numbered = {f"policy-{number}.json" for number in range(1, len(policies) + 1)}
    assert _names(folder) == {*numbered, "trust.json"}


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
