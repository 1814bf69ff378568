"""Commands on a stack that stands in the sandbox alone find it there without --target."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = [
    pytest.mark.e2e,
    # SDKs warn of their own old names when they are imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
Stack = Callable[..., Path]
TOLD = "target: sandbox (quickstart was brought up there)\n"


def test_what_stands_in_the_sandbox_alone_is_found_there(
    gpuinfra: Run, stack: Stack, sandbox_home: Path, tmp_path: Path
) -> None:
    path = stack()
    before = gpuinfra("status", path)
    up = gpuinfra("up", path, "--target", "sandbox", "--skip-preview")
    status = gpuinfra("status", path, "--json")
    quiet = gpuinfra("status", path, "-q")
    seen = gpuinfra("refresh", path)
    preview = gpuinfra("preview", path, "--json")
    again = gpuinfra("up", path)

    assert before.code == 2
    assert "no target is given" in before.err
    assert "add --target cloud, or run:" in before.err
    assert up.code == 0, up.out + up.err
    assert (status.code, status.err) == (0, TOLD)
    assert json.loads(status.out)["target"] == "sandbox"
    assert "target:" not in quiet.err
    assert seen.code == 0
    assert seen.err.startswith(TOLD)
    assert preview.code == 0
    assert set(json.loads(preview.out)["changes"]) == {"same"}
    assert again.code == 2, "an up names its target"

    refused_for_another_file(gpuinfra, path, tmp_path / "twin")
    refused_beside_a_cloud(gpuinfra, path)

    gone = gpuinfra("destroy", path)
    assert gone.code == 0, gone.out + gone.err
    assert gone.err.startswith(TOLD)
    assert json.loads(gpuinfra("sandbox", "ls", "--json").out) == []
    found_after_a_destroy(gpuinfra, path)


def found_after_a_destroy(gpuinfra: Run, path: Path) -> None:
    """What a destroy left nothing of is shown as that; only another destroy names its target."""
    emptied = gpuinfra("status", path)
    assert (emptied.code, emptied.err) == (0, TOLD)
    assert emptied.out == "quickstart [sandbox]: nothing is deployed\n"
    assert gpuinfra("destroy", path).code == 2


def refused_for_another_file(gpuinfra: Run, path: Path, twin: Path) -> None:
    """A file of the same name elsewhere is not what stands."""
    twin.mkdir()
    shutil.copy(path, twin)

    assert gpuinfra("status", twin).code == 2


def refused_beside_a_cloud(gpuinfra: Run, path: Path) -> None:
    """What was built in a cloud, too, has to be told apart."""
    settings = path.with_name("Pulumi.cloud.yaml")
    settings.write_text("config: {aws:region: us-east-1}\n")
    for verb in ("status", "preview", "refresh", "destroy"):
        ran = gpuinfra(verb, path)
        assert ran.code == 2
        assert "no target is given" in ran.err
    settings.unlink()


def test_the_file_s_own_target_counts_more(
    gpuinfra: Run, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: object, **_options: object) -> bool:
        raise AssertionError("the sandbox was asked")

    monkeypatch.setattr("gpuinfra.api.preparing.only_in_sandbox", never)
    monkeypatch.setattr("gpuinfra.engine.lifecycle.current_status", lambda request: None)
    path = stack(("version: 1\n", "version: 1\ntarget: cloud\n"))

    assert gpuinfra("status", path).out == "quickstart [cloud]: nothing is deployed\n"
    assert gpuinfra("status", path, "--target", "sandbox").out.startswith("quickstart [sandbox]")
