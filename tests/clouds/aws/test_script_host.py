import pytest

from gpuinfra.clouds.aws.interfaces import nic_layout
from gpuinfra.clouds.aws.machines import MACHINES, machine
from gpuinfra.clouds.aws.script_host import host_of


def host(kind: str, *, fabric: bool = False):
    row = machine(kind)
    assert row is not None
    return host_of(row, nic_layout(row, fabric=fabric))


@pytest.mark.parametrize(
    ("kind", "gpus", "nvlink", "local_disks"),
    [
        ("p5.48xlarge", 8, "all", True),
        ("p3dn.24xlarge", 8, "some", True),
        ("p5.4xlarge", 1, "none", True),
        ("g5.12xlarge", 4, "none", True),
        ("g6f.large", 1, "none", True),
        ("p3.2xlarge", 1, "none", False),
    ],
)
def test_a_machine_is_told_by_its_row(
    kind: str, gpus: int, nvlink: str, local_disks: bool
) -> None:
    told = host(kind)

    assert (told.gpus, told.nvlink, told.local_disks) == (gpus, nvlink, local_disks)
    assert told.accelerator == "nvidia"


@pytest.mark.parametrize(
    ("kind", "efa"), [("p5.48xlarge", 32), ("p6-b300.48xlarge", 16), ("g5.12xlarge", 1)]
)
def test_it_has_as_many_efa_as_are_declared(kind: str, efa: int) -> None:
    assert host(kind, fabric=True).efa == efa
    assert host(kind).efa == 0


@pytest.mark.parametrize("kind", ["trn1.32xlarge", "inf2.xlarge", "trn2.48xlarge"])
def test_neuron_is_not_nvidia(kind: str) -> None:
    assert host(kind).accelerator == "neuron"


def test_every_machine_of_the_table_has_a_host() -> None:
    hosts = [
        host_of(machine, nic_layout(machine, fabric=False)) for machine in MACHINES.all_machines()
    ]

    assert {host.accelerator for host in hosts} == {"nvidia", "neuron", "other"}
    assert all(host.gpus >= 1 for host in hosts)


def test_only_the_size_that_wants_a_variable_has_it() -> None:
    assert host("p5.4xlarge").environment == {"FI_HMEM_DISABLE_P2P": "1"}
    assert host("p5.48xlarge").environment == {}


OBSOLETE = ("FI_PROVIDER", "FI_EFA_USE_DEVICE_RDMA", "FI_EFA_FORK_SAFE", "NCCL_PROTO", "RDMAV_")


def test_no_gpu_is_told_what_is_obsolete_for_nccl() -> None:
    told = {
        name
        for machine in MACHINES.all_machines()
        if (known := host_of(machine, nic_layout(machine, fabric=False))).accelerator == "nvidia"
        for name in known.environment
    }

    assert told == {"NCCL_SHM_USE_CUDA_MEMCPY", "FI_HMEM_DISABLE_P2P"}
    assert not any(name.startswith(OBSOLETE) for name in told)
