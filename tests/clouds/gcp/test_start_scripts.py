from typing import Any

import pytest

from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.clouds.gcp.start_scripts import (
    pool_script,
    pool_start_faults,
    training_script,
    training_start_faults,
)
from gpuinfra.clouds.gcp.userdata import MAX_SCRIPT
from gpuinfra.clouds.startup import BucketMount
from gpuinfra.specs.schema import Training
from tests.clouds.start_scripts import mounts, pool, training


def test_the_longest_command_of_the_schema_fits_beside_everything_else() -> None:
    work = training(
        command="x" * 8192,
        checkpoints={"bucket": "b" * 40, "prefix": f"{'c' * 500}/"},
        data=mounts(60),
    )

    assert list(training_start_faults("t" * 40, work)) == []


@pytest.mark.parametrize("work", [training(data=mounts(600)), pool(data=mounts(600))])
def test_a_script_that_the_metadata_server_would_refuse_names_what_to_shorten(work) -> None:
    faults = training_start_faults if isinstance(work, Training) else pool_start_faults
    (fault,) = faults("trainer", work)

    assert fault.key == ("data",)
    assert fault.value == "600 mounts"
    assert fault.message.startswith("the start-up script of trainer is too long for its machines")
    assert fault.allowed == f"{MAX_SCRIPT:,} bytes" == "262,144 bytes"


def test_plain_workloads_have_no_fault() -> None:
    assert list(training_start_faults("a", training())) == []
    assert list(pool_start_faults("a", pool())) == []


def test_a_pool_that_follows_requests_is_refused_as_nothing_counts_them() -> None:
    (fault,) = pool_start_faults("chat", pool(scale_on={"requests_per_target": 50}))

    assert (fault.key, fault.value) == (("scale_on",), "requests_per_target: 50")
    assert "gpu_utilization" in fault.fix


@pytest.mark.parametrize(
    ("replicas", "capacity", "refused"),
    [
        ("1..20", "spot", False),
        ("2..20", {"on_demand_base": 1, "above": "spot"}, False),
        ("1..20", {"on_demand_base": 1, "above": "spot"}, True),
        ("1..20", {"on_demand_base": 1, "above": "on-demand"}, False),
        ("2", {"on_demand_base": 2, "above": "spot"}, False),
    ],
)
def test_a_pool_whose_spot_part_could_never_grow_is_refused(
    replicas, capacity, refused: bool
) -> None:
    faults = list(pool_start_faults("chat", pool(replicas=replicas, capacity=capacity)))

    assert [key for fault in faults for key in fault.key] == (["replicas"] if refused else [])
    if refused:
        assert "could not grow" in faults[0].message
        assert faults[0].fix == "set replicas: 2..20, or on_demand_base: 0"


def test_the_last_share_is_that_of_the_checkpoints() -> None:
    work = training(data=[{"bucket": "a"}], checkpoints={"bucket": "b"})
    shares = (
        BucketMount(name="a", bucket="one"),
        BucketMount(name="b", bucket="two", writable=True),
    )
    script = training_script(
        "t", "us-central1", work, shares, machine=machine("a3-ultragpu-8g"), fabric=True
    )

    assert "mount_bucket /data/a one '' read\n" in script
    assert "mount_bucket /checkpoints two '' write\n" in script
    assert "\nGPUINFRA_GPUS=8\n" in script


@pytest.mark.parametrize(
    ("type_", "nodes", "fabric", "gib", "tcp"),
    [
        ("a3-ultragpu-8g", 4, True, True, False),
        ("a3-ultragpu-8g", 4, False, False, True),
        ("a3-ultragpu-8g", 1, True, False, False),
        ("a3-megagpu-8g", 4, True, False, True),
        ("g2-standard-4", 2, False, False, True),
    ],
)
def test_the_plugin_is_installed_where_several_machines_use_the_fabric(
    type_: str, nodes: int, fabric: bool, gib: bool, tcp: bool
) -> None:
    script = training_script(
        "t", "us-central1", training(nodes=nodes), (), machine=machine(type_), fabric=fabric
    )

    assert ("install_packages nccl-gib" in script) is gib
    assert ("\nNCCL_NET=gIB\n" in script) is gib
    assert ("\nNCCL_SOCKET_IFNAME='^lo,docker,veth'\n" in script) is tcp


@pytest.mark.parametrize(
    ("scale_on", "agent"),
    [({"gpu_utilization": "70%"}, True), ({"requests_per_target": 50}, False)],
)
def test_the_agent_runs_where_its_figure_is_followed(
    scale_on: dict[str, Any], agent: bool
) -> None:
    work = pool(scale_on=scale_on)

    assert ("google-cloud-ops-agent" in pool_script("chat", work, ())) is agent
