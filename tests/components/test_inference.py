import base64
import json
import re
from typing import Any

import pytest

from gpuinfra.clouds.aws import userdata
from gpuinfra.components.args import Mount, PoolArgs
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network

OWN = Network(vpc_id="vpc-0", subnet_ids=["subnet-0", "subnet-1"], cidr_block="10.9.0.0/16")


def pool(name: str = "chat", *, args: dict[str, Any] | None = None, **more: Any) -> InferencePool:
    given = {
        "region": "us-east-1",
        "gpu": "L4:1",
        "replicas": "1..20",
        "scale_on": {"gpu_utilization": "70%"},
        "capacity": {"on_demand_base": 1, "above": "spot"},
        "max_price": "0.70",
        "image": "vllm/vllm-openai:v0.11.0",
        "port": 8000,
        "data": [Mount(bucket="data", prefix="models/")],
        "owner": "ml-platform",
        **(args or {}),
    }
    more.setdefault("buckets", {"data": "models-bucket"})
    return InferencePool(name, PoolArgs(**given), **more)


def test_pool_is_the_golden_one(record, golden) -> None:
    golden("inference-pool", record(pool).golden())


def tracking(seen: Any) -> dict[str, Any]:
    configuration: dict[str, Any] = seen.of("chat-tracking").inputs["targetTrackingConfiguration"]
    return configuration


def emitted(seen: Any) -> tuple[str, set[str], set[tuple[str, ...]]]:
    """Namespace, metric names and aggregated dimensions that the machines' agent sends."""
    template = seen.of("chat-launch-template").inputs
    script = base64.b64decode(template["userData"]).decode()
    assert "amazon-cloudwatch-agent-ctl" in script
    metrics = userdata.agent_configuration()["metrics"]
    collected = metrics["metrics_collected"]["nvidia_gpu"]["measurement"]
    appended = set(metrics["append_dimensions"])
    aggregated = {tuple(dimensions) for dimensions in metrics["aggregation_dimensions"]}
    assert all(set(dimensions) <= appended for dimensions in aggregated)
    # The agent puts its own prefix before what nvidia-smi measures.
    return (
        metrics["namespace"],
        {f"nvidia_smi_{measurement}" for measurement in collected},
        aggregated,
    )


