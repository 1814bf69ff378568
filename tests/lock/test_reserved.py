"""A lock of machines that are reserved: their price is one that no list has."""

from pathlib import Path

import pytest

from gpuinfra.cli import run

TEXT = """\
version: 1
name: capacity
owner: ml-platform
budget: {per_hour: 200}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer:
    instance: p5.48xlarge
    nodes: 2
    capacity: [{reserved: {reservation: cr-0123456789abcdef0, placement_group: theirs}}]
"""


def test_a_lock_of_reserved_machines_matches_its_file_until_the_reservation_is_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(TEXT)

    assert run(("lock", str(tmp_path))) == 0
    assert run(("lock", str(tmp_path), "--check")) == 0
    file.write_text(TEXT.replace("abcdef0,", "abcdef1,"))
    assert run(("lock", str(tmp_path), "--check")) == 1
    assert "training.trainer.capacity" in capsys.readouterr().err
