"""The energy and the emissions of each workload."""

from decimal import Decimal

from gpuinfra import planning
from gpuinfra.cost.energy import energies
from gpuinfra.stackfile import loads
from tests.cost.outlooks import STACK


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
