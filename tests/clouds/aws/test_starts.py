import base64
import hashlib
from typing import Any

import pytest

from gpuinfra.clouds.aws.payload import LIMIT, packed
from gpuinfra.clouds.aws.starts import (
    StartFault,
    pool_script,
    pool_start_faults,
    training_script,
    training_start_faults,
)
from gpuinfra.clouds.startup import Share
from gpuinfra.stackfile.schema import Inference, Training

LONGEST = 8192
BYTES = hashlib.shake_256(b"noise").digest(2 * LONGEST)
NOISE = base64.b64encode(BYTES).decode()[:LONGEST]
WIDE = "".join(
    chr(0x4E00 + (256 * one + other) % 20_000)
    for one, other in zip(BYTES[::2], BYTES[1::2], strict=True)
)


def training(**more: Any) -> Training:
    return Training.model_validate({"gpu": "H100:8", "nodes": 4, **more})


def pool(**more: Any) -> Inference:
    scale = {"gpu_utilization": "70%"}
    given = {"gpu": "L4:1", "replicas": "1..20", "image": "a/b:1", "port": 80, "scale_on": scale}
    return Inference.model_validate({**given, **more})


def start_faults(name: str, work: Training | Inference) -> list[StartFault]:
    if isinstance(work, Training):
        return list(training_start_faults(name, work))
    return list(pool_start_faults(name, work))


def mounts(count: int) -> list[dict[str, str]]:
    return [
        {"bucket": f"b{n}", "prefix": f"{hashlib.shake_256(bytes([n])).hexdigest(250)}/"}
        for n in range(count)
    ]


def test_the_longest_command_of_the_schema_fits_beside_everything_else() -> None:
    work = training(
        command=NOISE,
        checkpoints={"bucket": "b" * 40, "prefix": f"{'c' * 500}/"},
        data=mounts(8),
    )
    uses = (*work.data, work.checkpoints)
    shares = tuple(Share(name=one.bucket, bucket="p" * 63, prefix=one.prefix) for one in uses)
    script = training_script("t" * 40, "us-east-1", work, shares, gpus=8, environment={})

    assert start_faults("t" * 40, work) == []
    assert len(script.encode()) > LIMIT >= len(packed(script))


@pytest.mark.parametrize(
    ("work", "key"),
    [
        (training(command=WIDE), "command"),
        (training(command="true", data=mounts(60)), "data"),
        (pool(data=mounts(60)), "data"),
    ],
    ids=["command", "data", "pool"],
)
def test_a_script_that_ec2_would_refuse_names_what_to_shorten(
    work: Training | Inference, key: str
) -> None:
    (fault,) = start_faults("trainer", work)

    assert fault.key == key
    assert fault.message.startswith("the start-up script of trainer is too long for its machines")
    assert fault.allowed == "16,384 bytes compressed"
    assert fault.fix.startswith(f"shorten {key}: ")


def test_plain_workloads_have_no_fault() -> None:
    assert start_faults("a", training()) == []
    assert start_faults("a", pool()) == []


def test_the_last_share_is_that_of_the_checkpoints() -> None:
    work = training(data=[{"bucket": "a"}], checkpoints={"bucket": "b"})
    shares = (Share(name="a", bucket="one"), Share(name="b", bucket="two", writable=True))
    script = training_script("t", "us-east-1", work, shares, gpus=8, environment={"X": "1"})

    assert "mount_bucket /data/a one '' read\n" in script
    assert "mount_bucket /checkpoints two '' write\n" in script
    assert "\nX=1\n" in script


@pytest.mark.parametrize(
    ("scale_on", "agent"),
    [({"gpu_utilization": "70%"}, True), ({"requests_per_target": 50}, False)],
)
def test_the_agent_runs_where_its_figure_is_followed(
    scale_on: dict[str, Any], agent: bool
) -> None:
    work = pool(scale_on=scale_on)

    assert ("cloudwatch-agent" in pool_script("chat", work, ())) is agent
