"""The stricter of a pack's configuration and a program's word."""

import math
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.crossguard.pricing_terms import terms
from gpuinfra.crossguard.settings import pack_settings, program_settings
from gpuinfra.errors import InputError
from gpuinfra.model import UNKNOWN, Caps, CheckpointWrites


def test_the_smaller_cap_holds_whoever_gives_it():
    pack = pack_settings({"budget": {"per_hour": 260.5, "per_month": "40000"}})
    program = program_settings({"budget": {"perHour": "200", "perMonth": "99999", "perRun": "5"}})
    assert pack.stricter(program).caps == Caps(
        per_hour=Decimal(200), per_run=Decimal(5), per_month=Decimal(40000)
    )


def test_cents_of_a_cap_count():
    assert pack_settings({"budget": {"per_hour": 260.5}}).caps.per_hour == Decimal("260.5")


@pytest.mark.parametrize(
    ("budget", "counted"),
    [
        ({}, "accepted"),
        ({"per_month": 9}, "dearer"),
        ({"per_hour": 1, "per_run": 5, "per_month": 9}, "dearer"),
    ],
)
def test_own_prices_can_only_raise_a_price_where_the_pack_sets_a_cap(budget, counted):
    assert pack_settings({"budget": budget}).own_prices == counted


def test_usage_of_a_program_is_spelled_as_pulumi_spells_it():
    usage = program_settings({"usage": {"endsAfter": {"trainer": 80}}}).usage
    assert usage.ends_after == {"trainer": Decimal(80)}


def test_what_a_program_says_of_its_checkpoints_lengthens_the_run_that_a_pack_counts():
    amounts = {"size": "140000000000", "rate": 2000000000, "every": "0.25"}
    told = {"usage": {"checkpointWrites": {"trainer": amounts, "other": {"size": 1}}}}
    usage = pack_settings({}).stricter(program_settings(told)).usage

    assert usage.needs_of("trainer").writes == CheckpointWrites(
        size=Decimal(140 * 10**9), rate=Decimal(2 * 10**9), every=Decimal("0.25")
    )
    assert usage.needs_of("other").writes is None


@pytest.mark.parametrize("word", ["reads", "writes"])
def test_requests_have_a_limit_that_is_far_away(word):
    most = 10**18
    usage = pack_settings({"usage": {word: {"tokens": most}}}).usage
    assert getattr(usage, word) == {"tokens": Decimal(most)}
    with pytest.raises(InputError, match="tokens"):
        pack_settings({"usage": {word: {"tokens": most + 1}}})


@pytest.mark.parametrize(
    ("pack", "program", "expected"),
    [
        ({}, {}, None),
        ({}, {"acceptOutdated": True}, None),
        ({"accept_outdated": True}, {}, True),
        ({"accept_outdated": True}, {"acceptOutdated": False}, False),
        ({"accept_outdated": False}, {"acceptOutdated": True}, False),
    ],
)
def test_outdated_prices_are_accepted_only_where_nobody_objects(pack, program, expected):
    settings = pack_settings({"prices": pack}).stricter(program_settings({"prices": program}))
    assert settings.accept_outdated is expected


@pytest.mark.parametrize(
    ("pack", "program", "expected"),
    [
        ({}, {"boundUnknown": True}, None),
        ({"bound_unknown": True}, {}, True),
        ({"bound_unknown": True}, {"boundUnknown": False}, False),
    ],
)
def test_unknown_prices_are_bounded_only_where_nobody_objects(pack, program, expected):
    settings = pack_settings({"prices": pack}).stricter(program_settings({"prices": program}))
    assert settings.bound_unknown is expected
    bound = terms(settings, date(2026, 11, 21)).prices.service("aws", "alb-hour", "cn-north-1")
    assert (bound is not None) is bool(expected)


def test_types_are_left_out_only_where_both_that_speak_agree():
    pack = pack_settings(
        {"prices": {"not_counted": ["a:b:C", "a:b:D"], "outdated_after_days": 90.0}}
    )
    program = program_settings(
        {"prices": {"notCounted": ["a:b:D", "a:b:E"], "outdatedAfterDays": 99}}
    )
    settings = pack.stricter(program)
    assert (settings.not_counted, settings.outdated_after_days) == (("a:b:D",), 90)
    assert pack.stricter(program_settings({})).not_counted == ("a:b:C", "a:b:D")


