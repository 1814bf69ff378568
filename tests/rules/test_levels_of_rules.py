"""The levels of all rules about budgets and spot, and which are judged early."""

import pytest

from gpuinfra.rules import RULES


@pytest.mark.parametrize(
    ("rule", "level", "alone"),
    [
        ("cap-per-hour", "mandatory", False),
        ("cap-per-month", "mandatory", False),
        ("cap-per-run", "mandatory", True),
        ("cap-per-workload", "mandatory", True),
        ("no-cap", "mandatory", True),
        ("price-unknown", "mandatory", True),
        ("price-outdated", "mandatory", True),
        ("cost-growth", "mandatory", False),
        ("pool-maximum", "mandatory", True),
        ("cloud-budget", "advisory", False),
        ("time-limit", "advisory", False),
        ("spot-share", "mandatory", False),
        ("spot-interruptible", "mandatory", False),
        ("spot-only-pool", "mandatory", False),
        ("spot-checkpoints", "mandatory", False),
        ("spot-settings", "mandatory", True),
        ("spot-allocation", "advisory", True),
        ("market-offered", "mandatory", True),
        ("interruption-rate", "mandatory", True),
        ("flex-start", "mandatory", True),
        ("eviction-policy", "mandatory", True),
        ("capacity-block", "mandatory", True),
    ],
)
def test_what_costs_or_is_refused_is_mandatory_and_asked_as_early_as_can_be(rule, level, alone):
    (judging,) = (candidate for candidate in RULES if candidate.id == rule)
    assert (judging.level, judging.alone) == (level, alone)
    assert judging.family in {"budget", "spot"}


def test_every_rule_about_money_and_spot_has_its_level_told_here():
    mark = test_what_costs_or_is_refused_is_mandatory_and_asked_as_early_as_can_be.pytestmark[0]
    told = {rule for rule, *_ in mark.args[1]}
    assert told == {rule.id for rule in RULES if rule.family in {"budget", "spot"}}


def test_what_advises_and_what_refuses():
    levels = {rule.id: rule.level for rule in RULES if rule.family == "security"}
    assert {rule for rule, level in levels.items() if level == "advisory"} == {
        "cluster-access",
        "metadata-hop-limit",
        "secure-boot",
        "login-identity",
        "password-login",
    }
