"""A pack's policies: their levels, and mistakes in their configuration."""

import pytest

from gpuinfra.crossguard import pack
from gpuinfra.rules import RULES
from tests.crossguard.resources import INSTANCE, SPOT, root
from tests.crossguard.wire import LEVELS


def test_every_rule_can_be_a_policy_of_its_own_level(engine):
    run = engine(*(rule.id for rule in RULES))
    made = {policy.name: policy for policy in run.analyzer.GetAnalyzerInfo(None, None).policies}
    for rule in RULES:
        assert LEVELS[made[rule.id].enforcementLevel] == rule.level
        assert made[rule.id].description.startswith(f"Rule: {rule.title}")


def test_configuration_that_makes_no_sense_is_refused_in_words(engine):
    run = engine("nvlink", settings={"budget": {"per_hour": -3}})
    (text,) = run.mistakes["settings"]
    assert "budget.per_hour is negative" in text
    run = engine("spot-share", **{"spot-share": {"minimum": "lots"}})
    assert "minimum" in run.mistakes["spot-share"][0]


def test_a_misspelt_setting_is_refused_in_the_words_of_a_stack_file(engine):
    run = engine("nvlink", settings={"budget": {"per_huor": 3}})
    (text,) = run.mistakes["settings"]
    assert text.startswith(
        "the policy configuration under 'settings': unknown key 'per_huor' in budget."
        " Did you mean 'per_hour'? Allowed: per_hour, per_run, per_month"
    )
    assert text.endswith("To fix it: correct the spelling, or remove the key.")
    run = engine("spot-share", **{"spot-share": {"minimun": "60%"}})
    (text,) = run.mistakes["spot-share"]
    assert text.startswith("the rule spot-share has no such setting ('minimun'). Did you mean")


def test_an_unknown_rule_is_an_error_of_the_pack():
    with pytest.raises(KeyError, match="cap-per-century"):
        pack("tried", ["cap-per-century"])


def levels_of(run):
    """Two machines on spot, of which a rule says that one loses its work."""
    usage = {"purpose": dict.fromkeys(("chat", "trainer"), "training")}
    usage["checkpoints"] = dict.fromkeys(("chat", "trainer"), False)
    root(run, usage=usage, rules=run.program)
    for name in ("chat", "trainer"):
        run.show(INSTANCE, name, SPOT)
    run.levels.clear()
    messages = run.end().get("spot-checkpoints", [])
    return {text.partition(":")[0] for text in messages}, run.levels.get("spot-checkpoints", set())


CHECKPOINTS = "spot-checkpoints"
LEFT_OUT = {"workloads": {"chat": {"level": "disabled"}}}


@pytest.mark.parametrize(
    ("pack_says", "program_says", "about", "levels"),
    [
        ({}, {}, {"chat", "trainer"}, {"mandatory"}),
        (LEFT_OUT, {}, {"trainer"}, {"mandatory"}),
        ({"enforcementLevel": "advisory"}, {}, {"chat", "trainer"}, {"advisory"}),
        ({"enforcementLevel": "disabled"}, {}, set(), set()),
        (
            {"workloads": {"ch*": {"level": "advisory"}}},
            {},
            {"chat", "trainer"},
            {"advisory", "mandatory"},
        ),
        (
            {"enforcementLevel": "disabled", "workloads": {"chat": {"level": "mandatory"}}},
            {},
            {"chat"},
            {"mandatory"},
        ),
        (
            {"enforcementLevel": "disabled"},
            {"level": "mandatory"},
            {"chat", "trainer"},
            {"mandatory"},
        ),
        ({}, {"level": "disabled"}, {"chat", "trainer"}, {"mandatory"}),
        ({}, LEFT_OUT, {"chat", "trainer"}, {"mandatory"}),
        (
            {"enforcementLevel": "advisory"},
            {"level": "mandatory"},
            {"chat", "trainer"},
            {"mandatory"},
        ),
        (LEFT_OUT, {"level": "advisory"}, {"chat", "trainer"}, {"advisory", "mandatory"}),
        (LEFT_OUT, {"level": "mandatory"}, {"chat", "trainer"}, {"mandatory"}),
    ],
)
def test_the_level_of_a_rule_for_a_workload_is_the_packs_and_a_program_only_raises_it(
    engine, pack_says, program_says, about, levels
):
    run = engine(CHECKPOINTS, **({CHECKPOINTS: pack_says} if pack_says else {}))
    run.program = {CHECKPOINTS: program_says} if program_says else {}
    assert levels_of(run) == (about, levels)


def test_what_the_pack_does_not_have_is_named_in_its_configuration(engine):
    run = engine("spot-share", **{"spot-shar": {"minimum": "60%"}, "metadata-v2": "advisory"})
    missing, elsewhere = run.mistakes["settings"]
    assert missing.startswith("unknown rule: 'spot-shar'. Did you mean 'spot-share'?")
    assert elsewhere.startswith("the rule metadata-v2 is not in this pack")


def test_settings_of_workloads_are_read_as_a_stack_file_s(engine):
    run = engine("spot-share", **{"spot-share": {"workloads": {"chat": {"minimun": "60%"}}}})
    (text,) = run.mistakes["spot-share"]
    assert "no such setting ('minimun'). Did you mean 'minimum'?" in text
    run = engine("spot-share", **{"spot-share": {"workloads": "chat"}})
    assert "workloads of the rule spot-share" in run.mistakes["spot-share"][0]
    run = engine("spot-share", **{"spot-share": {"level": "advisory"}})
    assert "use enforcementLevel" in run.mistakes["spot-share"][0]