@pytest.mark.parametrize(
    ("pack", "program", "both"),
    [
        (["a:b/*"], ["a:b/c:C", "a:d/e:E"], ("a:b/c:C",)),
        (["a:b/c:C"], ["a:b/*"], ("a:b/c:C",)),
        (["a:b/*"], ["a:b/*"], ("a:b/*",)),
        (["a:b/*"], ["a:bc/*"], ()),
    ],
)
def test_of_a_pattern_and_a_type_the_narrower_is_left_out(pack, program, both):
    settings = pack_settings({"prices": {"not_counted": pack}})
    assert (
        settings.stricter(program_settings({"prices": {"notCounted": program}})).not_counted
        == both
    )


LOOSE = {
    "prices": {"acceptOutdated": True, "notCounted": ["a:b:C"], "outdatedAfterDays": 900},
    "waivers": [
        {
            "rule": "open-login",
            "resource": pattern,
            "reason": "r",
            "owner": "o",
            "until": "2026-12-31",
        }
        for pattern in ("box", "*", "?*", "b[o]x", "urn:pulumi:*", "**")
    ],
}


@pytest.mark.parametrize("loosening", ["accepted", "refused", None])
def test_a_program_loosens_only_where_the_pack_says_that_it_may(loosening):
    pack = pack_settings({} if loosening is None else {"loosening": loosening})
    settings = pack.stricter(program_settings(LOOSE)).stricter(program_settings(LOOSE))
    if loosening == "accepted":
        assert (settings.accept_outdated, settings.not_counted) == (True, ("a:b:C",))
        assert (settings.outdated_after_days, len(settings.waivers)) == (900, 12)
    else:
        assert (settings.accept_outdated, settings.not_counted) == (None, None)
        assert settings.outdated_after_days == 400
        assert [waiver.resource for waiver in settings.waivers] == ["box", "b[o]x", "box", "b[o]x"]


def test_a_program_may_always_tighten():
    settings = pack_settings({}).stricter(
        program_settings({"prices": {"acceptOutdated": False, "outdatedAfterDays": 30}})
    )
    assert (settings.accept_outdated, settings.outdated_after_days) == (None, 30)


def test_usage_counts_the_more_requests_and_data():
    pack = pack_settings({"usage": {"reads": {"b": 10}, "data": {"data_out": 2000}}})
    told = {"reads": {"b": "4000000000000"}, "data": {"data_out": "5", "logs": "50"}}
    usage = pack.stricter(program_settings({"usage": told})).usage
    assert usage.reads == {"b": Decimal(4 * 10**12)}
    assert usage.data == {"data_out": Decimal(2000), "logs": Decimal(50)}


def test_usage_takes_the_longer_run_and_the_packs_word_on_what_loosens():
    pack = pack_settings({"usage": {"hours": {"t": 10.0}, "checkpoints": {"t": False}}})
    program = program_settings(
        {"usage": {"hours": {"t": "72", "u": "1.5"}, "checkpoints": {"t": True}}}
    )
    usage = pack.stricter(program).usage
    assert usage.hours == {"t": Decimal(72), "u": Decimal("1.5")}
    assert usage.checkpoints == {"t": False}


WAIVER = {
    "rule": "public-address",
    "resource": "gate",
    "reason": "it is the gate",
    "owner": "net",
    "until": "2026-12-31",
}


def test_a_pack_may_forbid_waivers():
    program = program_settings({"waivers": [WAIVER]})
    (waiver,) = pack_settings({}).stricter(program).waivers
    assert (waiver.rule, waiver.until) == ("public-address", date(2026, 12, 31))
    assert pack_settings({"waivers": "forbidden"}).stricter(program).waivers == ()


def test_a_programs_settings_of_rules_are_kept_apart_from_its_levels():
    """Whoever judges by settings alone must not take a program's levels for its own."""
    apart = {"chat": {"level": "disabled", "minimum": "10%"}}
    own = {"level": "disabled", "minimum": "60%", "workloads": apart}
    program = program_settings({"rules": {"spot-share": own, "nvlink": {"level": "advisory"}}})
    assert program.rules == {
        "spot-share": {"minimum": "60%", "workloads": {"chat": {"minimum": "10%"}}},
        "nvlink": {},
    }
    assert program.levels == {
        "spot-share": {"level": "disabled", "workloads": {"chat": {"level": "disabled"}}},
        "nvlink": {"level": "advisory"},
    }


