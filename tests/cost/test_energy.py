"""The energy and the emissions of each workload."""

from decimal import Decimal

import pytest

from gpuinfra import planning
from gpuinfra.cost.energy import energies
from gpuinfra.model import UNKNOWN
from gpuinfra.stackfile import loads
from tests.cost.outlooks import STACK
from tests.cost.plans import LIST, group
from tests.rules.cases.judging import plan


def test_energy_of_each_workload():
    stack = loads(
        STACK.format(
            cloud="aws",
            region="us-east-1",
            gpu="H100:8",
            nodes=4,
            duration="72h",
            more="disk: 200GB",
            price="",
        )
    ).stack
    (bare,) = energies(planning.from_stack(stack), None, Decimal(400))
    (whole,) = energies(planning.from_stack(stack), Decimal("1.5"), Decimal(400))

    assert bare.kwh == Decimal("0.7") * 32 * 72
    assert bare.total_kwh is None
    assert bare.carbon_kg is None
    assert whole.total_kwh == bare.kwh * Decimal("1.5")
    assert whole.carbon_kg == whole.total_kwh * Decimal("0.4")
    assert (whole.period, whole.watts) == ("run", 700)


def test_a_group_of_several_types_draws_what_the_hungriest_draws():
    several = group("trainer", LIST, machines=("g6.xlarge", "p5.48xlarge"))
    (energy,) = energies(plan(several), None, None)

    assert (energy.watts, energy.kwh) == (700, Decimal("0.7") * 8 * 4 * 72)


@pytest.mark.parametrize(
    "changes", [{"maximum": UNKNOWN}, {"machines": ("p5.48xlarge", "p99.large")}]
)
def test_energy_of_an_unknown_size_or_type_is_not_told(changes):
    assert list(energies(plan(group("trainer", LIST, **changes)), None, None)) == []
