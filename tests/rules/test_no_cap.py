"""A cap that all costs stand under."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.model import UNKNOWN, Caps, NotJudged
from gpuinfra.rules import judge
from tests.rules.cases.budgets import disk
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan


def test_no_cap_at_all_is_violated():
    assert outcomes(plan(group(), caps=Caps()), "no-cap") == ["violated"]


@pytest.mark.parametrize(
    ("spans", "outcome"),
    [
        (("per_run",), "violated"),
        (("per_hour",), "fine"),
        (("per_month",), "fine"),
        (("per_run", "per_month"), "fine"),
    ],
)
def test_a_cap_that_not_all_costs_stand_under_is_none(spans, outcome):
    caps = Caps(**dict.fromkeys(spans, Decimal(1)))
    for judged in (group(), group(purpose="inference", name="chat")):
        assert outcomes(plan(judged, caps=caps), "no-cap") == [outcome]


def test_no_cap_is_named_while_a_price_is_unknown():
    judged = plan(group("p4d.25xlarge"), group(name="other"), caps=Caps(), from_file=True)

    assert findings(judged, "no-cap")[0].fix == "add budget: {per_hour: …}"
    assert "per_month: …" in findings(judged, "cloud-budget")[0].fix
    low = replace(judged, caps=Caps(per_hour=Decimal(1)))
    assert findings(low, "cap-per-hour")[0].fix.endswith("or raise budget.per_hour")


DISK = disk("web", per_machine=False, group=None, region="us-east-1")


class TestNoCap:
    CPU = group("m6i.large", name="web", subject="web")

    @pytest.mark.parametrize(
        ("stack", "outcome"),
        [
            (plan(CPU, caps=Caps()), "not-applicable"),
            (plan(caps=Caps()), "not-applicable"),
            (plan(caps=Caps(), items=(DISK,)), "not-applicable"),
            (plan(group(), caps=Caps()), "violated"),
            (plan(CPU, group("g6.xlarge"), caps=Caps()), "violated"),
            (plan(group("m6i.large", capacity="reserved"), caps=Caps()), "violated"),
            (plan(CPU, caps=Caps(per_run=Decimal(1))), "violated"),
            (plan(CPU, caps=Caps(per_month=Decimal(1))), "fine"),
        ],
    )
    def test_it_speaks_where_a_gpu_or_a_reservation_is_there_or_a_budget_is_set(
        self, stack, outcome
    ):
        assert outcomes(stack, "no-cap") == [outcome]

    @pytest.mark.parametrize(
        "changes",
        [
            {"groups": (group("p9.48xlarge"),)},
            {"groups": (replace(CPU, machines=("m6i.large", "zz9.large")),)},
            {"groups": (replace(CPU, rungs=(CPU.rung, replace(CPU.rung, machine="zz9.large"))),)},
            {"not_judged": (NotJudged(subject="pod", type="runpod:index:Pod", reason="unknown"),)},
            {"items": (replace(DISK, quantity=UNKNOWN),)},
        ],
    )
    def test_what_no_table_knows_needs_a_cap(self, changes):
        assert outcomes(replace(plan(caps=Caps()), **changes), "no-cap") == ["violated"]

    def test_without_a_quote_every_stack_needs_a_cap(self):
        verdict = judge(plan(self.CPU, caps=Caps()), None, {}, (), TODAY, only={"no-cap"})
        assert [finding.outcome for finding in verdict.findings] == ["violated"]

    def test_machines_of_the_tables_with_gpus_are_not_among_those_without(self):
        for cloud in ("aws", "gcp", "azure"):
            cpu = provider_of(cloud).prices.cpu
            machines = provider_of(cloud).machines.all_machines()
            assert [machine.type for machine in machines if cpu.is_in_table(machine.type)] == []
