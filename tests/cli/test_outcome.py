"""What a policy pack found, as `up` and `preview` show it."""

import pytest

from gpuinfra.cli.views.outcome import show_outcome
from gpuinfra.engine.contract import Diagnostic, Outcome, PolicyFinding, Step
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import TO_FIX, described

LOGIN = next(rule for rule in RULES if rule.id == "open-login")


def shown(message: str, capsys: pytest.CaptureFixture[str], policy: str = LOGIN.id) -> list[str]:
    finding = PolicyFinding(pack="gpuinfra-all", policy=policy, level="mandatory", message=message)
    outcome = Outcome(verb="preview", ending="refused", reason="", findings=(finding,))
    show_outcome(outcome, "sandbox")
    return capsys.readouterr().out.splitlines()[:-1]


def test_a_finding_says_what_is_wrong_and_what_to_change(capsys):
    message = f"{described(LOGIN)}\ntrainer: port 22 is open to 0.0.0.0/0.{TO_FIX}close it."

    assert shown(message, capsys) == [
        "✗ open-login: trainer: port 22 is open to 0.0.0.0/0",
        "    fix: close it",
    ]


def test_it_fits_its_reader(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(f"{described(LOGIN)}\n{'trainer is open ' * 20}.{TO_FIX}{'close ' * 40}", capsys)

    assert max(map(len, lines)) <= 80
    assert len(lines) > 5


def test_what_another_pack_found_is_shown_whole(capsys):
    assert shown("Buckets are named\nnot so", capsys, "names") == [
        "✗ names: Buckets are named",
        "not so",
    ]


def test_advice_of_a_pack_does_not_hide_why_a_run_failed(capsys):
    advice = PolicyFinding(pack="all", policy="time-limit", level="advisory", message="a hung run")
    error = Diagnostic(severity="error", message="the backend does not answer")
    outcome = Outcome(
        verb="up",
        ending="engine",
        reason="the engine failed",
        findings=(advice,),
        diagnostics=(error,),
    )

    show_outcome(outcome, "sandbox")

    captured = capsys.readouterr()
    assert captured.err == "the backend does not answer\n"
    assert captured.out.endswith("in 0.0 s: the engine failed\n")


def test_how_many_of_each_type_fits_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    class_ = "BucketServerSideEncryptionConfiguration"
    type_ = f"aws:s3/b{class_[1:]}:{class_}"
    steps = [
        Step(operation="create", urn=f"urn:pulumi:a::b::c::{name}", type=type_)
        for name in ("first", "second")
    ]

    show_outcome(Outcome(verb="up", ending="fine", steps=tuple(steps)), "sandbox", brief=True)

    assert f"+         2  aws:s3:{class_}" in capsys.readouterr().out.splitlines()
