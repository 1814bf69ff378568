import pytest

from gpuinfra.clouds.aws.machines import MACHINES
from gpuinfra.clouds.aws.nccl_environment import every_environment, family_environment


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("g5.12xlarge", {"NCCL_SHM_USE_CUDA_MEMCPY": "1"}),
        ("g6.8xlarge", {"NCCL_SHM_USE_CUDA_MEMCPY": "1"}),
        ("g5g.xlarge", {}),
        ("p5.48xlarge", {}),
        ("nothing", {}),
    ],
)
def test_what_a_family_wants(machine: str, expected: dict[str, str]) -> None:
    assert family_environment(machine) == expected


def test_every_family_wants_a_part_of_all() -> None:
    environments = [family_environment(machine.type) for machine in MACHINES.all_machines()]

    assert all(variables.items() <= every_environment().items() for variables in environments)
    assert any(environments)