def test_the_day_of_judgement_can_be_set():
    assert pack_settings({"as_of": "2026-08-01"}).as_of == date(2026, 8, 1)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"budget": {"per_hour": -1}}, "budget.per_hour is negative"),
        ({"budget": {"perhour": 1}}, "unknown key 'perhour' in budget"),
        ({"budget": 260}, "budget"),
        ({"prices": {"not_counted": "aws:ec2/eip:Eip"}}, "prices.not_counted"),
        ({"prices": {"not_counted": ["*"]}}, "prices.not_counted"),
        ({"prices": {"not_counted": ["aws:*"]}}, "prices.not_counted"),
        ({"prices": {"not_counted": ["aws:rds/inst*"]}}, "prices.not_counted"),
        ({"waivers": "no"}, "waivers"),
        ({"as_of": "yesterday"}, "as_of is not a date"),
        ({"caps": {}}, "unknown key 'caps'"),
        ({"usage": {"hour": {"a": 1}}}, "unknown key 'hour' in usage"),
        ({"usage": {"data": {"data_in": 1}}}, "the name 'data_in'"),
        ({"usage": {"purpose": {"a": "trainng"}}}, "usage.purpose.a is not an accepted word"),
    ],
)
def test_configuration_that_makes_no_sense_is_refused_in_words(config, words):
    with pytest.raises(InputError) as refused:
        pack_settings(config)
    assert f"the policy configuration under 'settings': {words}" in str(refused.value)


@pytest.mark.parametrize(
    ("config", "suggestion", "allowed"),
    [
        ({"budget": {"per_huor": 1}}, "per_hour", "per_hour, per_run, per_month"),
        ({"usage": {"hour": {"a": 1}}}, "hours", "hours, expected, gigabytes"),
        ({"price": {}}, "prices", "budget, prices, usage, waivers, own_prices, loosening, as_of"),
        ({"waivers": "forbiden"}, "forbidden", "allowed, forbidden"),
        ({"usage": {"purpose": {"a": "trainng"}}}, "training", "training, inference, unknown"),
    ],
)
def test_a_misspelling_is_told_with_what_was_meant(config, suggestion, allowed):
    with pytest.raises(InputError) as refused:
        pack_settings(config)
    (problem,) = refused.value.problems
    assert (problem.suggestion, problem.allowed[: len(allowed)]) == (suggestion, allowed)


def test_everything_wrong_is_told_at_once():
    with pytest.raises(InputError) as refused:
        pack_settings({"budgets": {}, "usage": {"hour": {}}, "prices": {"old": 1}, "as_of": 3})
    assert len(refused.value.problems) == 4


@pytest.mark.parametrize(
    ("inputs", "words", "suggestion"),
    [
        ({"rules": {"spot-shar": {}}}, "unknown rule", "spot-share"),
        ({"rules": {"spot-share": {"minimun": "1%"}}}, "no such setting", "minimum"),
        ({"rules": {"spot-share": {"workloads": {"x": "advisory"}}}}, "workloads.x of", ""),
        ({"rules": {"spot-only-pool": {"on_demand_base": math.inf}}}, "not a whole number", ""),
        ({"waivers": [{**WAIVER, "rule": "public-adress"}]}, "unknown rule", "public-address"),
    ],
)
def test_a_program_that_names_no_rule_is_refused_as_in_a_check(inputs, words, suggestion):
    with pytest.raises(InputError, match=words) as refused:
        program_settings(inputs)
    assert refused.value.problems[0].suggestion == suggestion


@pytest.mark.parametrize("inputs", [{"budget": UNKNOWN}, {"budget": {"perHour": UNKNOWN}}])
def test_a_cap_that_is_not_known_yet_is_refused(inputs):
    with pytest.raises(InputError, match=r"Stack: budget.* is not known yet"):
        program_settings(inputs)


def test_what_else_a_root_component_says_is_not_for_the_rules():
    assert program_settings({"region": "us-east-1"}) == program_settings({})
