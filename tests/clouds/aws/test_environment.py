import pytest

from gpuinfra.clouds.aws.environment import every_environment, family_environment
from gpuinfra.clouds.aws.machines import MACHINES


@pytest.mark.parametrize(
    ("machine", "wanted"),
    [
        ("g5.12xlarge", {"NCCL_SHM_USE_CUDA_MEMCPY": "1"}),
        ("g6.8xlarge", {"NCCL_SHM_USE_CUDA_MEMCPY": "1"}),
        ("g5g.xlarge", {}),
        ("p5.48xlarge", {}),
        ("nothing", {}),
    ],
)
def test_what_a_family_wants(machine: str, wanted: dict[str, str]) -> None:
    assert family_environment(machine) == wanted


def test_every_family_wants_a_part_of_all() -> None:
    wanted = [family_environment(one.type) for one in MACHINES.all()]

    assert all(one.items() <= every_environment().items() for one in wanted)
    assert any(wanted)
