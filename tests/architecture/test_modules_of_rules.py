"""A rule's test is found by its name: tests/rules/test_<id>.py judges the rule."""

import ast
from pathlib import Path

import pytest

from gpuinfra.rules import RULES

MODULES = Path(__file__).parents[1] / "rules"
OUTCOMES = {"fine", "violated", "not-knowable", "not-applicable"}
IMPOSSIBLE = {
    ("fabric-one-type", "not-knowable"): "each machine type is known by name",
    ("no-cap", "not-knowable"): "caps are known",
    ("price-unknown", "not-applicable"): "every plan has prices",
    ("resource-settings", "fine"): "only resources with a fault are listed",
    ("spot-only-pool", "not-knowable"): "an unknown size counts as its base on demand",
}
"""The outcomes that a rule never has, and why."""


def texts(rule: str) -> set[str]:
    """The texts of the module named after a rule."""
    module = MODULES / f"test_{rule.replace('-', '_')}.py"
    nodes = ast.walk(ast.parse(module.read_text("utf-8")))
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_a_rule_has_a_test_module_of_its_name_with_each_outcome(rule: str) -> None:
    found = texts(rule)

    assert rule in found
    assert OUTCOMES - found == {outcome for other, outcome in IMPOSSIBLE if other == rule}
