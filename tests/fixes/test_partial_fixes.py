"""An edit after which the check still fails is written where `--partial` says so."""

from pathlib import Path

import pytest

from gpuinfra.cli.commands import check_fix as command
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414
from tests.fixes.conftest import AS_OF


@pytest.fixture
def partial(text, write) -> Path:
    """A stack file of which a part can be settled: nothing costs as little as its cap."""
    return write(
        text(
            ("per_hour: 120", "per_hour: 0.01"),
            ("capacity: on-demand", "capacity: spot"),
            ("    checkpoints: {bucket: data}\n", ""),
        )
    )


def test_an_edit_after_which_the_check_refuses_is_shown_and_not_written(partial, gpuinfra):
    before = partial.read_text()

    ran = gpuinfra("check", partial, "--fix", "--yes", *AS_OF)

    assert ran.code == 1
    assert partial.read_text() == before
    assert "+    checkpoints: {bucket: data, every: 10m}" in ran.out
    assert "after it: FAIL, " in ran.out
    assert "cap-per-hour (demo)" in ran.out
    assert "the check still fails after it" in ran.err
    assert "add --partial to write it anyway" in ran.err


def test_it_is_written_where_that_is_said(partial, gpuinfra):
    ran = gpuinfra("check", partial, "-v", "--fix", "--yes", "--partial", *AS_OF)

    assert ran.code == 1
    assert "checkpoints: {bucket: data, every: 10m}" in partial.read_text()
    assert "✓ spot-checkpoints" in ran.out


TWO_ON_SPOT = """\
name: demo
owner: ml
budget: {per_hour: 0.01}
where: {cloud: aws, regions: [us-east-1]}
training:
  large: {gpu: H100:8, nodes: 4, duration: 100h, capacity: spot}
  small: {gpu: L4:1, nodes: 2, duration: 10h, capacity: spot}
"""


def test_a_partial_fix_writes_the_edits_of_all_findings_that_can_be_settled(write, gpuinfra):
    path = write(TWO_ON_SPOT)

    ran = gpuinfra("check", path, "--fix", "--yes", "--partial", *AS_OF)

    assert "fixes: spot-checkpoints (training.large), spot-checkpoints (training.small)" in ran.out
    assert path.read_text() == TWO_ON_SPOT.replace("capacity: spot", "capacity: on-demand")
    assert ran.out.endswith("FAIL, 1 error, 2 warnings\n")


def test_a_person_is_told_that_the_check_still_refuses(partial, gpuinfra, monkeypatch):
    questions = []
    monkeypatch.setattr(command, "_is_confirmed", lambda *words: bool(questions.append(words[0])))

    gpuinfra("check", partial, "--fix", *AS_OF)

    assert questions == ["the check still fails after it: write it anyway?"]
