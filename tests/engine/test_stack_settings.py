import pytest

from gpuinfra.engine import stack_settings
from gpuinfra.engine.contract import RunRequest, Target
from gpuinfra.errors import EngineError

RUNG = {"gpuinfra:rung.trainer": "spot"}


def request(folder, **more):
    return RunRequest(
        project="demo",
        program=lambda: None,
        target=Target(name="sandbox"),
        work_dir=folder,
        **more,
    )


def test_secrets_keep_the_salt_they_were_encrypted_with(tmp_path):
    own, work = tmp_path / "own", tmp_path / "work"
    own.mkdir()
    work.mkdir()
    text = "encryptionsalt: v1:abc\nconfig:\n  demo:key:\n    secure: v1:def\n"
    (own / "Pulumi.sandbox.yaml").write_text(text)

    stack_settings.lay_out(request(own, config=RUNG), work)

    laid_out = (work / "Pulumi.sandbox.yaml").read_text()
    assert laid_out == text + "  gpuinfra:rung.trainer: spot\n"


def test_the_engine_gets_the_environments_that_the_stack_imports(tmp_path):
    own, work = tmp_path / "own", tmp_path / "work"
    own.mkdir()
    work.mkdir()
    text = "environment:\n- prod/gpu\nconfig:\n  demo:key: value\n"
    (own / "Pulumi.sandbox.yaml").write_text(text)

    stack_settings.lay_out(request(own, config=RUNG), work)
    stack_settings.save_settings(request(own, config=RUNG))

    for folder in (own, work):
        laid_out = (folder / "Pulumi.sandbox.yaml").read_text()
        assert laid_out == text + "  gpuinfra:rung.trainer: spot\n"


@pytest.mark.parametrize("text", ["- a list\n", "config: 7\n", "a: [\n", "\t- x\n"])
def test_a_broken_settings_file_is_named(tmp_path, text):
    (tmp_path / "Pulumi.sandbox.yaml").write_text(text)

    with pytest.raises(EngineError, match=r"Pulumi\.sandbox\.yaml .*correct the file or delete"):
        stack_settings.lay_out(request(tmp_path), tmp_path)


def test_nothing_is_written_when_nothing_differs(tmp_path):
    path = tmp_path / "Pulumi.sandbox.yaml"
    path.write_text("config: {gpuinfra:rung.trainer:   spot}\n")

    stack_settings.save_settings(request(tmp_path, config=RUNG))
    assert path.read_text() == "config: {gpuinfra:rung.trainer:   spot}\n"


def test_the_first_rung_makes_the_file(tmp_path):
    stack_settings.save_settings(request(tmp_path, config=RUNG))

    assert (tmp_path / "Pulumi.sandbox.yaml").read_text() == (
        "config:\n  gpuinfra:rung.trainer: spot\n"
    )
