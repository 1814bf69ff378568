"""Each example is judged as it says: its bad part is violated, its good part fine."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra import planning, stackfile
from gpuinfra.cost import PricingTerms, estimate, plan_on_active_rungs
from gpuinfra.model import Plan, Usage
from gpuinfra.report import examples
from gpuinfra.report.rule_text import EXPLAINED_RULES
from gpuinfra.rules import RULES, LockedTotals, Verdict, judge
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import RICH
from tests.rules.cases.program import Program, Ref

DAY = date(2026, 11, 21)
HEAD = "version: 1\nname: shop\nowner: ml-platform\nwhere: {cloud: aws, regions: [us-east-1]}\n"
RICH_BUDGET = "budget: {per_hour: 100000}\n"
WISHES = {
    "nvlink": Usage(nvlink={"trainer": True}),
    "spot-interruptible": Usage(checkpoints={"worker": False}),
}
"""Usage that no resource shows: the rule only reports where a stack asks for it."""
LOCKS = {"cost-growth": LockedTotals(per_hour=Decimal(56), per_month=None, per_run=None)}
"""What lies beside the stack file."""
SPEAKS_OF_FAULTS = {"resource-settings"}
"""Rules that say nothing of a resource with which nothing is wrong."""


def referred(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: referred(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [referred(item, names) for item in value]
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"\$\{(\w+)\.(\w+)\}", value)
    if match:
        return Ref(names[match[1]], match[2])
    return re.sub(r"\$\{(\w+)\.arn\}", r"arn:aws:s3:::\1", value)


def of_resources(rule: str, resources: dict[str, Any], moment: str) -> Plan:
    gcp = any(resource["type"].startswith("gcp:") for resource in resources.values())
    program: Any = GcpProgram() if gcp else Program()
    names = {
        name: f"urn:pulumi:dev::shop::{resource['type']}::{name}"
        for name, resource in resources.items()
    }
    for name, resource in resources.items():
        given = referred(resource.get("properties", {}), names)
        program.add(
            resource["type"].removeprefix("gcp:") if gcp else resource["type"], name, **given
        )
    return planning.from_resources(
        program.resources(moment), name="shop", caps=RICH, usage=WISHES.get(rule, Usage())
    )


def outcomes(rule: str, text: str, moment: str = "created") -> list[str]:
    document = YAML(typ="safe").load(text)
    settings: Any = {}
    terms = PricingTerms(as_of=DAY, accept_outdated=True)
    if "resources" in document:
        plan = of_resources(rule, document["resources"], moment)
    else:
        bare = rule in {"no-cap", "cloud-budget"} or "budget" in document
        budget = "" if bare else RICH_BUDGET
        stack = stackfile.loads(f"{HEAD}{budget}{text}\n").stack
        settings = stack.rules
        plan = planning.from_stack(stack, rungs={})
        terms = PricingTerms(
            as_of=DAY,
            accept_outdated=stack.prices.accept_outdated,
            outdated_after_days=stack.prices.outdated_after_days,
        )
    quote = estimate(plan, terms)
    plan = plan_on_active_rungs(plan, quote)
    verdict = judge(plan, quote, settings, (), DAY, only={rule}, locked_totals=LOCKS.get(rule))
    return [finding.outcome for finding in verdict.findings]


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_the_bad_example_is_violated_and_the_good_one_fine(rule: str) -> None:
    shown = examples.example(rule)

    assert set(outcomes(rule, shown.bad)) == {"violated"}
    good = "not-applicable" if rule in SPEAKS_OF_FAULTS else "fine"
    assert set(outcomes(rule, shown.good)) == {good}


def test_every_rule_has_an_example_and_every_example_a_rule() -> None:
    there = {path.stem for path in Path(examples.__file__).parent.glob("*.yaml")}

    assert there == {rule.id for rule in EXPLAINED_RULES}, (
        "report/examples/ID.yaml has what rule ID refuses, a line ---, and the same put right"
    )


def test_the_bad_waiver_is_wrong_and_the_good_one_holds() -> None:
    shown = examples.example("waiver")

    def verdict(text: str) -> Verdict:
        stack = stackfile.loads(f"{HEAD}{RICH_BUDGET}{text}\n").stack
        plan = planning.from_stack(stack, rungs={})
        only = {"spot-checkpoints"}
        return judge(plan, None, stack.rules, stack.waivers, DAY, only=only)

    assert [finding.rule for finding in verdict(shown.bad).findings] == [
        "spot-checkpoints",
        "waiver",
    ]
    assert verdict(shown.good).findings == ()
    assert len(verdict(shown.good).waived) == 1
