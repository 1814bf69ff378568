"""What `quickstart` says of resources that remain, and how it is called again."""

import sys

import pytest

from gpuinfra.cli.commands.quickstart import program, refuse_left
from gpuinfra.errors import RefusedError

EARLIER = {"urn:pulumi:a::b::c::data 1": "data", "urn:pulumi:a::b::c::chat 1": "chat"}


def test_what_an_earlier_run_left_is_told_with_the_way_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refuse_left(EARLIER, EARLIER)

    assert capsys.readouterr().err == (
        "2 resources of an earlier run remain in the sandbox;"
        " remove everything in it: gpuinfra sandbox reset\n"
    )


def test_nothing_is_said_where_nothing_remains(capsys: pytest.CaptureFixture[str]) -> None:
    refuse_left(EARLIER, {})

    assert capsys.readouterr() == ("", "")


def test_what_this_run_made_and_left_is_refused_by_name() -> None:
    with pytest.raises(RefusedError, match=r"^not deleted: data-2$"):
        refuse_left(EARLIER, {**EARLIER, "urn:pulumi:a::b::c::data 2": "data-2"})


def test_hints_of_a_module_that_is_run_call_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/elsewhere/gpuinfra/__main__.py", "quickstart"])
    monkeypatch.setattr(sys, "executable", "/elsewhere/bin/python3")

    assert program() == "python3 -m gpuinfra"
