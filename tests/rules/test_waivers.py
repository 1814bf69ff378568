"""What a waiver sets aside, and what is wrong with one."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

import pytest

from gpuinfra.errors import InputError
from gpuinfra.model import Safety
from gpuinfra.rules import RULES, WAIVERS, judge, most_days, settings_problems
from gpuinfra.rules.rule import Finding
from gpuinfra.rules.verdict import WaiverTerms, apply_waivers
from gpuinfra.rules.waivers import (
    WaiverIndex,
    last_allowed_day,
    matches_name,
    own_names,
    short_name,
)
from gpuinfra.specs.schema import RuleSettings
from tests.rules.cases.judging import TODAY, group, plan

URN = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::gpu"


@dataclass(frozen=True)
class Waived:
    rule: str = "open-login"
    resource: str = "trainer"
    reason: str = "a demonstration"
    owner: str = "ml-platform"
    until: date = TODAY


def finding(rule="open-login", subject="training.trainer", **changes):
    fields = {"outcome": "violated", "message": "open", **changes}
    return Finding(rule=rule, subject=subject, **fields)


def weighed(findings, waivers, days=180, ran=("open-login", "public-address"), names=own_names):
    terms = WaiverTerms(rules=RULES, active_rules=ran, today=TODAY, max_days=days, names=names)
    return apply_waivers(findings, dict(enumerate(waivers)), terms)


def wrong(verdict):
    return [finding for finding in verdict.findings if finding.rule == "waiver"]


@pytest.mark.parametrize("outcome", ["violated", "not-knowable"])
def test_what_somebody_accepts_counts_no_more_and_says_by_which_waiver(outcome):
    bad, other = finding(outcome=outcome), finding("public-address")
    verdict = weighed([bad, other], [Waived(), Waived("public-address", "*")])
    assert verdict.findings == ()
    assert verdict.waived == (bad, other)
    assert verdict.waiver_indexes == (0, 1)
    assert verdict.ok


@pytest.mark.parametrize("outcome", ["fine", "not-applicable"])
def test_what_is_fine_is_not_waived_and_its_waiver_is_needless(outcome):
    good = finding(outcome=outcome)
    verdict = weighed([good], [Waived()])
    assert verdict.waived == ()
    assert verdict.findings[0] == good
    (needless,) = wrong(verdict)
    assert "matches no finding" in needless.message
    assert needless.refuses


def test_one_waiver_of_several_findings_and_several_of_one():
    twice = [finding(), finding(message="another")]
    verdict = weighed(twice, [Waived(resource="train*"), Waived(resource="trainer")])
    assert verdict.waived == tuple(twice)
    assert verdict.waiver_indexes == (0, 0)
    assert verdict.ok


@pytest.mark.parametrize(
    ("pattern", "subject", "spoken"),
    [
        ("trainer", "training.trainer", True),
        ("training.trainer", "training.trainer", True),
        ("train*", "training.trainer", True),
        ("traine?", "training.trainer", True),
        ("TRAINER", "training.trainer", False),
        ("rainer", "training.trainer", False),
        ("gpu", URN, True),
        ("*:ec2/*::gpu", URN, True),
        (URN, URN, True),
        ("a[1]", "buckets.a[1]", True),
        ("a[[]1]", "buckets.a[1]", True),
        ("a*", "buckets.a*b", True),
        ("[sx]r?iner*", "trainer", False),
        ("?r?iner*", "training.trainer-2", True),
        ("other", URN, False),
    ],
)
def test_a_waiver_speaks_of_what_goes_by_its_pattern(pattern, subject, spoken):
    register = WaiverIndex({7: Waived(resource=pattern)}, own_names)
    assert (7 in register.matching(finding(subject=subject))) is spoken
    assert not list(register.matching(finding("public-address", subject)))


def test_names_are_only_asked_for_where_a_waiver_may_speak():
    subjects = []
    register = WaiverIndex({0: Waived()}, lambda subject: subjects.append(subject) or (subject,))
    list(register.matching(finding("public-address")))
    assert subjects == []
    list(register.matching(finding()))
    assert subjects == ["training.trainer"]


def test_a_waiver_speaks_by_any_name_that_a_subject_has():
    verdict = weighed([finding(subject=URN)], [Waived()], names=lambda _: ("x", "trainer"))
    assert verdict.ok


@pytest.mark.parametrize(
    ("until", "words"),
    [
        (TODAY - timedelta(days=1), "ended on 2026-07-31"),
        (TODAY, ""),
        (TODAY + timedelta(days=180), ""),
        (TODAY + timedelta(days=181), "ends on 2027-01-29, in 181 days; at most 180 are allowed"),
    ],
)
def test_a_waiver_is_in_date_and_near(until, words):
    verdict = weighed([finding()], [Waived(until=until)])
    assert verdict.ok is (not words)
    assert [words in finding.message for finding in wrong(verdict)] == ([True] if words else [])
    assert len(verdict.waived) == (0 if words else 1)


def test_a_waiver_that_is_wrong_says_what_to_do_and_where_it_stands():
    ends = Waived(until=TODAY + timedelta(days=40))
    (far,) = wrong(weighed([finding()], [Waived(), ends], days=30))
    assert far.path == ("waivers", 1)
    assert far.subject == "waivers.open-login"
    assert far.fix == ("set until to 2026-08-31 or earlier, or raise most_days of the rule waiver")
    assert (
        "the waiver of open-login for trainer, owned by ml-platform, ends on 2026-09-10,"
        in far.message
    )


@pytest.mark.parametrize("until", [TODAY - timedelta(days=9), TODAY + timedelta(days=999)])
def test_a_waiver_out_of_time_is_wrong_though_its_rule_does_not_run(until):
    assert len(wrong(weighed([], [Waived(until=until)], ran=()))) == 1


def test_a_waiver_of_a_rule_that_does_not_run_is_left_alone():
    assert weighed([], [Waived()], ran=()).ok
    assert not weighed([], [Waived()], ran=("open-login",)).ok


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("no-such-rule", "unknown rule"),
        ("cap-per-hour", "this rule can't be waived"),
        ("waiver", "this rule can't be waived"),
    ],
)
def test_what_can_not_be_waived_is_said(rule, words):
    verdict = weighed([finding(rule, outcome="fine")], [Waived(rule, "*")])
    assert verdict.waived == ()
    (fault,) = [finding for finding in verdict.findings if finding.refuses]
    assert words in fault.message
    assert fault.fix


OPEN = group(safety=replace(Safety(), public_ip=True))


def judged(settings, *waivers, only=("public-address",)):
    return judge(plan(OPEN), None, settings, waivers, TODAY, only=only)


@pytest.mark.parametrize(
    "settings",
    [
        {"level": "disabled"},
        {"workloads": {"trainer": {"level": "disabled"}}},
        {"level": "disabled", "workloads": {"other": {"level": "mandatory"}}},
    ],
)
def test_a_waiver_of_a_finding_that_is_disabled_is_left_alone(settings):
    assert not judged({}).ok
    verdict = judged({"public-address": settings}, Waived("public-address"))
    assert verdict.ok
    assert verdict.waived == ()
    assert verdict.findings == ()


def test_a_waiver_for_another_workload_than_the_disabled_one_is_needless():
    settings = {"public-address": {"workloads": {"trainer": {"level": "disabled"}}}}
    assert not judged(settings, Waived("public-address", "chat")).ok


def test_waivers_of_rules_that_were_not_asked_are_left_alone_even_ended_ones():
    ended = Waived("open-login", "x", until=date(2000, 1, 1))
    waived = Waived("public-address")
    verdict = judged({}, ended, waived)
    assert verdict.ok
    assert verdict.waiver_indexes == (1,)


def test_how_far_ahead_is_a_setting():
    far = Waived("public-address", until=TODAY + timedelta(days=200))
    assert not judged({}, far).ok
    assert judged({"waiver": {"most_days": 200}}, far).ok
    written = RuleSettings.model_validate({"most_days": 199})
    assert not judged({"waiver": written}, far).ok
    assert most_days({}) == 180
    assert most_days({"waiver": {"most_days": "30"}}) == 30
    assert most_days({"waiver": {"most_days": None}}) == 180


def test_no_day_is_later_than_there_are_days():
    assert last_allowed_day(date(9999, 12, 1), 3650) == date.max
    assert last_allowed_day(TODAY, 10**9) == date.max


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"level": "advisory"}, "can't be set to advisory"),
        ({"level": "disabled"}, "can't be set to disabled"),
        ({"most_days": "soon"}, "'soon' is not a whole number"),
        ({"days": 3}, "the rule waiver has no such setting"),
        ({"workloads": {"trainer": {"most_days": 3}}}, "the rule waiver has no such setting"),
    ],
)
def test_wrong_settings_of_waivers_are_named(given, words):
    (problem,) = settings_problems({"waiver": given})
    assert words in problem.message
    with pytest.raises(InputError):
        judged({"waiver": given})


def test_the_rule_of_waivers_says_nothing_of_a_plan():
    assert WAIVERS not in RULES
    assert not list(WAIVERS.check(None, {}))


@pytest.mark.parametrize(
    ("name", "waived"),
    [
        ("bastion", True),
        ("evil::bastion", False),
        ("a::b::c::bastion", False),
        ("evil.bastion", False),
        ("training.bastion", False),
        ("bastion::", False),
    ],
)
def test_a_waiver_covers_the_resource_of_its_name_and_no_other(name, waived):
    urn = f"urn:pulumi:dev::shop::aws:ec2/instance:Instance::{name}"
    assert short_name(urn) == name
    assert matches_name(own_names(urn), "bastion") is waived
    assert matches_name(own_names(urn), urn)
