"""README's first stack has no warning, whatever region and user the environment names."""

from pathlib import Path

import pytest

from gpuinfra.cli import run
from tests.readme.test_transcripts import README
from tests.readme.transcripts import BLOCK

ENVIRONMENTS = (
    {},
    {"AWS_REGION": "us-west-2"},
    {"AWS_DEFAULT_REGION": "eu-west-1"},
    {"AWS_REGION": "ap-northeast-1", "CLOUDSDK_COMPUTE_REGION": "europe-west4"},
    {"CLOUDSDK_COMPUTE_ZONE": "us-central1-a"},
    {"ARM_LOCATION_NAME": "westeurope"},
    {"PATH": "", "GIT_CONFIG_GLOBAL": ""},
)


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_it_passes_without_a_warning_in_every_environment(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    environment: dict[str, str],
) -> None:
    (file,) = (
        block for block in BLOCK.finditer(README.read_text("utf-8")) if block["kind"] == "file"
    )
    place = tmp_path / file["what"]
    place.parent.mkdir()
    place.write_text(file["text"], encoding="utf-8")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert run(["check", str(place)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "PASS"
