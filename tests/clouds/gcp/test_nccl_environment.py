from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.clouds.gcp.nccl_environment import every_environment, fabric_environment, installs
from gpuinfra.clouds.gcp.network import fabric_layout

TCP = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth"}


def test_roce_machines_use_the_plugin_that_the_script_installs() -> None:
    variables = fabric_environment(machine("a3-ultragpu-8g"), fabric=True)

    assert variables["NCCL_NET"] == "gIB"
    assert variables["LD_LIBRARY_PATH"] == "/usr/local/gib/lib64"
    assert variables["NCCL_TUNER_CONFIG_PATH"].endswith("tuner_config_a3u.txtpb")
    assert variables["NCCL_SOCKET_IFNAME"] == "enp0s19,enp192s20"


def test_without_its_software_or_its_interfaces_nccl_goes_over_tcp() -> None:
    assert fabric_environment(machine("a3-ultragpu-8g"), fabric=False) == TCP
    assert fabric_environment(machine("a3-highgpu-8g"), fabric=True) == TCP
    assert fabric_environment(machine("a3-megagpu-8g"), fabric=True) == TCP
    assert fabric_environment(machine("g2-standard-4"), fabric=False) == TCP


def test_variables_stand_in_the_table_exactly_where_the_software_is_installed() -> None:
    special = {
        machine.type
        for machine in MACHINES.all_machines()
        if fabric_environment(machine, fabric=True) != TCP
    }

    assert special == {machine.type for machine in MACHINES.all_machines() if installs(machine)}
    assert special == {
        machine.type
        for machine in MACHINES.all_machines()
        if fabric_layout(machine) and fabric_layout(machine).set_up
    }


def test_all_variables_together_are_every_types() -> None:
    names = {
        name
        for machine in MACHINES.all_machines()
        for name in fabric_environment(machine, fabric=True)
    }

    assert names == set(every_environment())
