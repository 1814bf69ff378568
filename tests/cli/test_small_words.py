"""Ctrl-C at the start of up, an unknown word, machines by price, the line of a spinner."""

import json
from typing import Any

import pytest

from gpuinfra.cli.commands import up
from gpuinfra.cli.views.progress import _cut_to_width
from tests.cli.conftest import Run


def test_a_ctrl_c_while_up_starts_says_that_nothing_was_built(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(up, "load", interrupted)

    done = gpuinfra("up", ".", "--target", "sandbox")

    assert (done.code, done.err.strip()) == (130, "interrupted: nothing was built")


def test_an_unknown_word_is_not_answered_with_the_list_of_rules(gpuinfra: Run) -> None:
    told = gpuinfra("explain", "no-such-rule").err

    assert "allowed:" not in told
    assert "`gpuinfra explain` lists the rules" in told


def test_the_machines_of_a_gpu_are_listed_by_how_many_it_has_and_price(gpuinfra: Run) -> None:
    shown = json.loads(gpuinfra("catalog", "show", "L4", "--json").out)["machines"]

    aws = [
        (each["machine"]["gpu_count"], each["cheapest"]["per_unit"])
        for each in shown
        if each["machine"]["cloud"] == "aws" and each["cheapest"]
    ]
    assert len(aws) > 3
    assert aws == sorted(aws)


def test_the_line_of_a_spinner_fits_its_terminal() -> None:
    assert _cut_to_width("previewing: short", 80) == "previewing: short"
    assert len(_cut_to_width("previewing: create " + "x" * 100, 80)) == 77
    assert _cut_to_width("x" * 100, 80).endswith("…")
