from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws.payload import MAX_USER_DATA, SPARE, is_accepted_by_ec2, pack
from gpuinfra.clouds.aws.script_host import Host
from gpuinfra.clouds.aws.start_scripts import (
    pool_script,
    pool_start_faults,
    training_script,
    training_stand_in,
    training_start_faults,
)
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.startup import BucketMount
from gpuinfra.specs.schema import Inference, Training
from tests.clouds.start_scripts import BYTES, LONGEST, NOISE, mounts, pool, training

WIDE = "".join(
    chr(0x4E00 + (256 * high + other) % 20_000)
    for high, other in zip(BYTES[::2], BYTES[1::2], strict=True)
)


def start_faults(name: str, work: Training | Inference) -> list[KeyFault]:
    if isinstance(work, Training):
        return list(training_start_faults(name, work))
    return list(pool_start_faults(name, work))


ORDER = BuildSpec(name="trainer", stack="llama", owner="ml", region="us-east-1")
WATCHED = replace(ORDER, metrics=True, prometheus="10.0.0.0/8")
FULL = Host(gpus=8, nvlink="all", efa=32, local_disks=True, environment={"X": "1"})


def test_a_long_command_without_a_bucket_fits_beside_everything_else() -> None:
    work = training(command=NOISE, shared_storage={"size": "4.8TiB"})
    script = training_stand_in(WATCHED, work, host=FULL)

    assert start_faults("t" * 40, training(command=NOISE[: LONGEST // 2])) == []
    assert len(script.encode()) > MAX_USER_DATA >= len(pack(script))


def test_a_script_that_ec2_would_refuse_names_what_to_shorten_and_the_way_round() -> None:
    (fault,) = start_faults("trainer", training(command=WIDE))

    assert fault.key == ("command",)
    assert fault.message.startswith("the start-up script of trainer is too long for its machines")
    assert fault.allowed == "16,128 bytes compressed"
    assert fault.fix.startswith("shorten command: ")
    assert fault.fix.endswith(
        "or name a bucket in data or checkpoints, where the script is then stored"
    )


@pytest.mark.parametrize(
    "work",
    [
        training(command=WIDE, checkpoints={"bucket": "b"}),
        training(command="true", data=mounts(60)),
        pool(data=mounts(60)),
    ],
    ids=["command", "data", "pool"],
)
def test_with_a_bucket_no_script_is_too_long(work: Training | Inference) -> None:
    assert start_faults("trainer", work) == []


def test_plain_workloads_have_no_fault() -> None:
    assert start_faults("a", training()) == []
    assert start_faults("a", pool()) == []


def test_what_passes_without_a_bucket_fits_whatever_the_machine_is() -> None:
    longest = next(
        size
        for size in range(LONGEST, 0, -128)
        if not start_faults("trainer", training(command=NOISE[:size]))
    )
    work = training(command=NOISE[:longest])

    assert longest > LONGEST // 2
    assert all(
        is_accepted_by_ec2(training_script(WATCHED, work, (), host=host))
        for host in (FULL, Host(gpus=1))
    )


def test_a_common_cluster_needs_no_bucket_for_its_script() -> None:
    work = training(
        checkpoints={"bucket": "b"},
        data=[{"bucket": "d", "prefix": "tokens/"}],
        command="gpuinfra-torchrun x.py",
    )

    assert is_accepted_by_ec2(training_stand_in(ORDER, work, host=FULL), SPARE)


def test_the_largest_with_the_agent_needs_one() -> None:
    work = training(
        checkpoints={"bucket": "b", "size": "2TB"},
        data=mounts(4),
        shared_storage={"size": "4.8TiB"},
        command=NOISE[:2000],
    )

    assert not is_accepted_by_ec2(training_stand_in(WATCHED, work, host=FULL), SPARE)


def test_the_last_share_is_that_of_the_checkpoints() -> None:
    work = training(data=[{"bucket": "a"}], checkpoints={"bucket": "b"})
    shares = (
        BucketMount(name="a", bucket="one"),
        BucketMount(name="b", bucket="two", writable=True),
    )
    script = training_script(ORDER, work, shares, host=FULL)

    assert "mount_bucket /data/a one '' read\n" in script
    assert "mount_bucket /checkpoints two '' write\n" in script
    assert "\nX=1\n" in script
    assert "\nGPUINFRA_STACK=llama\n" in script
    assert "GPUINFRA_SAVED=/run/gpuinfra/saved\n" in script


@pytest.mark.parametrize(
    ("size", "part"),
    [
        (None, 64 * 2**20),
        ("140GB", 64 * 2**20),
        ("625GiB", 64 * 2**20),
        ("626GiB", 65 * 2**20),
        ("1TB", 96 * 2**20),
        ("40TB", 3815 * 2**20),
        ("90TB", 5 * 2**30),
    ],
)
def test_parts_are_as_large_as_the_checkpoint_needs(size: str | None, part: int) -> None:
    kept = {"bucket": "b"} | ({} if size is None else {"size": size})
    work = training(checkpoints=kept)

    assert f"WRITE_PART_SIZE={part}\n" in training_stand_in(ORDER, work, host=FULL)
    assert work.checkpoints is not None
    required = work.checkpoints.size or 0
    assert part % 2**20 == 0
    assert part * 10_000 >= required or part == 5 * 2**30


@pytest.mark.parametrize(
    ("work", "there", "absent"),
    [
        (training(), ["gpuinfra-preflight"], ["gpuinfra-agent", "mount_bucket", "LUSTRE_DNS"]),
        (training(preflight=False), [], ["gpuinfra-preflight.service"]),
        (training(checkpoints={"bucket": "b"}), ["gpuinfra-agent.service"], []),
        (
            training(shared_storage={"size": "4.8TiB", "efa": True}),
            ["LUSTRE_DNS=", "LUSTRE_EFA=yes"],
            [],
        ),
        (training(framework={"driver": "570"}), ["DRIVER=570\n"], []),
    ],
    ids=["plain", "no preflight", "checkpoints", "shared", "framework"],
)
def test_a_script_has_what_is_asked_for(
    work: Training, there: list[str], absent: list[str]
) -> None:
    script = training_stand_in(ORDER, work, host=FULL)

    assert all(word in script for word in there)
    assert not any(word in script for word in absent)


@pytest.mark.parametrize("watched", [True, False])
def test_figures_are_sent_where_somebody_wants_them(watched: bool) -> None:
    script = training_stand_in(WATCHED if watched else ORDER, training(), host=FULL)

    for word in ("cloudwatch-agent", "gpuinfra-gpu-errors.timer", "dcgm-exporter"):
        assert (word in script) is watched


def test_trainium_gets_no_tool_of_nvidia_s() -> None:
    host = replace(FULL, accelerator="neuron", nvlink="none")
    script = training_stand_in(WATCHED, training(), host=host)

    assert "dcgm-exporter" not in script
    assert "cloudwatch-agent" not in script
    assert "ACCELERATOR=neuron\n" in script


def test_the_agent_knows_the_block_s_end_and_that_a_fleet_has_no_hook() -> None:
    work = training(checkpoints={"bucket": "b"}, all_or_nothing=True)
    script = training_stand_in(ORDER, work, host=FULL, end_time="2026-12-01T11:30:00Z")

    assert '"ends":"2026-12-01T11:30:00Z"' in script
    assert '"lifecycle_hook":""' in script


@pytest.mark.parametrize(
    ("scale_on", "agent"),
    [
        ({"gpu_utilization": "70%"}, True),
        ({"requests_per_target": 50}, False),
        ({"queue": {"messages_per_machine": 10}}, False),
    ],
)
def test_the_agent_runs_where_its_figure_is_followed(
    scale_on: dict[str, Any], agent: bool
) -> None:
    work = pool(scale_on=scale_on)

    assert ("cloudwatch-agent" in pool_script(ORDER, work, (), image="a/b:1")) is agent
    assert "cloudwatch-agent" in pool_script(WATCHED, work, (), image="a/b:1")


def test_a_container_that_works_off_a_queue_knows_it_and_its_region() -> None:
    work = pool(scale_on={"queue": {"messages_per_machine": 10}})
    script = pool_script(ORDER, work, (), image="a/b:1", queue="https://sqs/1/q")

    assert 'OPTIONS=("--env=QUEUE_URL=https://sqs/1/q" "--env=AWS_REGION=us-east-1")' in script
    assert "QUEUE_URL" not in pool_script(ORDER, pool(), (), image="a/b:1")
