import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

from gpuinfra import rules
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError
from gpuinfra.model import Safety
from gpuinfra.rules import RULES, judge, settings_problems
from gpuinfra.specs.schema import RuleSettings
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan, verdict
from tests.rules.cases.safe import FINE, OPEN, SAFE


@dataclass(frozen=True)
class Waived:
    rule: str = "public-address"
    resource: str = "trainer"
    reason: str = "a demonstration"
    owner: str = "ml-platform"
    until: date = TODAY


def test_a_stack_in_order_is_fine():
    result = verdict(plan(FINE))
    assert (result.ok, result.exit_code) == (True, 0)


def test_a_violated_mandatory_rule_refuses_and_an_advisory_one_does_not():
    assert verdict(plan(OPEN)).exit_code == 1
    settings = {"public-address": {"level": "advisory"}}
    result = verdict(plan(OPEN), settings)
    assert (result.exit_code, result.ok) == (0, True)
    assert outcomes(plan(OPEN), "public-address", {"level": "advisory"}) == ["violated"]


def test_a_mandatory_rule_that_is_not_knowable_refuses():
    assert verdict(plan(group(safety=replace(SAFE, public_ip=Safety().public_ip)))).exit_code == 1


def test_a_disabled_rule_says_nothing():
    assert outcomes(plan(OPEN), "public-address", {"level": "disabled"}) == []


def test_settings_come_as_the_stack_file_holds_them():
    settings = {"spot-share": RuleSettings.model_validate({"level": "advisory", "minimum": "1%"})}
    (finding,) = [
        finding
        for finding in verdict(plan(FINE), settings).findings
        if finding.rule == "spot-share"
    ]
    assert (finding.outcome, finding.level) == ("violated", "advisory")


def test_only_some_rules_can_be_asked():
    result = judge(plan(OPEN), None, {}, (Waived(rule="open-login"),), TODAY, only=["metadata-v2"])
    assert {finding.rule for finding in result.findings} == {"metadata-v2"}


@pytest.mark.parametrize("pattern", ["trainer", "training.trainer", "train*", "*"])
def test_a_waiver_sets_a_finding_aside(pattern):
    result = verdict(plan(OPEN), waivers=[Waived(resource=pattern)])
    assert result.ok
    assert [(finding.rule, finding.subject) for finding in result.waived] == [
        ("public-address", "training.trainer")
    ]


def test_a_resource_is_waived_by_its_urn_or_its_name():
    urn = "urn:pulumi:dev::shop::aws:autoscaling/group:Group::workers"
    judged = plan(replace(OPEN, subject=urn))
    for pattern in ("workers", "*:autoscaling/*::workers", urn):
        assert verdict(judged, waivers=[Waived(resource=pattern)]).ok, pattern


def test_a_waiver_of_an_unknown_rule_names_a_similar_one():
    result = verdict(plan(), waivers=[Waived(rule="open-logn"), Waived(rule="xyz")])
    fixes = [finding.fix for finding in result.findings if finding.rule == "waiver"]
    assert fixes == ["write open-login", "`gpuinfra explain` lists the rules"]


@pytest.mark.parametrize(
    ("waiver", "words"),
    [
        (Waived(until=date(2026, 7, 31)), "ended on 2026-07-31"),
        (Waived(resource="another"), "matches no finding"),
        (Waived(rule="open-login"), "matches no finding"),
        (Waived(rule="no-such-rule"), "unknown rule"),
        (Waived(rule="cap-per-hour", resource="*"), "can't be waived"),
    ],
    ids=["ended", "another", "nothing to waive", "unknown rule", "a cap"],
)
def test_a_waiver_that_is_wrong_is_a_violation(waiver, words):
    result = verdict(plan(OPEN), waivers=[waiver])
    (wrong,) = [finding for finding in result.findings if finding.rule == "waiver"]
    assert words in wrong.message
    assert wrong.refuses
    assert "public-address" in {finding.rule for finding in result.findings if finding.refuses}


