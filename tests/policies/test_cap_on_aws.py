"""The cap holds while an update runs on AWS, and does whoever says it."""

import pytest

from tests.policies.cap_cases import CapCases, caps, held

pytestmark = pytest.mark.e2e


class TestAws(CapCases):
    pairs = 2


def root(per_hour):
    """The root component that gpuinfra.deploy registers, before anything else."""
    import pulumi

    pulumi.ComponentResource("gpuinfra:index:Stack", "root", {"budget": {"perHour": per_hour}})


@pytest.mark.parametrize(("pack", "program"), [(None, 1), (3, 1), (1, 3)])
def test_the_stricter_of_the_packs_cap_and_the_programs_holds(ground, pack, program):
    """Each in caps that two machines fit under."""
    _, two = caps(ground)
    pack_cap = None if pack is None else pack * two
    outcome = ground.up(["a", "b", "c"], pack_cap, first=lambda: root(str(program * two)))
    assert outcome.ending == "refused"
    assert len(held(ground, two)) == 2
