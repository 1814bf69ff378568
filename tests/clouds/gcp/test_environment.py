from gpuinfra.clouds.gcp.environment import every_environment, fabric_environment, installs
from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.clouds.gcp.network import planes

TCP = {"NCCL_SOCKET_IFNAME": "^lo,docker,veth"}


def test_roce_machines_use_the_plugin_that_the_script_installs() -> None:
    wanted = fabric_environment(machine("a3-ultragpu-8g"), fabric=True)

    assert wanted["NCCL_NET"] == "gIB"
    assert wanted["LD_LIBRARY_PATH"] == "/usr/local/gib/lib64"
    assert wanted["NCCL_TUNER_CONFIG_PATH"].endswith("tuner_config_a3u.txtpb")
    assert wanted["NCCL_SOCKET_IFNAME"] == "enp0s19,enp192s20"


def test_without_its_software_or_its_interfaces_nccl_goes_over_tcp() -> None:
    assert fabric_environment(machine("a3-ultragpu-8g"), fabric=False) == TCP
    assert fabric_environment(machine("a3-highgpu-8g"), fabric=True) == TCP
    assert fabric_environment(machine("a3-megagpu-8g"), fabric=True) == TCP
    assert fabric_environment(machine("g2-standard-4"), fabric=False) == TCP


def test_variables_stand_in_the_table_exactly_where_the_software_is_installed() -> None:
    special = {one.type for one in MACHINES.all() if fabric_environment(one, fabric=True) != TCP}

    assert special == {one.type for one in MACHINES.all() if installs(one)}
    assert special == {one.type for one in MACHINES.all() if planes(one) and planes(one).set_up}


def test_all_variables_together_are_every_types() -> None:
    names = {name for one in MACHINES.all() for name in fabric_environment(one, fabric=True)}

    assert names == set(every_environment())
