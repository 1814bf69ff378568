"""NVLink where it is requested."""

from dataclasses import replace

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.rules import nvlink
from gpuinfra.rules.rule import RuleInput
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("p5.48xlarge", "fine"), ("g6e.48xlarge", "violated"), ("p9.48xlarge", "not-knowable")],
)
def test_nvlink_where_it_is_asked_for(machine, outcome):
    assert outcomes(plan(group(machine, nvlink_wish=True)), "nvlink") == [outcome]
    assert outcomes(plan(group(machine)), "nvlink") == ["not-applicable"]


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("Standard_NC48ads_A100_v4", "fine"), ("Standard_NC96ads_A100_v4", "violated")],
)
def test_nvlink_has_to_join_all_gpus_of_the_machine(machine, outcome):
    (finding,) = findings(plan(group(machine, cloud="azure", nvlink_wish=True)), "nvlink")

    assert finding.outcome == outcome
    if outcome == "violated":
        assert "only in groups of 2" in finding.message


@pytest.mark.parametrize(
    ("machines", "outcome"),
    [
        (("p5.48xlarge", "p4d.24xlarge"), "fine"),
        (("p5.48xlarge", "g6e.48xlarge"), "violated"),
        (("g6e.48xlarge", "p5.48xlarge"), "violated"),
        (("p5.48xlarge", "p9.48xlarge"), "not-knowable"),
        (("p9.48xlarge", "g6e.48xlarge"), "violated"),
    ],
)
def test_nvlink_is_asked_of_every_machine_that_a_group_may_hold(machines, outcome):
    (finding,) = findings(plan(group(machines[0], machines=machines, nvlink_wish=True)), "nvlink")
    assert finding.outcome == outcome


def test_a_group_that_names_no_machines_has_that_of_its_rung():
    alone = group("g6e.48xlarge", machines=(), nvlink_wish=True)
    (finding,) = findings(plan(alone), "nvlink")
    assert finding.message == "g6e.48xlarge has no NVLink"


def test_a_machine_whose_nvlink_is_unknown_is_not_knowable():
    judged = plan(group(nvlink_wish=True))
    machine = next(
        machine
        for machine in provider_of("aws").machines.all_machines()
        if machine.type == "p5.48xlarge"
    )
    uncounted = {("aws", "p5.48xlarge"): replace(machine, nvlink_domain=None)}
    (finding,) = nvlink.check(
        RuleInput(plan=judged, quote=None, today=TODAY, machines=uncounted), {}
    )
    assert finding.outcome == "not-knowable"
    assert finding.message == "the size of p5.48xlarge's NVLink domain is unknown"


def test_machines_with_nvlink_are_all_named() -> None:
    mixed = group(machines=("p5.48xlarge", "p4d.24xlarge"), nvlink_wish=True)

    (finding,) = findings(plan(mixed), "nvlink")
    (single,) = findings(plan(replace(mixed, machines=())), "nvlink")

    assert finding.message == "p5.48xlarge, p4d.24xlarge: NVLink connects the GPUs"
    assert single.message == "p5.48xlarge: NVLink connects the GPUs"
