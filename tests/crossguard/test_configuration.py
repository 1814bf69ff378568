"""A pack's configuration: the schema that Pulumi is given, one to start from, and its mistakes."""

from decimal import Decimal

import jsonschema
import pytest

from gpuinfra.crossguard import configuration, settings
from gpuinfra.crossguard.configuration import problems, properties, starter
from gpuinfra.rules import RULES, WAIVERS
from gpuinfra.stackfile.validation_messages import KEY

EVERY = (*RULES, WAIVERS)


def schema(rule):
    return {"type": "object", "properties": properties(rule), "additionalProperties": False}


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.id)
def test_the_schema_of_a_rule_is_one_and_takes_its_defaults(rule):
    jsonschema.Draft7Validator.check_schema(schema(rule))
    taken = jsonschema.Draft7Validator(schema(rule))
    defaults = {
        name: entry["default"] for name, entry in properties(rule).items() if "default" in entry
    }
    assert {setting.name for setting in rule.settings if setting.default is not None} == set(
        defaults
    )
    assert taken.is_valid(defaults)
    assert not problems({rule.id: defaults}, RULES), "and the rule reads what the schema shows"
    if rule is not WAIVERS:
        assert taken.is_valid({"workloads": {"chat*": {"level": "advisory", **defaults}}})
        assert not taken.is_valid({"workloads": {"chat*": {"level": "off"}}})


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        ("spot-share", {"minimum": "60%"}, {"minimum": True}),
        ("spot-only-pool", {"on_demand_base": 2}, {"on_demand_base": "two"}),
        ("cap-per-workload", {"per_hour": 2.5}, {"per_hour": [1]}),
        ("owner-label", {"owner": ["team", "squad"]}, {"owner": 3}),
    ],
)
def test_each_kind_of_setting_is_taken_and_refused(rule, good, bad):
    known = {rule.id: rule for rule in RULES}
    taken = jsonschema.Draft7Validator(schema(known[rule]))
    assert taken.is_valid(good)
    assert not taken.is_valid(bad)
    assert not problems({rule: good}, RULES)
    (problem,) = problems({rule: bad}, RULES)
    assert problem.path[0] == rule


def test_the_schema_of_what_all_rules_count_with_is_one():
    of = {"type": "object", "properties": settings.CONFIG}
    jsonschema.Draft7Validator.check_schema(of)


def test_a_configuration_to_start_from_has_every_default_and_no_mistake():
    made = starter(RULES, {"per_hour": Decimal("2.5"), "per_month": Decimal(900)})
    assert made["settings"]["budget"] == {"per_hour": 2.5, "per_month": 900}
    assert not problems(made, RULES)
    for rule in EVERY:
        given = {setting.name for setting in rule.settings if setting.default is not None}
        assert set(made.get(rule.id, {})) - {"enforcementLevel"} == given
        assert made.get(rule.id, {}).get("enforcementLevel", rule.level) == rule.level
    assert starter(RULES, {})["settings"] == {"waivers": "allowed"}


BUDGET = tuple(rule for rule in RULES if rule.family == "budget")


@pytest.mark.parametrize(
    ("config", "path", "message", "meant"),
    [
        ({"settings": {"budgt": {}}}, ("settings", "budgt", KEY), "unknown key 'budgt'", "budget"),
        (
            {"settings": {"budget": {"per_huor": 1}}},
            ("settings", "budget", "per_huor", KEY),
            "unknown key 'per_huor' in budget",
            "per_hour",
        ),
        ({"no-cpa": {}}, ("no-cpa", KEY), "unknown rule", "no-cap"),
        ({"metadata-v2": {}}, ("metadata-v2", KEY), "not in this pack", ""),
        (
            {"no-cap": {"minimum": 1}},
            ("no-cap", "minimum"),
            "the rule no-cap has no such setting",
            "",
        ),
        ({"no-cap": "advisry"}, ("no-cap", "enforcementLevel"), "is not a level", "advisory"),
        ({"no-cap": 3}, ("no-cap",), "no-cap is not of the right kind", ""),
        ({"no-cap": {"workloads": ["a"]}}, ("no-cap", "workloads"), "not a mapping", ""),
        ({"no-cap": {"workloads": {"a": 3}}}, ("no-cap", "workloads", "a"), "not a mapping", ""),
        (
            {"price-unknown": {"workloads": {"a": {"level": "on"}}}},
            ("price-unknown", "workloads", "a", "level"),
            "unknown level of the rule price-unknown",
            "",
        ),
        ({"no-cap": {"level": "advisory"}}, ("no-cap", "level"), "no setting", "enforcementLevel"),
        ({"all": {"x": 1}}, ("all", "x"), "accepts only a level, not", ""),
        ({"waiver": {"most_days": -1}}, ("waiver", "most_days"), "is not a whole number", ""),
        ([], (), "the configuration is not of the right kind", ""),
    ],
)
def test_a_mistake_is_named_with_its_place_and_what_may_have_been_meant(
    config, path, message, meant
):
    (problem,) = problems(config, BUDGET)
    assert problem.path == path
    assert message in problem.message
    assert problem.suggestion == meant


def test_what_pulumi_takes_is_taken():
    config = {
        "all": "advisory",
        "no-cap": "disabled",
        "price-unknown": {"enforcementLevel": "mandatory"},
        "settings": {"budget": {"per_hour": 3}, "as_of": "2026-08-01"},
    }
    assert problems(config, BUDGET) == []


def test_a_rule_whose_settings_are_wrong_keeps_its_level_and_its_defaults():
    config = {"no-cap": ("advisory", {"minimum": 1}), "price-unknown": ("disabled", {})}
    given, wrong = configuration.read(BUDGET, config)
    assert (given["no-cap"].level, given["no-cap"].settings) == ("advisory", {})
    assert given["price-unknown"].level == "disabled"
    assert given["cap-per-hour"].level == "mandatory"
    assert set(wrong) == {"no-cap"}


def test_the_levels_of_a_stack_file_are_a_configuration_and_nothing_else_of_it():
    written = {
        "spot-share": {"level": "advisory", "minimum": "60%"},
        "nvlink": {"workloads": {"chat": {"level": "disabled"}, "b": {}}},
        "metadata-v2": {"workloads": {"b": {"minimum": 1}}},
    }
    made = configuration.configuration_of_levels(written)
    assert made == {
        "settings": {"loosening": "accepted"},
        "spot-share": {"enforcementLevel": "advisory"},
        "nvlink": {"workloads": {"chat": {"level": "disabled"}}},
    }
    assert problems(made, RULES) == []
