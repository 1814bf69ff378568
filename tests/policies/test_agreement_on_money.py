"""What is the whole stack's, its money and its share on spot: refused the same on both ways."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds import CLOUDS
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, Pack, RunRequest, Target
from gpuinfra.model import Caps, Usage
from gpuinfra.planning import from_resources
from gpuinfra.rules import RULES, judge
from gpuinfra.rules.waivers import short_name
from tests.policies.ground import POLICIES
from tests.policies.grounds import aws, azure, gcp
from tests.policies.programs import named, register
from tests.rules.cases.azure_cluster import LOGIN
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.program import Program

pytestmark = pytest.mark.e2e

PROJECT = "money"
DAY = "2026-09-01"
"""Weeks after the prices of every cloud."""

WHOLE = f"urn:pulumi:sandbox::{PROJECT}::pulumi:pulumi:Stack::{PROJECT}-sandbox"
JUDGED = {rule.id for rule in RULES if rule.family == "budget"} | {"spot-share"}


def on_aws() -> Program:
    program = Program()
    program.add(
        aws.INSTANCE,
        "trainer",
        ami=aws.IMAGES[0],
        instanceType=aws.MACHINE,
        associatePublicIpAddress=False,
        rootBlockDevice={"encrypted": True, "volumeSize": 100, "volumeType": "gp3"},
    )
    return program


def on_gcp() -> Program:
    program = GcpProgram()
    program.add(
        gcp.INSTANCE,
        "trainer",
        zone=gcp.ZONE,
        machineType=gcp.MACHINE,
        bootDisk={"initializeParams": {"image": gcp.IMAGES[0], "size": 100, "type": "pd-ssd"}},
        networkInterfaces=gcp.INTERFACES,
        scheduling={"onHostMaintenance": "TERMINATE"},
    )
    return program


def on_azure() -> Program:
    program = AzureProgram()
    address = {"name": "ip", "subnet": {"id": f"{SUBSCRIPTION}/by/hand"}}
    interface = {"name": "nic", "ipConfigurations": [address]}
    program.add(
        azure.INSTANCE,
        "trainer",
        location="East US",
        hardwareProfile={"vmSize": azure.MACHINE},
        osProfile={"computerName": "it", "adminUsername": "hpc", "linuxConfiguration": LOGIN},
        storageProfile={"osDisk": {"createOption": "FromImage", "diskSizeGB": 128}},
        networkProfile={
            "networkApiVersion": azure.INTERFACES_OF,
            "networkInterfaceConfigurations": [interface],
        },
    )
    return program


def with_work(program: Program, kind: str, **inputs: Any) -> Program:
    """The program with something of a type that has no price."""
    program.add(kind, "work", **inputs)
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

    @property
    def own(self) -> dict[str, Any]:
        """A cap of the workload's own, where there is a cap on all."""
        return {"cap-per-workload": {"per_hour": 10}} if self.budget else {}

    def usage(self, name: str) -> dict[str, dict[str, Any]]:
        """How long the trainer runs, by the name under which it is registered."""
        if self.hours is None:
            return {}
        return {"hours": {name: self.hours}, "purpose": {name: "training"}}


def uncapped(cloud: str, program: Program) -> Batch:
    """Nobody said how much is meant, and the work has no price."""
    return Batch(f"{cloud}-uncapped", program, minimum="60%")


def capped(cloud: str, program: Program) -> Batch:
    """At least 55 USD an hour, for 100 hours: above each of the three caps."""
    budget = {"per_hour": 50, "per_month": 3000, "per_run": 4000}
    return Batch(f"{cloud}-capped", program, budget, {"accept_outdated": True}, hours=100)


ZONE = {
    "resourceGroupName": "by-hand",
    "privateZoneName": "work.example",
    "location": "Global",
}
UNCAPPED = {
    "aws": uncapped("aws", with_work(on_aws(), "aws:ecr/repository:Repository")),
    "gcp": uncapped("gcp", with_work(on_gcp(), "gcp:pubsub/topic:Topic")),
    "azure": uncapped(
        "azure", with_work(on_azure(), "azure-native:privatedns:PrivateZone", **ZONE)
    ),
}
CAPPED = {
    "aws": capped("aws", on_aws()),
    "gcp": capped("gcp", on_gcp()),
    "azure": capped("azure", on_azure()),
}

