"""What a policy pack found, as `up` and `preview` show it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from gpuinfra.cli.commands.up import addresses
from gpuinfra.cli.views.outcome import show_outcome, summary
from gpuinfra.engine import install
from gpuinfra.engine.contract import Diagnostic, Engine, Outcome, PolicyFinding, ResourceStep
from gpuinfra.errors import Position, Refusal
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import TO_FIX, policy_description

LOGIN = next(rule for rule in RULES if rule.id == "open-login")


def shown(message: str, capsys: pytest.CaptureFixture[str], policy: str = LOGIN.id) -> list[str]:
    finding = PolicyFinding(pack="gpuinfra-all", policy=policy, level="mandatory", message=message)
    outcome = Outcome(verb="preview", ending="refused", reason="", findings=(finding,))
    show_outcome(outcome, "sandbox")
    return capsys.readouterr().out.splitlines()[:-1]


def test_a_finding_says_what_is_wrong_and_what_to_change(capsys):
    message = (
        f"{policy_description(LOGIN)}\ntrainer: port 22 is open to 0.0.0.0/0.{TO_FIX}close it."
    )

    assert shown(message, capsys) == [
        "✗ open-login: trainer: port 22 is open to 0.0.0.0/0",
        "    fix: close it",
    ]


@pytest.mark.parametrize(
    ("verb", "also"),
    [
        ("preview", ", or use --target sandbox\n"),
        ("up", ", or use --target sandbox\n"),
        ("destroy", "\n"),
    ],
)
@pytest.mark.parametrize(("origin", "pulumi"), [("PATH", "pulumi"), ("cache", "/c/pulumi")])
def test_a_plugin_that_cannot_be_downloaded_comes_with_the_commands_that_help(
    monkeypatch, capsys, verb, also, origin, pulumi
):
    engine = Engine(path=Path("/c/pulumi"), version="3.250.0", origin=origin)
    monkeypatch.setattr(install, "find", lambda: engine)
    message = (
        "Could not automatically download and install resource plugin 'pulumi-resource-aws' at "
        "version v7.51.1, install the plugin using `pulumi plugin install resource aws v7.51.1`: "
        "error downloading provider aws to file"
    )
    told = Diagnostic(severity="error", message=message)
    show_outcome(Outcome(verb=verb, ending="engine", diagnostics=(told,)), "cloud")

    command = f"`{pulumi} plugin install resource aws v7.51.1`"
    expected = f"  fix:     with access to the internet, run {command}{also}"
    assert expected in capsys.readouterr().err


def test_a_finding_says_where_in_the_file_it_is(capsys):
    place = Position(file="a/rather/long/path/of/a/stack.yaml", line=12, column=3)
    finding = PolicyFinding(
        pack="all",
        policy=LOGIN.id,
        level="mandatory",
        message=f"trainer: port 22 is open.{TO_FIX}close it.",
        position=place,
    )
    show_outcome(Outcome(verb="up", ending="refused", findings=(finding,)), "sandbox")

    assert capsys.readouterr().out.splitlines()[:-1] == [
        "✗ open-login: trainer: port 22 is open",
        "    at:  a/rather/long/path/of/a/stack.yaml:12:3",
        "    fix: close it",
    ]


def test_what_is_found_alike_of_several_is_one_with_each_place(capsys):
    findings = tuple(
        PolicyFinding(
            pack="all",
            policy=LOGIN.id,
            level="advisory",
            message=f"{name}: port 22 is open.{TO_FIX}close it.",
            position=Position(file="stack.yaml", line=line, column=3),
        )
        for name, line in (("d-group", 9), ("c-group", 7))
    )
    show_outcome(Outcome(verb="preview", ending="fine", findings=findings), "sandbox")

    assert capsys.readouterr().out.splitlines()[:-1] == [
        "! open-login: c-group, d-group: port 22 is open",
        "    at:  stack.yaml:7:3",
        "    at:  stack.yaml:9:3",
        "    fix: close it",
    ]


def test_it_fits_its_reader(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(
        f"{policy_description(LOGIN)}\n{'trainer is open ' * 20}.{TO_FIX}{'close ' * 40}", capsys
    )

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
    assert captured.out.endswith(
        "up [sandbox] failed: the engine failed; nothing done in 0.0 s (engine)\n"
    )


def step(name: str, operation: str = "create", **more: Any) -> ResourceStep:
    type_ = "aws:ec2/vpc:Vpc"
    return ResourceStep(
        urn=f"urn:pulumi:a::b::{type_}::{name}", type=type_, operation=operation, **more
    )


def workload_of(name: str) -> str:
    return name.partition("-")[0] if "-" in name else "the rest"


MANY = tuple(step(name) for name in (*(f"chat-{at}" for at in range(9)), "data-1", "data-2", "x"))


def test_many_resources_are_counted_by_workload_and_listed_when_asked_for(capsys):
    steps = (*MANY, step("late-1"), step("late-2", failed=True), step("old-1", "delete"))
    changes = {"create": 13, "delete": 1}
    outcome = Outcome(verb="up", ending="fine", steps=steps, changes=changes)

    show_outcome(outcome, "sandbox", workload_of)
    normal = capsys.readouterr().out
    show_outcome(outcome, "sandbox", workload_of, detail="verbose")
    verbose = capsys.readouterr().out.splitlines()

    assert normal.splitlines()[0] == (
        "+ 13 created: chat 9, data 2, late 1, the rest 1 (-v lists them)"
    )
    listed = [line.split()[:2] for line in normal.splitlines() if "Vpc" in line]
    assert listed == [["✗", "late-2"], ["-", "old-1"]]
    assert len([line for line in verbose if "Vpc" in line]) == len(steps)
    assert (
        verbose[-1]
        == normal.splitlines()[-1]
        == "up [sandbox]: 13 created, 1 deleted in 0.0 s (engine)"
    )


def test_a_command_without_the_option_does_not_name_it(capsys):
    steps = (*MANY, step("late-1"))
    outcome = Outcome(verb="up", ending="fine", steps=steps, changes={"create": 13})
    tour = click.Command("quickstart", callback=lambda: show_outcome(outcome, "here", workload_of))

    tour.main([], standalone_mode=False)

    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "+ 13 created: chat 9, data 2, late 1, the rest 1"


def test_few_resources_are_listed(capsys):
    outcome = Outcome(verb="preview", ending="fine", steps=MANY, changes={"create": 12})

    show_outcome(outcome, "sandbox", workload_of)

    shown = capsys.readouterr().out.splitlines()
    assert len([line for line in shown if "Vpc" in line]) == 12
    assert shown[-1] == "preview [sandbox]: 12 to create in 0.0 s (engine)"


def test_a_difference_has_its_values(capsys):
    values = (("maxSize", 2, 6), ("on", True, None))
    differences = ("maxSize", "on", "policy")
    changed = step("trainer-group", "update", differences=differences, values=values)
    outcome = Outcome(verb="refresh", ending="fine", steps=(changed,), changes={"update": 1})

    show_outcome(outcome, "sandbox")

    shown = capsys.readouterr().out
    assert "  maxSize: 2 → 6, on: true → none, policy\n" in shown
    assert shown.endswith("refresh [sandbox]: 1 changed in 0.0 s (engine)\n")


REFUSED = Refusal(
    what="aws:autoscaling/group:Group trainer-group",
    why="no capacity",
    fix="wait",
    urn="urn:pulumi:sandbox::demo::gpuinfra:index:Stack$aws:autoscaling/group:Group::trainer-group",
)

NOTHING = "nothing done in 0.0 s (engine)"


@pytest.mark.parametrize(
    ("outcome", "foreseen", "expected"),
    [
        (
            Outcome(verb="up", ending="cloud", refusals=(REFUSED,), changes={"create": 73}),
            False,
            "up [here] failed: AWS refused trainer-group; 73 created in 0.0 s (engine)",
        ),
        (
            Outcome(
                verb="up",
                ending="cloud",
                refusals=tuple(
                    replace(REFUSED, urn=f"urn:pulumi:a::b::x:y:Z::a-{at}") for at in range(5)
                ),
            ),
            False,
            f"up [here] failed: the cloud refused a-0, a-1, a-2 and 2 more; {NOTHING}",
        ),
        (
            Outcome(verb="up", ending="interrupted", reason="on request", changes={"same": 2}),
            False,
            "up [here] interrupted: on request; 2 unchanged in 0.0 s (engine)",
        ),
        (
            Outcome(verb="destroy", ending="fine", changes={"delete": 2}),
            True,
            "destroy [here]: 2 to delete in 0.0 s (engine)",
        ),
        (
            Outcome(verb="destroy", ending="fine", changes={"delete": 2}, work_left=("x",)),
            False,
            "destroy [here] unfinished: 2 deleted in 0.0 s (engine)",
        ),
        (
            Outcome(verb="refresh", ending="fine", changes={"same": 9, "delete": 1}),
            False,
            "refresh [here]: 9 unchanged, 1 gone in 0.0 s (engine)",
        ),
        (
            Outcome(verb="up", ending="fine", changes={"same": 9}),
            False,
            "up [here]: no changes in 0.0 s (engine)",
        ),
    ],
)
def test_the_last_line_says_what_came_of_it(outcome, foreseen, expected):
    assert summary(outcome, "here", is_preview=foreseen) == expected


def test_more_is_printed_above_the_last_line_but_not_of_a_quiet_run(capsys):
    outcome = Outcome(verb="up", ending="fine", changes={"create": 1})

    show_outcome(outcome, "here", below=lambda: click.echo("data bucket: data-1"))
    show_outcome(outcome, "here", detail="quiet", below=lambda: click.echo("data bucket: data-1"))

    assert capsys.readouterr().out.splitlines() == [
        "data bucket: data-1",
        "up [here]: 1 created in 0.0 s (engine)",
    ]


def test_addresses_and_buckets_are_shown_and_ids_are_not():
    outputs = {
        "training": {"trainer": {"groupName": "g", "identity": "i"}},
        "inference": {
            "chat": {"url": "http://chat", "networkId": "n", "queueUrl": None},
            "jobs": {"url": None, "queueUrl": "https://queue"},
        },
        "buckets": {"data": {"bucketName": "data-1", "bucketId": "arn"}},
        "ends": {"trainer": "2026-12-01T00:00:00Z"},
        "deployRole": "arn",
    }

    assert dict(addresses(outputs)) == {
        "chat": "http://chat",
        "jobs queue": "https://queue",
        "data bucket": "data-1",
        "trainer ends": "2026-12-01 00:00 UTC",
    }


def test_an_error_that_is_shown_is_not_repeated_in_the_summary(
    capsys: pytest.CaptureFixture[str],
) -> None:
    why = "no resource plugin 'pulumi-resource-aws' found in the workspace"
    error = Diagnostic(severity="error", message=why, urn="")
    failed = Outcome(
        verb="up", ending="engine", reason=f"the engine failed: {why}", diagnostics=(error, error)
    )
    show_outcome(failed, "cloud")
    shown = capsys.readouterr()

    assert (shown.out + shown.err).count(why) == 1
    assert shown.out.endswith(f"up [cloud] failed: the engine failed; {NOTHING}\n")
