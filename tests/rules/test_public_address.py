"""Machines without a public address."""

import pytest

from gpuinfra.model import UNKNOWN, Safety
from tests.rules.cases.judging import group, outcomes, plan


@pytest.mark.parametrize(
    ("public_ip", "outcome"),
    [(False, "fine"), (True, "violated"), (UNKNOWN, "not-knowable")],
)
def test_machines_have_no_public_address(public_ip, outcome):
    assert outcomes(plan(group(safety=Safety(public_ip=public_ip))), "public-address") == [outcome]


def test_without_machines_public_address_does_not_apply():
    assert outcomes(plan(), "public-address") == ["not-applicable"]
