"""What the judge makes of a rule's findings: outcome, level, fix and path, by workload too."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpuinfra.model import Group
from gpuinfra.rules import Finding
from gpuinfra.rules.rule import Rule, RuleInput, each_group, fine, not_knowable, violated
from gpuinfra.rules.rule_runner import judge_input, run
from tests.rules.cases.judging import TODAY, group, plan

URN = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::training.node"


def rule_on(*found: Finding, path: tuple[str, ...] = ()) -> Rule:
    """A rule that finds what is given."""

    def check(_: RuleInput, __: Mapping[str, Any]) -> Iterator[Finding]:
        yield from found

    return Rule(
        id="a-rule",
        family="hygiene",
        title="t",
        why="w",
        source="s",
        fix="mend it",
        check=check,
        path=path,
    )


def findings(rule: Rule, settings: Mapping[str, Any] | None = None) -> list[Finding]:
    shown = judge_input(plan(group()), None, TODAY)
    return list(run([rule], shown, {} if settings is None else {"a-rule": settings}))


@pytest.mark.parametrize(
    ("settings", "outcome", "fix"),
    [
        (None, "noted", ""),
        ({"level": "mandatory"}, "violated", "mend it"),
        ({"level": "advisory"}, "violated", "mend it"),
    ],
)
def test_what_is_noted_counts_where_a_level_is_set(
    settings: Mapping[str, Any] | None, outcome: str, fix: str
) -> None:
    noted = Finding(outcome="noted", subject="training.trainer", message="by the way")

    (finding,) = findings(rule_on(noted), settings)

    assert (finding.outcome, finding.fix) == (outcome, fix)


@pytest.mark.parametrize(
    ("found", "fix"),
    [
        (fine("a", "as it should be"), ""),
        (violated("a", "is wrong"), "mend it"),
        (not_knowable("a", "is not known"), "mend it"),
        (violated("a", "is wrong", fix="an own fix"), "an own fix"),
    ],
)
def test_what_needs_a_fix_has_the_rule_s_where_it_has_none(found: Finding, fix: str) -> None:
    (finding,) = findings(rule_on(found), {"level": "advisory"})

    assert (finding.outcome, finding.fix, finding.rule) == (found.outcome, fix, "a-rule")


@pytest.mark.parametrize(
    ("subject", "path"),
    [
        ("training.trainer", ("training", "trainer")),
        ("buckets.data", ("buckets", "data")),
        ("training", ("budget",)),
        ("server.trainer", ("budget",)),
        ("shop", ("budget",)),
        (URN, ("budget",)),
    ],
)
def test_a_finding_is_placed_at_its_subject_or_where_the_rule_says(
    subject: str, path: tuple[str, ...]
) -> None:
    (finding,) = findings(rule_on(fine(subject, "so"), path=("budget",)))
    (bare,) = findings(rule_on(fine(subject, "so")))

    assert finding.path == path
    assert bare.path == (() if path == ("budget",) else path)


def test_settings_of_a_workload_hold_for_it_alone() -> None:
    rule = rule_on(violated("training.a", "is wrong"), violated("training.b", "is wrong"))

    found = findings(rule, {"level": "advisory", "workloads": {"a": {"level": "mandatory"}}})

    assert [(it.subject, it.level) for it in found] == [
        ("training.b", "advisory"),
        ("training.a", "mandatory"),
    ]


def test_groups_of_one_subject_are_told_apart_by_name() -> None:
    def judged(shown: Group) -> Finding:
        return fine(shown.subject, "is fine")

    def messages(*groups: Group) -> list[str]:
        return [it.message for it in each_group(judge_input(plan(*groups), None, TODAY), judged)]

    two = group(name="a", subject=URN), group(name="b", subject=URN)

    assert messages(*two) == ["a: is fine", "b: is fine"]
    assert messages(two[0], group(name="b", subject="training.b")) == ["is fine", "is fine"]
