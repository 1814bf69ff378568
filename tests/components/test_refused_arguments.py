"""Arguments of components that are refused, in words."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pulumi
import pytest

from gpuinfra.components.args import BucketArgs, Checkpoints, Mount, TrainingArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.training import TrainingCluster, TrainingNode
from tests.components.trainers import REGION, cluster, node


def test_all_that_is_wrong_is_said_at_once(record) -> None:
    with pytest.raises(ProgramError) as failed:
        record(lambda: cluster(args={"duration": "72", "nodes": 0}))

    assert isinstance(failed.value, pulumi.RunError)
    assert "72h" in str(failed.value)
    assert "nodes" in str(failed.value)
    assert len(str(failed.value).splitlines()) == 2


def test_unknown_machine_is_refused_in_words(record) -> None:
    with pytest.raises(ProgramError, match=r"g6.8xlrage"):
        record(lambda: cluster(args={"instance": "g6.8xlrage"}))


@pytest.mark.parametrize(
    ("component", "kind"),
    [
        (TrainingNode, "TrainingArgs"),
        (TrainingCluster, "TrainingArgs"),
        (InferencePool, "PoolArgs"),
        (DataBucket, "BucketArgs"),
    ],
)
def test_arguments_of_another_class_are_refused_in_words(
    record, component: Callable[..., Any], kind: str
) -> None:
    with pytest.raises(
        ProgramError, match=f"a: args does not accept dict; allowed: {kind}; write {kind}"
    ):
        record(lambda: component("a", {"region": REGION}))


def test_tags_that_are_no_mapping_are_refused_in_words(record) -> None:
    tags: Any = [{"key": "team", "value": "research"}]

    with pytest.raises(ProgramError, match="data: tags does not accept list; allowed: a mapping"):
        record(lambda: DataBucket("data", BucketArgs(region=REGION), tags=tags))


def test_a_mount_that_is_only_a_name_is_refused_in_words(record) -> None:
    with pytest.raises(ProgramError, match="data"):
        record(lambda: cluster(args={"data": ["my-bucket"]}))


def test_node_and_cluster_refuse_each_others_size(record) -> None:
    with pytest.raises(ProgramError, match=r"does not support 1 nodes.*use TrainingNode"):
        record(lambda: cluster(args={"nodes": 1}))
    with pytest.raises(ProgramError, match=r"does not support 2 nodes.*use TrainingCluster"):
        record(lambda: node(nodes=2, fabric="none"))


def test_a_name_that_aws_would_not_take_is_refused(record) -> None:
    with pytest.raises(ProgramError, match=r"lower-case"):
        record(lambda: TrainingNode("Dev_1", TrainingArgs(region=REGION, gpu="L4:1")))


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ({"instance": "{}"}, "instance"),
        ({"region": "{}"}, "region"),
        ({"command": "{}"}, "command"),
        ({"framework": {"cuda": "{}"}}, "framework.cuda"),
        ({"checkpoints": Checkpoints(bucket="data", every="{}")}, "checkpoints.every"),
        ({"data": [Mount(bucket="data", prefix="{}")]}, "data.0.prefix"),
    ],
)
def test_an_argument_that_the_plan_needs_is_not_known_later(argument, path, record) -> None:
    secret = pulumi.Output.secret("hunter2")

    def later(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: later(item) for key, item in value.items()}
        if isinstance(value, list):
            return [later(item) for item in value]
        if isinstance(value, Mount | Checkpoints):
            return replace(
                value, **{field.name: later(getattr(value, field.name)) for field in fields(value)}
            )
        return secret if value == "{}" else value

    with pytest.raises(ProgramError) as caught:
        record(lambda: cluster(args=later(argument)))

    assert str(caught.value).startswith(f"trainer: {path} is an output or a secret")
    assert "to choose, price and check machines" in str(caught.value)
    assert "hunter2" not in str(caught.value)
