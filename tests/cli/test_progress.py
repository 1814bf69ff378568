import time

import pytest

from gpuinfra.cli.views import progress
from gpuinfra.cli.views.outcome import live
from gpuinfra.engine.contract import Progress


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_NOTICE_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
def test_a_long_wait_says_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_waiting("building") as update:
        update("3/40 create trainer")
        message = _message_shown(capsys)

    assert message == "building: 3/40 create trainer …\n"


def test_a_short_wait_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.show_waiting("building"):
        pass

    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("quick")
def test_a_runner_of_jobs_gets_lines_and_no_spinner(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert progress.is_watched()
    monkeypatch.setenv("CI", "true")

    assert not progress.is_watched()
    with progress.show_waiting("reading"):
        message = _message_shown(capsys)
    assert message == "reading …\n"


def _message_shown(capsys: pytest.CaptureFixture[str]) -> str:
    """What is told of a wait, however late a busy machine tells it."""
    for _ in range(1_000):
        errors = capsys.readouterr().err
        if errors:
            return errors
        time.sleep(0.01)
    return ""


@pytest.mark.usefixtures("quick")
def test_a_line_of_a_run_says_what_it_is_at_and_how_much_is_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with live("destroying") as show:
        show(Progress(kind="start", urn="urn::chat-group", operation="delete", done=3, total=4))
        message = _message_shown(capsys)

    assert message == "destroying: delete chat-group, 3 done …\n"


def test_a_line_beside_a_spinner_stands_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with live("building") as show:
        time.sleep(0.3)
        show(Progress(kind="note", message="stopping: operations in progress"))
    written = capsys.readouterr().err

    assert "building" in written
    before = written.partition("stopping: operations")[0]
    assert before.endswith(("\n", "\x1b[2K")), before[-20:]


def test_a_line_without_a_spinner_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    progress.say("stopping")

    assert capsys.readouterr().err == "stopping\n"
