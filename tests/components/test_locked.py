"""A lock beside the stack file decides machines and images of what `deploy` builds."""

import json
from pathlib import Path

import pytest

from gpuinfra import TrainingArgs, TrainingNode, lock
from gpuinfra.cli import run
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.program import deploy

STACKS = Path(__file__).parents[2] / "stacks"
AMI = "ami-0fedcba9876543210"
LINK = "https://www.googleapis.com/compute/v1/projects/p/global/images/locked"


def locked(folder: Path, name: str, image: str | None) -> Path:
    """A shipped stack with its lock, whose images are resolved to one id."""
    path = folder / "stack.yaml"
    path.write_text((STACKS / name / "stack.yaml").read_text())
    assert run(["lock", str(path), "--json"]) == 0
    place = lock.lock_path(path)
    if image is not None:
        lock.write(lock.with_image_ids(lock.read_lock(place), lambda *_: image), place)
    return path


@pytest.mark.parametrize(
    ("name", "image", "lookup"),
    [
        ("quickstart", AMI, "aws:ssm/getParameter:getParameter"),
        ("research-gcp", LINK, "gcp:compute/getImage:getImage"),
    ],
)
def test_a_locked_image_is_built_and_never_looked_up(
    record, tmp_path: Path, name: str, image: str, lookup: str
) -> None:
    path = locked(tmp_path, name, image)
    seen = record(lambda: deploy(path))

    assert image in json.dumps([resource.inputs for resource in seen.resources], default=str)
    assert lookup not in {token for token, _ in seen.calls}
    assert not [resource for resource in seen.resources if "-image-" in resource.name]


def test_without_an_id_the_sandbox_looks_the_image_up_as_before(
    record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = locked(tmp_path, "quickstart", None)
    monkeypatch.setattr("pulumi.get_stack", lambda: "sandbox")
    seen = record(lambda: deploy(path))

    assert "aws:ssm/getParameter:getParameter" in {token for token, _ in seen.calls}


def test_a_lock_changes_nothing_else_of_what_is_built(record, tmp_path: Path) -> None:
    path = locked(tmp_path, "quickstart", AMI)
    with_lock = record(lambda: deploy(path)).names()
    lock.lock_path(path).unlink()
    without = record(lambda: deploy(path)).names()

    assert with_lock == [row for row in without if "-image-" not in row["name"]]


def test_a_program_with_a_stale_lock_ends_in_words(record, tmp_path: Path) -> None:
    path = locked(tmp_path, "quickstart", None)
    path.write_text(path.read_text().replace("nodes: 2", "nodes: 3"))

    with pytest.raises(ProgramError, match=r"trainer\.nodes: 2 -> 3"):
        record(lambda: deploy(path))


def test_a_component_without_a_file_ignores_locks(
    record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / lock.FILE_NAME).write_text("<<<<<<< no lock at all")
    monkeypatch.chdir(tmp_path)
    args = TrainingArgs(instance="g6.8xlarge", region="us-east-1")

    assert record(lambda: TrainingNode("one", args)).of("one")


def test_the_root_carries_the_locked_prices(record, tmp_path: Path) -> None:
    path = locked(tmp_path, "quickstart", AMI)

    root = record(lambda: deploy(path)).resources[0]

    rows = root.inputs["ownPrices"]
    assert {"g6.8xlarge", "g6.xlarge", "ebs-gp3-storage"} <= {row["item"] for row in rows}
    assert {row["origin"] for row in rows} == {"lock"}
