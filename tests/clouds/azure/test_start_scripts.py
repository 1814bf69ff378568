import pytest

from gpuinfra.clouds.azure.payload import MAX_CUSTOM_DATA
from gpuinfra.clouds.azure.start_scripts import (
    pool_script,
    pool_start_faults,
    training_script,
    training_start_faults,
)
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.startup import BucketMount
from gpuinfra.specs.schema import Inference, Training
from tests.clouds.start_scripts import LONGEST, NOISE, mounts, pool, training


def start_faults(name: str, work: Training | Inference) -> list[KeyFault]:
    if isinstance(work, Training):
        return list(training_start_faults(name, work))
    return list(pool_start_faults(name, work))


def test_the_longest_command_of_the_schema_fits_beside_everything_else() -> None:
    work = training(
        command=NOISE,
        checkpoints={"bucket": "b" * 40, "prefix": f"{'c' * 500}/"},
        data=mounts(8),
    )

    assert start_faults("t" * 40, work) == []


@pytest.mark.parametrize(
    "work",
    [training(command="界" * LONGEST, data=mounts(70)), pool(data=mounts(90))],
    ids=["training", "pool"],
)
def test_a_script_that_azure_would_refuse_names_what_to_shorten(
    work: Training | Inference,
) -> None:
    (fault,) = start_faults("trainer", work)

    assert fault.key == ("data",)
    assert fault.message.startswith("the start-up script of trainer is too long for its machines")
    assert fault.allowed == f"{MAX_CUSTOM_DATA:,} bytes"
    assert fault.fix.startswith("shorten data: ")


def test_plain_workloads_have_no_fault() -> None:
    assert start_faults("a", training()) == []
    assert start_faults("a", training(nodes=101, fabric="preferred")) == []
    assert start_faults("a", training(nodes=100, fabric="required")) == []
    assert start_faults("a", pool()) == []
    assert start_faults("a", pool(scale_on={"gpu_memory": "80%"})) == []


def test_infiniband_for_more_machines_than_a_placement_group_takes_is_refused() -> None:
    (fault,) = start_faults("trainer", training(nodes=101, fabric="required"))

    assert (fault.key, fault.value) == (("nodes",), "101")
    assert fault.message == "InfiniBand connects only the machines of one placement group"
    assert fault.allowed == "at most 100 with fabric: required"


def test_a_load_balancer_that_counts_no_requests_is_not_followed() -> None:
    (fault,) = start_faults("chat", pool(scale_on={"requests_per_target": 50}))

    assert (fault.key, fault.value) == (("scale_on",), "requests_per_target: 50")
    assert fault.allowed == "gpu_utilization or gpu_memory"


def test_the_last_share_is_that_of_the_checkpoints() -> None:
    work = training(data=[{"bucket": "a"}], checkpoints={"bucket": "b"})
    shares = (
        BucketMount(name="a", bucket="one/a"),
        BucketMount(name="b", bucket="two/b", writable=True),
    )
    script = training_script("t", "eastus", work, shares, gpus=8, environment={"X": "1"})

    assert "mount_bucket /data/a one/a '' read\n" in script
    assert "mount_bucket /checkpoints two/b '' write\n" in script
    assert "\nX=1\n" in script


def test_the_figures_are_sent_where_the_pool_follows_them() -> None:
    assert "gpuinfra-metrics" in pool_script("chat", pool(), ())


@pytest.mark.parametrize(
    ("work", "keys"),
    [
        (training(data=[{"bucket": "b", "prefix": "it's/"}]), ["data"]),
        (
            training(checkpoints={"bucket": "b", "prefix": "a/it's/", "every": "10m"}),
            ["checkpoints"],
        ),
        (
            pool(data=[{"bucket": "b", "prefix": "it's/"}, {"bucket": "b", "prefix": "a/"}]),
            ["data"],
        ),
        (training(data=[{"bucket": "b", "prefix": "it(s)=1/"}]), []),
    ],
    ids=["data", "checkpoints", "pool", "other marks"],
)
def test_a_folder_that_no_condition_can_name_is_refused(
    work: Training | Inference, keys: list[str]
) -> None:
    faults = start_faults("t", work)

    assert [key for fault in faults for key in fault.key] == keys
    assert all("apostrophe" in fault.message and "'" in fault.value for fault in faults)
