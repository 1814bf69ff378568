"""Outbound traffic from machine to machine of a fabric."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import of_fabric
from tests.rules.cases.judging import group, outcomes, plan


@pytest.mark.parametrize(
    ("self_egress", "outcome", "words"),
    [
        (True, "fine", "the firewall allows"),
        (None, "fine", "no firewall applies between its interfaces"),
        (False, "violated", "does not allow"),
        (UNKNOWN, "not-knowable", "it is unknown whether"),
    ],
)
def test_outbound_traffic_is_judged_by_itself(self_egress, outcome, words):
    (finding,) = of_fabric("fabric-self-egress", self_ingress=True, self_egress=self_egress)
    assert finding.outcome == outcome
    assert words in finding.message


def test_without_a_fabric_no_outbound_traffic_is_judged():
    assert outcomes(plan(group()), "fabric-self-egress") == ["not-applicable"]