WEEKS = {"outdated_after_days": 5}
AGED = {
    cloud: replace(batch, name=f"{cloud}-aged", budget={"per_hour": 105}, prices=WEEKS, hours=None)
    for cloud, batch in CAPPED.items()
}

CASES: Mapping[str, tuple[Mapping[str, Batch], tuple[str, ...]]] = {
    "no-cap": (UNCAPPED, ("trainer", "work")),
    "price-unknown": (UNCAPPED, ("work",)),
    "price-outdated": (AGED, ("trainer",)),
    "spot-share": (UNCAPPED, ()),
    "cap-per-hour": (CAPPED, ("trainer",)),
    "cap-per-month": (CAPPED, ("trainer",)),
    "cap-per-run": (CAPPED, ("trainer",)),
    "cap-per-workload": (CAPPED, ("trainer",)),
}
"""By rule, what it refuses, and the resources that it stops before they are made."""


def offline(batch: Batch) -> set[tuple[str, str]]:
    """What refuses, by rule and subject, in a check without any engine."""
    caps = Caps(**{key: Decimal(value) for key, value in batch.budget.items()})
    usage = Usage(**batch.usage("trainer"))
    resources = batch.program.resources("preview")
    plan = from_resources(resources, name=PROJECT, caps=caps, usage=usage)
    day = date.fromisoformat(DAY)
    quote = estimate(plan, PricingTerms(as_of=day, covers_everything=True, **batch.prices))
    verdict = judge(plan, quote, {**batch.share, **batch.own}, (), day, only=JUDGED)
    return {
        (
            finding.rule,
            PROJECT
            if finding.subject == PROJECT
            else named(batch.name, short_name(finding.subject)),
        )
        for finding in verdict.findings
        if finding.refuses
    }


@pytest.fixture(scope="module")
def through_the_engine(sandbox_environment: dict[str, str]):
    """What refuses in a preview of a batch, by rule and subject; each batch runs once."""
    known: dict[str, Outcome] = {}

    def run(batch: Batch) -> set[tuple[str, str]]:
        if batch.name not in known:
            settings = {
                "as_of": DAY,
                "budget": {"covers": "everything", **batch.budget},
                "prices": batch.prices,
                "usage": batch.usage(named(batch.name, "trainer")),
            }
            known[batch.name] = lifecycle.preview(
                RunRequest(
                    project=PROJECT,
                    program=lambda: register(batch.name, batch.program),
                    target=Target(name="sandbox", environment=sandbox_environment),
                    packs=(
                        Pack(
                            folder=POLICIES / "budget", config={"settings": settings, **batch.own}
                        ),
                        Pack(
                            folder=POLICIES / "spot",
                            config={"settings": {"as_of": DAY}, **batch.share},
                        ),
                    ),
                )
            )
        outcome = known[batch.name]
        assert outcome.ending == "refused", outcome.reason
        return {
            (finding.policy, PROJECT if finding.urn in {"", WHOLE} else short_name(finding.urn))
            for finding in outcome.findings
            if finding.level == "mandatory"
        }

    return run


UNTRIED = {
    "cost-growth",  # a pack knows no lock
    "pool-maximum",  # of groups, which tests/rules has
    *("cloud-budget", "time-limit"),  # only told by default
}


def test_every_rule_about_the_whole_stack_has_a_case():
    assert set(CASES) == JUDGED - UNTRIED


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("rule", CASES)
def test_what_is_refused_offline_is_refused_through_the_engine(cloud, rule, through_the_engine):
    batches, stopped = CASES[rule]
    batch = batches[cloud]
    before = {(rule, named(batch.name, name)) for name in stopped}
    checked = {pair for pair in offline(batch) if pair[0] == rule}
    assert checked

    refused = {pair for pair in through_the_engine(batch) if pair[0] == rule}

    assert refused == checked | before


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("batches", [UNCAPPED, CAPPED], ids=["uncapped", "capped"])
def test_no_other_rule_refuses(cloud, batches, through_the_engine):
    expected = {rule for rule, (used, _) in CASES.items() if used is batches}
    assert {rule for rule, _ in offline(batches[cloud])} == expected
    assert {rule for rule, _ in through_the_engine(batches[cloud])} == expected
