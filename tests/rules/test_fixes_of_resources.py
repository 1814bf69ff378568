"""A fix for Pulumi resources names no key that only a stack file has."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from gpuinfra import planning, stackfile
from gpuinfra.clouds import CLOUDS
from gpuinfra.cost import PricingTerms, estimate, plan_on_active_rungs
from gpuinfra.model import Plan
from gpuinfra.pulumi_files.settings_file import Settings
from gpuinfra.report import examples
from gpuinfra.rules import RULES, Finding, judge
from gpuinfra.specs import Stack
from gpuinfra.stackfile.json_schema import schema
from tests.report.test_examples import HEAD, RICH_BUDGET

DAY: Final = date(2026, 11, 21)
STACKS: Final = sorted(Path(__file__).parents[2].glob("stacks/*/stack.yaml"))


def keys(node: Any) -> Iterator[str]:
    """The names of all keys that a schema describes."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for child in node.values():
            yield from keys(child)
    elif isinstance(node, list):
        for child in node:
            yield from keys(child)


OF_FILE: Final = frozenset(keys(schema(Stack, "stack")))
ONLY_OF_FILE: Final = OF_FILE - frozenset(keys(schema(Settings, "settings")))


def named(words: str) -> set[str]:
    """The keys of a stack file alone that a fix says to set: `key: value`, in braces or not."""
    return set(re.findall(r"(?<![\w.-])([a-z_]+): ", words)) & ONLY_OF_FILE


def fixes(plan: Plan, settings: Any) -> list[Finding]:
    quote = estimate(plan, PricingTerms(as_of=DAY))
    verdict = judge(plan_on_active_rungs(plan, quote), quote, settings, (), DAY)
    return [finding for finding in verdict.findings if finding.fix]


def wrong(plan: Plan, settings: Any) -> dict[str, str]:
    """The rules of which a fix names keys of a stack file where the same rows are of resources."""
    general = {rule.id: f"{rule.fix}: " for rule in RULES}
    return {
        finding.rule: finding.fix
        for finding in fixes(replace(plan, from_file=False), settings)
        if named(finding.fix.removeprefix(general.get(finding.rule, "")))
    }


def test_the_keys_of_a_stack_file_alone_are_found() -> None:
    assert {"capacity", "on_demand_base", "nodes", "replicas", "reserved"} <= ONLY_OF_FILE
    assert not {"budget", "rules", "checkpoints", "prices"} & ONLY_OF_FILE
    assert named("capacity: {on_demand_base: 1, above: spot}") == {
        "capacity",
        "on_demand_base",
        "above",
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_names_a_key_of_a_stack_file_to_a_program(rule: Any) -> None:
    ways = (rule.fix, *rule.fix_by_cloud.values())

    assert {words: named(words) for words in ways if named(words)} == {}
    assert all(rule.fix_on(cloud).startswith(rule.fix) for cloud in (None, *CLOUDS))


def of_file(rule: str) -> bool:
    return "resources" not in YAML(typ="safe").load(examples.example(rule).bad)


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if of_file(rule.id)], ids=lambda rule: rule.id
)
def test_no_finding_of_an_example_does_for_the_same_resources(rule: Any) -> None:
    text = examples.example(rule.id).bad
    written = YAML(typ="safe").load(text)
    budget = "" if rule.id == "no-cap" or "budget" in written else RICH_BUDGET
    stack = stackfile.loads(f"{HEAD}{budget}{text}\n").stack

    assert wrong(planning.from_stack(stack, rungs={}), stack.rules) == {}


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.parent.name)
def test_no_finding_of_a_shipped_stack_does(path: Path) -> None:
    stack = stackfile.loads(path.read_text()).stack

    assert wrong(planning.from_stack(stack, rungs={}), stack.rules) == {}


def test_a_stack_file_is_told_its_own_keys() -> None:
    text = "training: {t: {gpu: L4:1, duration: 4h, capacity: [spot]}}\n"
    plan = planning.from_stack(stackfile.loads(HEAD + RICH_BUDGET + text).stack, rungs={})

    def of(judged: Plan) -> str:
        return next(each.fix for each in fixes(judged, {}) if each.rule == "spot-checkpoints")

    assert of(plan) == (
        "add to training.t: checkpoints: {bucket: checkpoints, every: 10m}; add to the file: "
        "buckets: {checkpoints: {size: 1TB}}; or train on demand: capacity: on-demand"
    )
    assert of(replace(plan, from_file=False)) == (
        "write checkpoints to a bucket and say so in the settings file (--settings): resources: "
        "{t: {checkpoints: true}}; or train on demand"
    )
