"""A pack's user reads where its configuration takes a fact, not of a settings file."""

import json

import pytest

from gpuinfra.crossguard import configuration
from gpuinfra.crossguard.settings_hints import in_pack
from gpuinfra.rules import RULES
from gpuinfra.rules.rule import settings_hint

PLACE = "in settings of the pack's configuration: "


@pytest.mark.parametrize(
    ("facts", "usage"),
    [
        ("checkpoints: true", {"checkpoints": {"a-b": True}}),
        ("fabric: none", {"fabric": {"a-b": "none"}}),
        ("fabric: preferred", {"fabric": {"a-b": "preferred"}}),
        (
            "purpose: training, duration: 24h",
            {"purpose": {"a-b": "training"}, "hours": {"a-b": 24}},
        ),
    ],
)
def test_a_hint_is_a_part_of_the_configuration_that_is_accepted(facts, usage):
    told = in_pack(f"say so {settings_hint('a-b', facts)}; or train on demand")

    before, _, rest = told.partition(PLACE)
    document = rest.removesuffix("; or train on demand")
    assert (before, json.loads(document)) == ("say so ", {"usage": usage})
    assert configuration.problems({"settings": json.loads(document)}, RULES) == []


def test_no_rule_sends_a_pack_s_user_to_the_settings_file_of_check():
    fixes = {rule.id: in_pack(rule.fix_on(None)) for rule in RULES}

    wrong = [id_ for id_, fix in fixes.items() if "(--settings): resources" in fix]
    assert wrong == []
    assert fixes["spot-checkpoints"].count(PLACE) == 1
