"""What is registered of a pool: whole, its group of several machine types, how it is updated."""

from collections.abc import Callable
from math import ceil
from typing import Any

import pytest

from gpuinfra.components.args import PoolArgs
from gpuinfra.components.inference import InferencePool
from gpuinfra.sandbox.plugin.input_validation import check
from gpuinfra.sandbox.plugin.schema import load
from tests.components.serving_on_aws.stacks import WEB, WORK, Builds, changed

SHOWN = (
    *("aws:autoscaling/", "aws:sqs/", "aws:cloudwatch/", "aws:lb/", "aws:iam/rolePolicy"),
    *("aws:ec2/launchTemplate", "pulumi:index:Stash", "aws:vpc/securityGroupIngress"),
)
"""What a golden file of these shows; network, role and disks are in the pool's own."""


@pytest.mark.parametrize(("name", "text"), [("pool-queue", WORK), ("pool-https", WEB)])
def test_the_pool_is_the_golden_one(
    builds: Builds, golden: Callable[..., None], name: str, text: str
) -> None:
    rows = builds(text).golden()

    golden(name, [row for row in rows if row["type"].startswith(SHOWN)])


@pytest.mark.parametrize("text", [WORK, WEB, changed(WORK, ("10}", "10, name: jobs}"))])
def test_the_provider_takes_what_is_registered(builds: Builds, text: str) -> None:
    schema = load("aws")
    failures = {
        f"{resource.name}.{failure.path}: {failure.reason}"
        for resource in builds(text).resources
        if resource.type.startswith("aws:")
        for failure in check(schema, schema.type(resource.type), resource.inputs)
    }

    assert failures == set()


def test_the_group_may_hold_every_type_the_first_one_first(builds: Builds) -> None:
    group = builds(WORK).of("work-group").inputs
    policy = group["mixedInstancesPolicy"]

    assert [override["instanceType"] for override in policy["launchTemplate"]["overrides"]] == [
        "g6.xlarge",
        "g5.xlarge",
        "g6.2xlarge",
    ]
    shares = policy["instancesDistribution"]
    assert shares["spotAllocationStrategy"] == "price-capacity-optimized"
    assert shares["onDemandAllocationStrategy"] == "prioritized"
    assert (group["minSize"], group["maxSize"]) == (0, 4)


def test_a_failed_refresh_is_not_rolled_on_to_the_template_that_failed(builds: Builds) -> None:
    refresh = builds(WEB).of("web-group").inputs["instanceRefresh"]

    assert refresh["strategy"] == "Rolling"
    assert "autoRollback" not in refresh["preferences"]


@pytest.mark.parametrize(
    ("replicas", "least"),
    [("1", 90), ("1..2", 50), ("1..3", 66), ("1..4", 75), ("2..4", 75), ("1..20", 90)],
)
def test_an_update_starts_a_machine_first_and_keeps_to_the_maximum(
    builds: Builds, replicas: str, least: int
) -> None:
    """Only at its maximum does a pool end a machine first; one of one machine goes beyond it."""
    text = changed(WEB, ("replicas: 1..4", f"replicas: {replicas}"))
    preferences = builds(text).of("web-group").inputs["instanceRefresh"]["preferences"]
    most = int(replicas.rpartition(".")[2])

    assert preferences == {"minHealthyPercentage": least, "maxHealthyPercentage": 100}
    for runs in range(1, most + 1):
        starts_first = ceil(runs * least / 100) == runs
        assert starts_first is True or runs > 1
        assert runs + starts_first <= max(2, most)


def test_a_pool_on_a_queue_is_not_missed_while_its_machine_is_replaced(builds: Builds) -> None:
    refresh = builds(WORK).of("work-group").inputs["instanceRefresh"]

    assert "maxHealthyPercentage" not in refresh["preferences"]


def test_the_component_says_where_messages_go_or_where_it_answers(
    record: Callable[..., Any],
) -> None:
    pools: dict[str, InferencePool] = {}

    def both() -> None:
        common = {"region": "us-east-1", "gpu": "L4:1", "image": "a/b:1", "port": 80}
        queue = {"queue": {"messages_per_machine": 3}}
        for name, words in {
            "work": {"replicas": "0..2", "scale_on": queue},
            "web": {"replicas": "1..2", "scale_on": {"gpu_memory": "80%"}},
        }.items():
            pools[name] = InferencePool(name, PoolArgs(**common, **words))

    record(both)
    work, web = pools["work"].pulumi_outputs(), pools["web"].pulumi_outputs()

    assert {"url", "loadBalancerId"} & set(work) == set()
    assert "queueUrl" in work
    assert "queueUrl" not in web
    assert {"url", "loadBalancerId"} <= set(web)
