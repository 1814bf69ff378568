import json
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.declare import payload
from gpuinfra.clouds.aws.script_host import Host
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring.buckets import BucketGrant
from gpuinfra.specs.schema import Training

ORDER = BuildSpec(name="trainer", stack="llama", owner="ml", region="us-gov-west-1")
WATCHED = replace(ORDER, metrics=True)
GPUS = Host(gpus=8)


def rights(order: BuildSpec = ORDER, host: Host = GPUS, **more: Any) -> dict[str, Any]:
    work = Training.model_validate({"gpu": "H100:8", "nodes": 2, **more})
    return payload.training_rights(order, work, host)


def actions(statements: list[dict[str, Any]]) -> set[str]:
    return {action for statement in statements for action in statement["Action"]}


def test_preflight_marks_and_gives_back_machines_of_its_own_workload_only() -> None:
    statements = rights()["preflight"]

    assert actions(statements) == {"ec2:CreateTags", "autoscaling:SetInstanceHealth"}
    for statement in statements:
        assert statement["Resource"].startswith("arn:aws-us-gov:")
        assert statement["Condition"]["StringEquals"] == {
            "aws:ResourceTag/gpuinfra:stack": "llama",
            "aws:ResourceTag/gpuinfra:workload": "trainer",
        }
    (marking,) = [
        statement for statement in statements if statement["Action"] == ["ec2:CreateTags"]
    ]
    assert marking["Condition"]["ForAllValues:StringEquals"] == {
        "aws:TagKeys": ["gpuinfra:preflight"]
    }


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"nodes": 1}, {"autoscaling:SetInstanceHealth"}),
        ({"all_or_nothing": True}, {"ec2:CreateTags"}),
    ],
)
def test_no_right_that_is_not_used(more: dict[str, Any], expected: set[str]) -> None:
    assert actions(rights(**more)["preflight"]) == expected


@pytest.mark.parametrize(
    "more", [{"preflight": False}, {"nodes": 1, "all_or_nothing": True}], ids=["off", "nobody"]
)
def test_without_anything_to_do_there_is_no_policy(more: dict[str, Any]) -> None:
    assert "preflight" not in rights(**more)


def test_figures_go_into_the_agent_s_namespace_without_a_look_at_tags() -> None:
    (right,) = rights(WATCHED)["metrics"]

    assert right["Action"] == ["cloudwatch:PutMetricData"]
    assert metrics.NAMESPACE in json.dumps(right["Condition"])
    assert "metrics" not in rights(ORDER)
    assert "metrics" not in rights(WATCHED, Host(gpus=16, accelerator="neuron"))


def test_the_interruption_agent_has_rights_where_it_runs() -> None:
    kept = {"checkpoints": {"bucket": "b"}}

    assert "agent" not in rights()
    assert "autoscaling:CompleteLifecycleAction" in actions(rights(**kept)["agent"])
    assert actions(rights(**kept, all_or_nothing=True)["agent"]) == {"cloudwatch:PutMetricData"}


def test_a_script_goes_where_the_machines_write_anyway() -> None:
    read = BucketGrant(bucket="one", prefix="", writable=False)
    write = BucketGrant(bucket="two", prefix="", writable=True)

    assert payload._script_bucket([read, write]) is write
    assert payload._script_bucket([read]) is read
    assert payload._script_bucket([]) is None
