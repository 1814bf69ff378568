"""Where the start-up script of AWS machines lies, and who may read it."""

import base64
import hashlib
import json
from typing import Any

import pytest

from gpuinfra.clouds.aws.payload import MAX_USER_DATA, object_key
from gpuinfra.components.args import Mount, PoolArgs, TrainingArgs
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.training import TrainingNode
from tests.clouds.startup_scripts import unpacked

BYTES = hashlib.shake_256(b"noise").digest(16384)
WIDE = "".join(
    chr(0x4E00 + (256 * high + other) % 20_000)
    for high, other in zip(BYTES[::2], BYTES[1::2], strict=True)
)
"""A program that does not compress, of the most characters that a command may have."""
TOKENS = Mount(bucket="data", prefix="tokens/")
KEPT = {"bucket": "kept", "prefix": "run/"}
NAMES = {"data": "tokens-bucket", "kept": "kept-bucket"}


def node(command: str, **args: Any) -> TrainingNode:
    given = TrainingArgs(region="us-east-1", gpu="L4:1", command=command, data=[TOKENS], **args)
    used = NAMES if "checkpoints" in args else {"data": NAMES["data"]}
    return TrainingNode("dev", given, buckets=used)


def user_data(seen: Any, name: str = "dev") -> str:
    data = base64.b64decode(seen.of(f"{name}-launch-template").inputs["userData"])
    assert len(data) <= MAX_USER_DATA
    return unpacked(data).decode()


def held(seen: Any, name: str = "dev") -> list[str]:
    return [
        resource.name for resource in seen.resources if resource.name.startswith(f"{name}-start-")
    ]


def test_a_script_that_fits_is_in_the_template(record) -> None:
    seen = record(lambda: node("train.py", checkpoints=KEPT))

    assert held(seen) == []
    assert "gpuinfra-agent.service" in user_data(seen)


@pytest.mark.parametrize(
    ("args", "bucket"), [({"checkpoints": KEPT}, "kept-bucket"), ({}, "tokens-bucket")]
)
def test_a_larger_one_lies_in_a_bucket_of_the_workload(
    record, args: dict[str, Any], bucket: str
) -> None:
    seen = record(lambda: node(WIDE, **args))
    script = seen.of("dev-start-script").inputs
    text = user_data(seen)

    assert script["bucket"] == bucket
    assert script["key"] == object_key("dev", script["content"])
    assert WIDE in script["content"]
    assert f"ADDRESS=s3://{bucket}/{script['key']}\n" in text
    assert f"SHA256={hashlib.sha256(script['content'].encode()).hexdigest()}\n" in text
    assert set(script["tags"]) == {"gpuinfra:stack", "gpuinfra:owner", "gpuinfra:workload"}


def test_the_role_may_read_the_scripts_of_its_workload_and_no_more(record) -> None:
    seen = record(lambda: node(WIDE))
    rights = seen.of("dev-start-rights").inputs

    assert rights["role"] == seen.of("dev-role").outputs["id"]
    assert json.loads(rights["policy"])["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["s3:GetObject"],
            "Resource": "arn:aws:s3:::tokens-bucket/gpuinfra/dev/start-*",
        }
    ]


def test_a_pool_with_many_mounts_has_one_too(record) -> None:
    mounts = [
        Mount(bucket="data", prefix=f"{hashlib.shake_256(bytes([n])).hexdigest(240)}/")
        for n in range(60)
    ]
    args = PoolArgs(
        region="us-east-1",
        gpu="L4:1",
        replicas="1..2",
        scale_on={"gpu_utilization": "70%"},
        image="vllm/vllm-openai:v0.11.0",
        port=8000,
        data=mounts,
    )
    seen = record(lambda: InferencePool("chat", args, buckets={"data": "models-bucket"}))

    assert held(seen, "chat") == ["chat-start-script", "chat-start-rights"]
    assert "ADDRESS=s3://models-bucket/gpuinfra/chat/start-" in user_data(seen, "chat")


def policies(seen: Any, name: str) -> set[str]:
    return {
        resource.name.removeprefix(f"{name}-")
        for resource in seen.resources
        if resource.type == "aws:iam/rolePolicy:RolePolicy"
    }


@pytest.mark.parametrize(
    ("args", "more"),
    [
        ({}, {"preflight"}),
        ({"checkpoints": KEPT}, {"preflight", "agent"}),
    ],
)
def test_a_machine_has_the_rights_of_what_runs_on_it(
    record, args: dict[str, Any], more: set[str]
) -> None:
    seen = record(lambda: node("train.py", **args))

    assert policies(seen, "dev") == {"session-manager", "storage"} | more
