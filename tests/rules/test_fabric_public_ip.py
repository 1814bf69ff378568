"""Public addresses of the machines of a fabric."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import training
from tests.rules.cases.judging import group, outcomes, plan


@pytest.mark.parametrize(
    ("public_ip", "outcome"),
    [(False, "fine"), (True, "violated"), (UNKNOWN, "not-knowable")],
)
def test_machines_of_a_fabric_have_no_public_address(public_ip, outcome):
    assert outcomes(plan(training(public_ip=public_ip)), "fabric-public-ip") == [outcome]


def test_without_a_fabric_public_ip_does_not_apply():
    assert outcomes(plan(group()), "fabric-public-ip") == ["not-applicable"]
