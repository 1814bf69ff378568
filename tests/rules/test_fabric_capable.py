"""Machines that support the fabric that is requested of them."""

from dataclasses import replace

import pytest

from tests.rules.cases.fabric import joined, training
from tests.rules.cases.judging import findings, group, outcomes, plan


def test_a_machine_whose_fabric_is_unknown_is_not_knowable():
    unknown = group("p6e-gb200.36xlarge", fabric=joined())
    (finding,) = findings(plan(unknown), "fabric-capable")
    assert (finding.outcome, finding.message) == (
        "not-knowable",
        "it is unknown whether p6e-gb200.36xlarge supports a fabric",
    )


def test_all_machines_of_a_group_are_named_where_they_support_the_fabric() -> None:
    (mixed,) = findings(
        plan(replace(training(), machines=("p5.48xlarge", "p5e.48xlarge"))), "fabric-capable"
    )
    (single,) = findings(plan(replace(training(), machines=())), "fabric-capable")

    assert mixed.message == "p5.48xlarge, p5e.48xlarge supports the fabric"
    assert single.message == "p5.48xlarge supports the fabric"


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("p5.48xlarge", "fine"), ("g5.xlarge", "violated"), ("p9.48xlarge", "not-knowable")],
)
def test_a_machine_supports_the_fabric(machine, outcome):
    assert outcomes(plan(group(machine, fabric=joined())), "fabric-capable") == [outcome]


def test_without_a_fabric_any_machine_will_do():
    assert outcomes(plan(group("g5.xlarge")), "fabric-capable") == ["not-applicable"]
