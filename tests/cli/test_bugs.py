"""An error that was not raised on purpose is told as a bug: one line, and exit code 3."""

import logging
from collections.abc import Iterator

import pytest

from gpuinfra import logs, planning
from tests.cli.conftest import Run


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def plan(*_: object, **__: object) -> None:
        raise KeyError("bucket.dta")

    monkeypatch.setattr(planning, "from_stack", plan)


@pytest.mark.usefixtures("broken")
def test_a_bug_is_one_line_and_no_verdict(gpuinfra: Run, stack) -> None:
    path = stack()

    ran = gpuinfra("check", path)

    told = " ".join(ran.err.split())
    assert ran.code == 3
    assert "Traceback" not in ran.err
    assert told.startswith("error: this is a bug of gpuinfra ")
    assert "KeyError: 'bucket.dta', test_bugs.py:" in told
    assert told.endswith(f"traceback: gpuinfra --debug check {path}")


@pytest.fixture
def quiet_again() -> Iterator[None]:
    """Takes away what --debug adds to the logger."""
    logger = logging.getLogger(logs.LOGGER)
    handlers, level = list(logger.handlers), logger.level
    yield
    logger.handlers[:], logger.level = handlers, level


@pytest.mark.usefixtures("broken", "quiet_again")
def test_debug_shows_the_traceback(gpuinfra: Run, stack) -> None:
    ran = gpuinfra("check", stack(), "--debug")

    assert ran.code == 3
    assert "Traceback (most recent call last)" in ran.err
    assert "traceback: gpuinfra" not in ran.err


@pytest.mark.usefixtures("broken")
def test_a_bug_is_json_where_that_is_asked_for(gpuinfra: Run, stack) -> None:
    ran = gpuinfra("check", stack(), "--json")

    assert '"exit_code": 3' in ran.out


@pytest.mark.parametrize(
    "words",
    [
        "training: {tune: {gpu: L4:1, duration: 24h, data: [{bucket: dta}]}}",
        "training: {tune: {gpu: L4:1, duration: 24h, checkpoints: {bucket: dta, every: 10m}}}",
        "inference: {chat: {gpu: L4:1, replicas: 1, image: x:1, port: 80, data: [{bucket: dta}]}}",
    ],
)
def test_a_bucket_that_is_not_declared_is_bad_input(words: str, gpuinfra: Run, tmp_path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "version: 1\nname: small\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
        f"buckets: {{data: {{size: 100GB}}}}\n{words}\n"
    )

    ran = gpuinfra("check", path)

    assert ran.code == 2
    assert f"{path}:6:" in ran.err
    assert "bucket 'dta' is not declared" in ran.err
    assert "did you mean 'data'?" in ran.err
    assert "problem" not in ran.err
