"""Settings of a rule for one workload or resource."""

from dataclasses import replace

import pytest

from gpuinfra.rules import settings_problems
from gpuinfra.specs.schema import RuleSettings
from tests.rules.cases.judging import findings, plan, verdict
from tests.rules.cases.safe import OPEN


def other(subject):
    return replace(OPEN, name="chat", subject=subject, purpose="inference")


@pytest.mark.parametrize("pattern", ["chat", "inference.chat", "ch*"])
def test_a_rule_has_another_level_for_one_workload(pattern):
    judged = plan(OPEN, other("inference.chat"))
    settings = {"public-address": {"workloads": {pattern: {"level": "advisory"}}}}
    levels = [
        finding
        for finding in verdict(judged, settings).findings
        if finding.rule == "public-address"
    ]

    assert [(finding.subject, finding.level) for finding in levels] == [
        ("training.trainer", "mandatory"),
        ("inference.chat", "advisory"),
    ]


def test_a_rule_can_be_for_one_workload_alone_or_for_all_but_one():
    judged = plan(OPEN, other("inference.chat"))
    but_one = {"workloads": {"chat": {"level": "disabled"}}}
    one_alone = {"level": "disabled", "workloads": {"chat": {"level": "mandatory"}}}

    assert [finding.subject for finding in findings(judged, "public-address", but_one)] == [
        "training.trainer"
    ]
    assert [finding.subject for finding in findings(judged, "public-address", one_alone)] == [
        "inference.chat"
    ]


def test_the_first_pattern_that_fits_holds():
    settings = {"workloads": {"train*": {"level": "advisory"}, "trainer": {"level": "disabled"}}}

    assert [finding.level for finding in findings(plan(OPEN), "public-address", settings)] == [
        "advisory"
    ]


def test_settings_of_a_workload_are_read_like_the_rule_s_own():
    written = {"workloads": {"trainer": {"level": "off", "share": 1, "workloads": {}}}}
    told = settings_problems({"spot-share": RuleSettings.model_validate({})})
    assert told == ()
    paths = [problem.path for problem in settings_problems({"spot-share": written})]
    assert paths == [
        ("rules", "spot-share", "workloads", "trainer", "level"),
        ("rules", "spot-share", "workloads", "trainer", "share"),
        ("rules", "spot-share", "workloads", "trainer", "workloads"),
    ]


def test_settings_of_a_workload_that_is_not_there_are_named():
    form = RuleSettings.model_validate({"workloads": {"trainee": {"minimum": "1%"}}})
    subjects = ("shop", "training.trainer")
    (problem,) = settings_problems({"spot-share": form}, subjects)

    assert (problem.path[-1], problem.suggestion) == ("trainee", "trainer")
    assert settings_problems({"spot-share": form}) == ()


@pytest.mark.parametrize(("pattern", "meant"), [("nodes[0]", True), ("nodes[?]", False)])
def test_settings_for_a_resource_as_it_is_called_are_its_own(pattern, meant):
    urn = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::nodes[0]"
    settings = {"workloads": {pattern: {"level": "disabled"}}}

    assert (findings(plan(other(urn)), "public-address", settings) == []) is meant


@pytest.mark.parametrize("pattern", ["nodes[0]", "nodes[0-9]", "node[a-z]0"])
def test_brackets_stand_for_no_other_character(pattern):
    urn = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::nodes0"
    settings = {"workloads": {pattern: {"level": "disabled"}}}

    assert findings(plan(other(urn)), "public-address", settings) != []
