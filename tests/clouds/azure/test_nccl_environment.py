import pytest

from gpuinfra.clouds.azure.machines import MACHINES
from gpuinfra.clouds.azure.nccl_environment import every_environment, family_environment


@pytest.mark.parametrize(
    ("size", "names"),
    [
        ("Standard_ND96isr_H100_v5", {"NCCL_SOCKET_IFNAME", "NCCL_MIN_NCHANNELS", "UCX_TLS"}),
        ("Standard_ND96asr_v4", {"NCCL_SOCKET_IFNAME", "CUDA_DEVICE_ORDER"}),
        ("Standard_NC8as_T4_v3", set()),
        ("nothing", set()),
    ],
)
def test_what_a_size_wants(size: str, names: set[str]) -> None:
    variables = family_environment(size)

    assert names <= variables.keys()
    assert bool(names) is bool(variables)


def test_what_the_image_writes_itself_is_not_set_again() -> None:
    assert not {"NCCL_TOPO_FILE", "NCCL_IB_PCI_RELAXED_ORDERING"} & every_environment().keys()


def test_every_size_wants_a_part_of_all() -> None:
    environments = [family_environment(machine.type) for machine in MACHINES.all_machines()]

    assert all(variables.items() <= every_environment().items() for variables in environments)
    assert any(environments)
