"""The settings under which a pack judges: its own, and those of each program that speaks."""

import pytest

from gpuinfra.crossguard.settings import program_settings
from gpuinfra.rules import RULES, WAIVERS
from gpuinfra.rules.policy_sources import JudgeSettings, sources_of

SHARE = next(rule for rule in RULES if rule.id == "spot-share")
ASKED = tuple(rule for rule in RULES if rule.id in {"spot-share", "nvlink"})


def read(program=None, **pack):
    """The readings of two rules: what each says of which rules."""
    given = {
        rule.id: JudgeSettings(level=rule.level, settings=pack.get(rule.id.replace("-", "_"), {}))
        for rule in (*ASKED, WAIVERS)
    }
    programs = [] if program is None else [program_settings({"rules": program})]
    return sources_of(ASKED, given, programs)


def spoken(readings, rule):
    """What is demanded of a rule, reading by reading."""
    return [
        reading.settings.get(rule, {}).get("minimum")
        for reading in readings
        if rule in reading.covered_rules
    ]


def test_a_rule_is_judged_under_every_setting_that_somebody_gave():
    program = {"spot-share": {"minimum": "60%"}}
    both = read(program, spot_share={"minimum": "20%"})
    assert spoken(both, "spot-share") == ["20%", "60%"]
    assert spoken(read(program), "spot-share") == ["60%"]
    assert spoken(read(), "spot-share") == [None]
    assert spoken(both, "nvlink") == [None]


def test_a_programs_levels_are_not_among_its_settings():
    program = {"spot-share": {"level": "disabled", "workloads": {"a": {"level": "disabled"}}}}
    _, second = read(program)
    assert second.settings["spot-share"] == {"workloads": {"a": {}}}


@pytest.mark.parametrize(
    ("pack", "program", "least"),
    [({}, {}, None), ({"most_days": 9}, {}, 9), ({}, {"most_days": 300}, 300)],
)
def test_how_far_ahead_a_waiver_may_end_is_the_least_that_is_said(pack, program, least):
    readings = read({"waiver": program, "nvlink": {"level": "advisory"}}, waiver=pack)
    assert [reading.settings.get("waiver") for reading in readings] == [
        None if least is None else {"most_days": least}
    ] * 2


def test_the_first_pattern_of_a_workload_says_its_level():
    apart = {"chat-*": {"level": "advisory"}, "chat-b": {"level": "disabled"}}
    program = {"spot-share": {"minimum": "60%"}}
    _, second = read(program, spot_share={"workloads": apart})

    def level(subject):
        return second.level_function(SHARE, lambda name: (name,))(subject)

    assert [level(name) for name in ("chat-a", "chat-b", "chat")] == [
        "advisory",
        "advisory",
        None,
    ]


def test_a_pack_that_gives_a_level_alone_leaves_the_settings_to_the_program():
    program = {"spot-share": {"minimum": "60%"}}
    level = {"workloads": {"chat": {"level": "disabled"}}}
    assert spoken(read(program, spot_share=level), "spot-share") == ["60%"]
    setting = {"workloads": {"chat": {"minimum": "10%"}}}
    assert spoken(read(program, spot_share=setting), "spot-share") == [None, "60%"]
    assert spoken(read(spot_share=level), "spot-share") == [None]