@pytest.mark.parametrize(
    ("settings", "message", "path", "suggestion"),
    [
        ({"spot-shar": {}}, "unknown rule", ("rules", "spot-shar"), "spot-share"),
        (
            {"spot-share": {"minimun": "1%"}},
            "the rule spot-share has no such setting",
            ("rules", "spot-share", "minimun"),
            "minimum",
        ),
        (
            {"spot-share": {"level": "mandatary"}},
            "unknown level of the rule spot-share",
            ("rules", "spot-share", "level"),
            "mandatory",
        ),
        (
            {"spot-share": {"minimum": 60}},
            "minimum of the rule spot-share: '60' is not a share",
            ("rules", "spot-share", "minimum"),
            "60%",
        ),
        (
            {"spot-only-pool": {"on_demand_base": "some"}},
            "on_demand_base of the rule spot-only-pool: 'some' is not a whole number",
            ("rules", "spot-only-pool", "on_demand_base"),
            "",
        ),
        (
            {"cap-per-hour": {"level": "advisory"}},
            "the rule cap-per-hour can't be set to advisory",
            ("rules", "cap-per-hour", "level"),
            "",
        ),
    ],
    ids=["rule", "setting", "level", "share", "whole", "cap"],
)
def test_each_wrong_setting_is_named_with_a_way_out(settings, message, path, suggestion):
    (problem,) = settings_problems(settings)
    assert (problem.message, problem.path) == (message, path)
    assert problem.suggestion == suggestion
    assert problem.allowed
    with pytest.raises(InputError):
        verdict(plan(FINE), settings)


def test_good_settings_have_no_problems():
    good = {
        "spot-share": {"minimum": "10%", "maximum": None, "level": "advisory"},
        "spot-only-pool": {"on_demand_base": "2"},
        "cap-per-hour": {"level": "mandatory"},
    }
    assert settings_problems(good) == ()


def test_every_rule_of_a_file_is_in_the_table_with_all_it_needs():
    files = Path(rules.__file__).parent.glob("*.py")
    declared = {
        rule
        for text in map(Path.read_text, files)
        for rule in re.findall(r'^    id="([a-z0-9-]+)"', text, re.MULTILINE)
    }
    by_span = {f"cap-per-{span}" for span in ("hour", "month")}
    assert sorted(declared | by_span) == sorted(rule.id for rule in RULES)
    for rule in RULES:
        assert rule.title
        assert rule.why.endswith(".")
        assert rule.fix
        assert rule.source.startswith("https://")


def test_a_way_out_comes_with_every_refusal_and_with_a_missing_cloud_budget_alone():
    for finding in verdict(plan(OPEN)).findings:
        refused = finding.outcome in {"violated", "not-knowable"}
        missing = (finding.rule, finding.outcome) == ("cloud-budget", "noted")
        assert bool(finding.fix) == (refused or missing), finding
    assert findings(plan(FINE), "public-address")[0].fix == ""


def test_a_fix_is_that_of_the_cloud_of_its_subject():
    rule = next(rule for rule in RULES if rule.id == "fabric-driver")
    every = rule.fix_on(None)

    assert rule.fix_on("aws") == "use an image with both: a Deep Learning AMI"
    assert rule.fix_on("azure") == "use an image with both: an HPC image"
    assert rule.fix_on("lambda") == "use an image with both"
    assert every.startswith("use an image with both: a Deep Learning AMI (AWS); ")
    assert every.endswith("; an HPC image (Azure)")


def test_a_way_is_of_a_cloud_that_is_built():
    for rule in RULES:
        assert set(rule.fix_by_cloud) <= set(CLOUDS), rule.id
        if not rule.fix_by_cloud:
            assert rule.fix_on("aws") == rule.fix_on(None) == rule.fix


def test_a_finding_says_where_in_the_stack_file_it_stands():
    paths = {finding.rule: finding.path for finding in verdict(plan(OPEN)).findings}
    assert paths["public-address"] == ("training", "trainer")
    assert paths["cap-per-hour"] == ("budget", "per_hour")
    urn = "urn:pulumi:dev::shop.v2::aws:ec2/instance:Instance::one"
    assert findings(plan(replace(OPEN, subject=urn)), "public-address")[0].path == ()
