"""Addresses of subnets for every interface."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import group, outcomes, plan


@pytest.mark.parametrize(
    ("addresses", "outcome"),
    [
        ((4, 5), "fine"),
        ((5, 5), "fine"),
        ((6, 5), "violated"),
        (UNKNOWN, "not-knowable"),
        (None, "not-applicable"),
    ],
    ids=str,
)
def test_a_subnet_may_be_full_to_its_last_address(addresses, outcome):
    assert outcomes(plan(group(addresses=addresses)), "subnet-addresses") == [outcome]


def test_without_machines_no_addresses_are_needed():
    assert outcomes(plan(), "subnet-addresses") == ["not-applicable"]
