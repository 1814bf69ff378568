"""Fabric and security rules judge what is declared: raw resources, whoever tags or spells them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra.pulumi_files.property_spelling import camel
from gpuinfra.report.examples import example
from gpuinfra.rules import RULES
from tests.report.test_examples import of_resources
from tests.rules.cases.judging import findings
from tests.rules.cases.moments import both

FROM_FILES = {"fabric-driver": "tests/rules/test_fabric_driver.py"}
"""Rules whose example is a stack file, and where raw resources are judged by them."""

ABOUT = [rule.id for rule in RULES if rule.family in {"fabric", "security"}]
RAW = [rule for rule in ABOUT if rule not in FROM_FILES]
OURS = {"gpuinfra:stack": "shop", "gpuinfra:owner": "ml", "gpuinfra:workload": "trainer"}

Resources = dict[str, dict[str, Any]]


def snaked(value: Any) -> Any:
    if isinstance(value, list):
        return [snaked(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {snake(key): snaked(inner) for key, inner in value.items()}


def snake(key: str) -> str:
    if not key.isalnum() or key[0].isupper():
        return key  # a word of a policy or a person, no property
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def as_is(resources: Resources) -> Resources:
    return resources


def in_snake_case(resources: Resources) -> Resources:
    """As a Python program's own files spell properties; what reads a file spells them back."""

    def back(resource: Mapping[str, Any]) -> dict[str, Any]:
        return camel(snaked(resource.get("properties", {})), resource["type"].partition(":")[0])

    return {
        name: {**resource, "properties": back(resource)} for name, resource in resources.items()
    }


def tagged_as_ours(resources: Resources) -> Resources:
    """With the tags that our components write, which no rule may go by."""

    def tagged(given: dict[str, Any]) -> dict[str, Any]:
        tags = given.get("tags", {})
        return given if isinstance(tags, list) else {**given, "tags": {**tags, **OURS}}

    return {
        name: {**resource, "properties": tagged(resource.get("properties", {}))}
        for name, resource in resources.items()
    }


def in_another_order(resources: Resources) -> Resources:
    return dict(reversed(resources.items()))


WAYS = (as_is, in_snake_case, tagged_as_ours, in_another_order)


def outcomes(rule: str, text: str, way: Callable[[Resources], Resources], moment: str) -> set[str]:
    resources = way(YAML(typ="safe").load(text)["resources"])
    return {finding.outcome for finding in findings(of_resources(rule, resources, moment), rule)}


@both
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("rule", RAW)
def test_a_rule_goes_by_what_is_declared(rule, way, moment):
    shown = example(rule)
    assert outcomes(rule, shown.bad, way, moment) == {"violated"}
    assert outcomes(rule, shown.good, way, moment) == {"fine"}


@pytest.mark.parametrize("rule", RAW)
def test_no_example_is_told_by_a_tag_of_ours(rule):
    shown = example(rule)
    assert "gpuinfra" not in shown.bad + shown.good