def followed(configuration: dict[str, Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Namespace, name and dimensions of each metric that the policy reads."""
    custom = configuration["customizedMetricSpecification"]
    if "metricName" in custom:
        shapes = [(custom, custom["metricDimensions"])]
    else:
        stats = [
            metric["metricStat"]["metric"]
            for metric in custom["metrics"]
            if "metricStat" in metric
        ]
        shapes = [(stat, stat["dimensions"]) for stat in stats]
    return [
        (metric["namespace"], metric["metricName"], tuple(each["name"] for each in dimensions))
        for metric, dimensions in shapes
    ]


@pytest.mark.parametrize("figure", ["gpu_utilization", "gpu_memory"])
def test_the_policy_follows_what_the_agent_really_emits(record, figure: str) -> None:
    seen = record(lambda: pool(args={"scale_on": {figure: "70%"}}))
    namespace, names, aggregated = emitted(seen)
    metrics = followed(tracking(seen))

    assert metrics
    for in_namespace, name, dimensions in metrics:
        assert in_namespace == namespace
        assert name in names
        assert dimensions in aggregated


def test_the_policy_names_its_own_group(record) -> None:
    seen = record(pool)
    custom = tracking(seen)["customizedMetricSpecification"]

    assert tracking(seen)["targetValue"] == 70
    assert custom["statistic"] == "Average"
    assert custom["metricDimensions"] == [
        {"name": "AutoScalingGroupName", "value": seen.of("chat-group").outputs["name"]}
    ]


def test_memory_is_a_share_of_what_there_is(record) -> None:
    seen = record(lambda: pool(args={"scale_on": {"gpu_memory": "85%"}}))
    *inputs, share = tracking(seen)["customizedMetricSpecification"]["metrics"]

    assert tracking(seen)["targetValue"] == 85
    assert share["expression"] == "100 * used / total"
    assert [query["id"] for query in inputs] == re.findall("used|total", share["expression"])
    assert [query["returnData"] for query in (*inputs, share)] == [False, False, True]


def test_requests_come_from_the_balancer_and_need_no_agent(record) -> None:
    seen = record(lambda: pool(args={"scale_on": {"requests_per_target": 500}}))
    script = base64.b64decode(seen.of("chat-launch-template").inputs["userData"]).decode()

    assert tracking(seen) == {
        "targetValue": 500,
        "predefinedMetricSpecification": {
            "predefinedMetricType": "ALBRequestCountPerTarget",
            "resourceLabel": "mock/chat-load-balancer/mock/chat-target-group",
        },
    }
    assert "cloudwatch-agent" not in script
    assert not any(resource.name == "chat-metrics" for resource in seen.resources)


@pytest.mark.parametrize(
    ("capacity", "base", "on_demand"),
    [({"on_demand_base": 1, "above": "spot"}, 1, 0), ("spot", 0, 0), ("on-demand", 0, 100)],
)
def test_how_machines_are_bought(record, capacity: Any, base: int, on_demand: int) -> None:
    price = {"max_price": None} if capacity == "on-demand" else {}
    seen = record(lambda: pool(args={"capacity": capacity, **price}))
    policy = seen.of("chat-group").inputs["mixedInstancesPolicy"]["instancesDistribution"]

    assert policy["onDemandBaseCapacity"] == base
    assert policy["onDemandPercentageAboveBaseCapacity"] == on_demand
    assert policy["spotAllocationStrategy"] == "price-capacity-optimized"
    assert policy.get("spotMaxPrice") == (None if price else "0.70")


def test_the_policy_alone_says_how_many_run(record) -> None:
    seen = record(pool)
    group = seen.of("chat-group")

    assert (group.inputs["minSize"], group.inputs["maxSize"]) == (1, 20)
    assert "desiredCapacity" not in group.inputs
    assert group.options == {"timeouts": {"delete": "30m"}}


def test_only_the_balancer_reaches_the_servers(record) -> None:
    seen = record(pool)
    ingress = [resource for resource in seen.resources if "IngressRule" in resource.type]
    servers, balancer = (
        seen.of(f"chat-{part}").outputs["id"] for part in ("security-group", "balancer-firewall")
    )
    rules = {rule.inputs["securityGroupId"]: rule.inputs for rule in ingress}

    assert set(rules) == {servers, balancer}
    assert rules[servers]["referencedSecurityGroupId"] == balancer
    assert (rules[servers]["fromPort"], rules[servers]["toPort"]) == (8000, 8000)
    assert rules[balancer]["cidrIpv4"] == "10.0.0.0/16"
    assert seen.of("chat-load-balancer").inputs["internal"] is True


def test_health_is_asked_of_the_container(record) -> None:
    seen = record(lambda: pool(args={"health": "/ready"}))
    targets = seen.of("chat-target-group").inputs

    assert (targets["port"], targets["healthCheck"]["path"]) == (8000, "/ready")
    assert seen.of("chat-group").inputs["healthCheckType"] == "ELB"
    assert seen.of("chat-group").inputs["targetGroupArns"] == [
        seen.of("chat-target-group").outputs["arn"]
    ]


def test_a_private_image_may_be_pulled_by_the_role(record) -> None:
    image = "123456789012.dkr.ecr.us-east-1.amazonaws.com/chat:1"
    seen = record(lambda: pool(args={"image": image}))

    token, pull = json.loads(seen.of("chat-registry").inputs["policy"])["Statement"]

    assert token["Action"] == ["ecr:GetAuthorizationToken"]
    assert pull["Resource"] == "arn:aws:ecr:us-east-1:123456789012:repository/chat"


def test_a_public_image_takes_no_rights_to_a_registry(record) -> None:
    assert not any(resource.name == "chat-registry" for resource in record(pool).resources)


def test_the_agent_may_write_where_the_policy_reads(record) -> None:
    seen = record(pool)
    metrics, _ = json.loads(seen.of("chat-metrics").inputs["policy"])["Statement"]

    assert metrics["Condition"]["StringEquals"] == {
        "cloudwatch:namespace": tracking(seen)["customizedMetricSpecification"]["namespace"]
    }


def test_callers_network(record) -> None:
    seen = record(lambda: pool(network=OWN))

    assert seen.of("chat-clients-ingress").inputs["cidrIpv4"] == "10.9.0.0/16"
    assert seen.of("chat-group").inputs["vpcZoneIdentifiers"] == ["subnet-0", "subnet-1"]
    assert seen.of("chat-load-balancer").inputs["subnets"] == ["subnet-0", "subnet-1"]


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (
            Network(vpc_id="vpc-0", subnet_ids=["subnet-0"], cidr_block="10.9.0.0/16"),
            "chat: the network has 1 subnet[^s].*two subnets or more",
        ),
        (
            Network(vpc_id="vpc-0", subnet_ids=["subnet-0", "subnet-1"]),
            (
                "chat: the network's cidr_block is missing, so the pool's callers are "
                "unknown.*pass cidr_block"
            ),
        ),
    ],
)
def test_callers_network_that_does_not_fit(record, network: Network, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        record(lambda: pool(network=network))


def test_names_that_aws_keeps_short_stay_valid_and_apart(record) -> None:
    long = "a" * 39
    seen = record(lambda: (pool(f"{long}b"), pool(f"{long}c")))
    names = [
        resource.name
        for resource in seen.resources
        if resource.type in {"aws:lb/loadBalancer:LoadBalancer", "aws:lb/targetGroup:TargetGroup"}
    ]

    assert len(set(names)) == 4
    # Pulumi appends a hyphen and seven digits.
    assert all(len(name) + 8 <= 32 and re.fullmatch("[a-z0-9-]+", name) for name in names)


def test_pools_whose_names_begin_alike_stand_beside_each_other(record) -> None:
    seen = record(lambda: [pool(name) for name in ("chat", "chat-balancer", "chat-clients")])
    urns = [resource.urn for resource in seen.resources]

    assert len(urns) == len(set(urns))
