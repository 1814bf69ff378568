"""What is the whole stack's, its money and its share on spot: refused the same on both ways."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import estimate
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, Pack, Request, Target
from gpuinfra.model import Caps, Usage
from gpuinfra.planning import from_resources
from gpuinfra.rules import RULES, judge
from gpuinfra.rules.waivers import short_name
from tests.policies.ground import AMI, AS_OF, INSTANCE, MACHINE, POLICIES
from tests.policies.test_agreement import named, register
from tests.rules.cases.program import Program

pytestmark = pytest.mark.e2e

PROJECT = "money"
WHOLE = f"urn:pulumi:sandbox::{PROJECT}::pulumi:pulumi:Stack::{PROJECT}-sandbox"
JUDGED = {rule.id for rule in RULES if rule.family == "budget"} | {"spot-share"}


def trainer() -> Program:
    program = Program()
    program.add(
        INSTANCE,
        "trainer",
        ami=AMI,
        instanceType=MACHINE,
        associatePublicIpAddress=False,
        rootBlockDevice={"encrypted": True, "volumeSize": 100, "volumeType": "gp3"},
    )
    return program


def trainer_and_queue() -> Program:
    program = trainer()
    program.add("aws:sqs/queue:Queue", "work")
    return program


@dataclass(frozen=True)
class Batch:
    """A program and what it is judged with: by several rules, in one run of the engine."""

    name: str
    program: Program
    budget: Mapping[str, int] = field(default_factory=dict)
    prices: Mapping[str, Any] = field(default_factory=dict)
    hours: int | None = None
    minimum: str | None = None

    @property
    def share(self) -> dict[str, Any]:
        return {} if self.minimum is None else {"spot-share": {"minimum": self.minimum}}

    def usage(self, name: str) -> dict[str, dict[str, Any]]:
        """How long the trainer runs, by the name under which it is registered."""
        if self.hours is None:
            return {}
        return {"hours": {name: self.hours}, "purpose": {name: "training"}}


UNCAPPED = Batch("uncapped", trainer_and_queue(), prices={"outdated_after_days": 5}, minimum="60%")
"""Nobody said how much is meant, the queue has no price, the machine's is twelve days old."""

CAPPED = Batch(
    "capped",
    trainer(),
    budget={"per_hour": 50, "per_month": 3000, "per_run": 4000},
    prices={"accept_outdated": True},
    hours=100,
)
"""55.04 USD an hour, for 100 hours: above each of the three caps."""

CASES: Mapping[str, tuple[Batch, tuple[str, ...]]] = {
    "no-cap": (UNCAPPED, ("trainer", "work")),
    "price-unknown": (UNCAPPED, ("work",)),
    "price-outdated": (UNCAPPED, ("trainer",)),
    "spot-share": (UNCAPPED, ()),
    "cap-per-hour": (CAPPED, ("trainer",)),
    "cap-per-month": (CAPPED, ("trainer",)),
    "cap-per-run": (CAPPED, ("trainer",)),
}
"""By rule, what it refuses, and the resources that it stops before they are made."""


def offline(batch: Batch) -> set[tuple[str, str]]:
    """What refuses, by rule and subject, in a check without any engine."""
    caps = Caps(**{key: Decimal(value) for key, value in batch.budget.items()})
    usage = Usage(**batch.usage("trainer"))
    resources = batch.program.resources("preview")
    plan = from_resources(resources, name=PROJECT, caps=caps, usage=usage)
    day = date.fromisoformat(AS_OF)
    quote = estimate(plan, as_of=day, **batch.prices)
    verdict = judge(plan, quote, batch.share, (), day, only=JUDGED)
    return {
        (
            one.rule,
            PROJECT if one.subject == PROJECT else named(batch.name, short_name(one.subject)),
        )
        for one in verdict.findings
        if one.refuses
    }


@pytest.fixture(scope="module")
def through_the_engine(sandbox_environment: dict[str, str]):
    """What refuses in a preview of a batch, by rule and subject; each batch runs once."""
    known: dict[str, Outcome] = {}

    def run(batch: Batch) -> set[tuple[str, str]]:
        if batch.name not in known:
            settings = {
                "as_of": AS_OF,
                "budget": batch.budget,
                "prices": batch.prices,
                "usage": batch.usage(named(batch.name, "trainer")),
            }
            known[batch.name] = lifecycle.preview(
                Request(
                    project=PROJECT,
                    program=lambda: register(batch.name, batch.program),
                    target=Target(name="sandbox", environment=sandbox_environment),
                    packs=(
                        Pack(folder=POLICIES / "budget", config={"settings": settings}),
                        Pack(
                            folder=POLICIES / "spot",
                            config={"settings": {"as_of": AS_OF}, **batch.share},
                        ),
                    ),
                )
            )
        outcome = known[batch.name]
        assert outcome.ending == "refused", outcome.reason
        return {
            (one.policy, PROJECT if one.urn in {"", WHOLE} else short_name(one.urn))
            for one in outcome.findings
        }

    return run


def test_every_rule_about_the_whole_stack_has_a_case():
    assert set(CASES) == JUDGED


@pytest.mark.parametrize("rule", CASES)
def test_what_is_refused_offline_is_refused_through_the_engine(rule, through_the_engine):
    batch, stopped = CASES[rule]
    before = {(rule, named(batch.name, name)) for name in stopped}
    checked = {found for found in offline(batch) if found[0] == rule}
    assert checked

    refused = {found for found in through_the_engine(batch) if found[0] == rule}

    assert refused == checked | before


@pytest.mark.parametrize("batch", [UNCAPPED, CAPPED], ids=lambda batch: batch.name)
def test_no_other_rule_refuses(batch, through_the_engine):
    expected = {rule for rule, (used, _) in CASES.items() if used is batch}
    assert {rule for rule, _ in offline(batch)} == expected
    assert {rule for rule, _ in through_the_engine(batch)} == expected
