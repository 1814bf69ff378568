"""Pools of several machine types, pools that work off a queue, and pools that answer by HTTPS."""

import base64
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from math import ceil
from typing import Any

import pytest

from gpuinfra.clouds.aws.declare.scaling import ASLEEP, EACH
from gpuinfra.components.args import PoolArgs
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.program import program
from gpuinfra.sandbox.plugin.check import check
from gpuinfra.sandbox.plugin.schema import load
from gpuinfra.source import Source
from gpuinfra.stackfile import loads
from tests.clouds.startup_scripts import unpacked
from tests.components.conftest import Record, run

REPOSITORY = "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/worker"
DIGEST = f"sha256:{'a' * 64}"
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"

HEAD = """\
version: 1
name: serve
owner: ml-platform
where: {cloud: aws, regions: [us-east-1]}
inference:
"""
WORK = f"""{HEAD}
  work:
    instance: g6.xlarge
    mixed: [g5.xlarge, g6.2xlarge]
    replicas: 0..4
    capacity: spot
    image: {REPOSITORY}:v3
    port: 8080
    scale_on: {{queue: {{messages_per_machine: 10}}}}
"""
WEB = f"""{HEAD}
  web:
    instance: g6.xlarge
    replicas: 1..4
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    scale_on: {{requests_per_target: 500}}
    certificate: {CERTIFICATE}
"""
SHOWN = (
    *("aws:autoscaling/", "aws:sqs/", "aws:cloudwatch/", "aws:lb/", "aws:iam/rolePolicy"),
    *("aws:ec2/launchTemplate", "pulumi:index:Stash", "aws:vpc/securityGroupIngress"),
)
"""What a golden file of these shows; network, role and disks are in the pool's own."""

Builds = Callable[[str], Record]


@cache
def registered(text: str) -> Record:
    """What reaches the engine of a stack file; the tests only read it."""
    return run(program(Source(document=loads(text)), {}))


@pytest.fixture
def builds(record: Callable[..., Record]) -> Builds:
    return registered


def changed(text: str, *replaced: tuple[str, str]) -> str:
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new)
    return text


def script(seen: Any, name: str) -> str:
    data = seen.of(f"{name}-launch-template").inputs["userData"]
    return unpacked(base64.b64decode(data)).decode()


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


def test_spot_machines_leave_the_load_balancer_before_they_are_interrupted(
    builds: Builds,
) -> None:
    plain = builds(WEB)
    spot = "replicas: 1..4\n    capacity: {on_demand_base: 1, above: spot}"
    seen = builds(changed(WEB, ("replicas: 1..4", spot)))
    targets = "arn:aws:mock:web-target-group"
    (statement,) = json.loads(seen.of("web-leaving").inputs["policy"])["Statement"]

    assert f"TARGETS={targets}\n" in script(seen, "web")
    assert "gpuinfra-leave.service" in script(seen, "web")
    assert statement["Action"] == ["elasticloadbalancing:DeregisterTargets"]
    assert statement["Resource"] == targets
    assert "gpuinfra-leave" not in script(plain, "web")
    assert "web-leaving" not in {resource.name for resource in plain.resources}


@pytest.mark.parametrize(
    ("pool", "leaves"),
    [
        ("1..4\n    capacity: spot", False),
        ("2..4\n    capacity: spot", True),
        ("1..4\n    capacity: {on_demand_base: 1, above: spot}", True),
    ],
)
def test_a_machine_that_may_be_the_only_one_serves_until_it_is_gone(
    builds: Builds, pool: str, leaves: bool
) -> None:
    seen = builds(changed(WEB, ("replicas: 1..4", f"replicas: {pool}")))

    assert ("gpuinfra-leave" in script(seen, "web")) is leaves


def test_nothing_stands_before_a_pool_that_works_off_a_queue(builds: Builds) -> None:
    seen = builds(WORK)

    assert not [resource for resource in seen.resources if resource.type.startswith("aws:lb/")]
    assert seen.of("work-group").inputs["healthCheckType"] == "EC2"
    assert "targetGroupArns" not in seen.of("work-group").inputs
    assert not [resource for resource in seen.resources if "IngressRule" in resource.type]


def test_machines_start_once_requests_reach_them(builds: Builds) -> None:
    seen = builds(WEB)

    assert "web-listener" in seen.of("web-group").after
    assert "web-group" in seen.of("web-tracking").after


Series = tuple[str, str, tuple[tuple[str, Any], ...]]


def followed(policy: Mapping[str, Any]) -> set[Series]:
    """Namespace, name and dimensions of each series that a policy reads."""
    tracked = policy["targetTrackingConfiguration"]
    if "predefinedMetricSpecification" in tracked:
        return set()
    custom = tracked["customizedMetricSpecification"]
    shapes = (
        [(custom, custom["metricDimensions"])]
        if "metricName" in custom
        else [
            (metric["metricStat"]["metric"], metric["metricStat"]["metric"]["dimensions"])
            for metric in custom["metrics"]
            if "metricStat" in metric
        ]
    )
    return {
        (
            metric["namespace"],
            metric["metricName"],
            tuple((d["name"], d["value"]) for d in dimensions),
        )
        for metric, dimensions in shapes
    }


def looked_at(alarm: Mapping[str, Any]) -> set[Series]:
    """The same, of an alarm."""
    return {
        (metric["namespace"], metric["metricName"], tuple(metric["dimensions"].items()))
        for metric in (each["metric"] for each in alarm["metricQueries"] if "metric" in each)
    }


def emitted(seen: Any, name: str) -> set[Series]:
    """All series that come of what stands: the agent's on the machines, the group's, the queue's.

    A queue says these of itself, a group only what it is asked to, and the agent what its
    configuration collects, under the dimensions that it aggregates over.
    """
    group = seen.of(f"{name}-group")
    of_group = (("AutoScalingGroupName", group.outputs["name"]),)
    series: set[Series] = {
        ("AWS/AutoScaling", metric, of_group) for metric in group.inputs.get("enabledMetrics", ())
    }
    for resource in seen.resources:
        if resource.type == "aws:sqs/queue:Queue":
            of_queue = (("QueueName", resource.outputs["name"]),)
            series |= {
                ("AWS/SQS", f"ApproximateNumberOfMessages{kind}", of_queue)
                for kind in ("Visible", "NotVisible", "Delayed")
            }
    written = re.search(
        r"cat >/etc/gpuinfra/cloudwatch-agent.json <<'(END_*)'\n(.*?)\n\1\n",
        script(seen, name),
        re.DOTALL,
    )
    if written:
        agent = json.loads(written[2])["metrics"]
        assert agent["append_dimensions"] == {
            "AutoScalingGroupName": "${aws:AutoScalingGroupName}"
        }
        assert ["AutoScalingGroupName"] in agent["aggregation_dimensions"]
        series |= {
            (agent["namespace"], f"nvidia_smi_{measurement}", of_group)
            for measurement in agent["metrics_collected"]["nvidia_gpu"]["measurement"]
        }
    return series


@pytest.mark.parametrize(
    ("scale_on", "count"),
    [
        ("gpu_utilization: 30%", 1),
        ("gpu_memory: 85%", 2),
        ("queue: {messages_per_machine: 10}", 3),
    ],
)
def test_somebody_says_exactly_what_the_policy_follows(
    builds: Builds, scale_on: str, count: int
) -> None:
    text = changed(
        WORK,
        ("queue: {messages_per_machine: 10}", scale_on),
        *([] if "queue" in scale_on else [("0..4", "1..4")]),
    )
    seen = builds(text)
    series = followed(seen.of("work-tracking").inputs)

    assert len(series) == count
    assert series <= emitted(seen, "work")


def test_requests_are_counted_by_the_balancer_that_the_group_stands_behind(
    builds: Builds,
) -> None:
    seen = builds(WEB)
    policy = seen.of("web-tracking").inputs["targetTrackingConfiguration"]
    label = policy["predefinedMetricSpecification"]["resourceLabel"]
    balancer, targets = (seen.of(f"web-{part}") for part in ("load-balancer", "target-group"))

    assert label == f"{balancer.outputs['arnSuffix']}/{targets.outputs['arnSuffix']}"
    assert seen.of("web-group").inputs["targetGroupArns"] == [targets.outputs["arn"]]
    (action,) = seen.of("web-listener").inputs["defaultActions"]
    assert action["targetGroupArn"] == targets.outputs["arn"]


def test_somebody_says_what_wakes_the_pool(builds: Builds) -> None:
    seen = builds(WORK)
    alarm, waking = (seen.of(f"work-{part}") for part in ("waiting", "waking"))

    assert looked_at(alarm.inputs) == {
        series
        for series in emitted(seen, "work")
        if series[1] in {"ApproximateNumberOfMessagesVisible", "GroupDesiredCapacity"}
        and series[2][0][1] in {seen.of("work-queue").outputs["name"], "work-group-0a1b2c3"}
    }
    assert alarm.inputs["alarmActions"] == [waking.outputs["arn"]]
    assert waking.inputs["autoscalingGroupName"] == seen.of("work-group").outputs["name"]
    assert waking.inputs["adjustmentType"] == "ChangeInCapacity"


def test_a_pool_that_keeps_a_machine_needs_no_waking(builds: Builds) -> None:
    names = {resource.name for resource in builds(changed(WORK, ("0..4", "1..4"))).resources}

    assert not names & {"work-waiting", "work-waking"}


def test_the_expressions_are_the_ones_that_are_registered(builds: Builds) -> None:
    seen = builds(WORK)
    tracked = seen.of("work-tracking").inputs["targetTrackingConfiguration"]
    (each,) = [
        metric
        for metric in tracked["customizedMetricSpecification"]["metrics"]
        if metric.get("returnData", True)
    ]
    alarm = seen.of("work-waiting").inputs
    (asleep,) = [
        metric_query
        for metric_query in alarm["metricQueries"]
        if metric_query.get("returnData", True)
    ]

    assert (each["expression"], asleep["expression"]) == (EACH, ASLEEP)
    assert tracked["targetValue"] == 10
    assert (alarm["comparisonOperator"], alarm["threshold"]) == (
        "GreaterThanOrEqualToThreshold",
        1,
    )
    assert alarm["treatMissingData"] == "notBreaching"


def test_the_workers_may_work_off_their_queue_and_nothing_else(builds: Builds) -> None:
    seen = builds(WORK)
    (statement,) = json.loads(seen.of("work-messages").inputs["policy"])["Statement"]

    assert statement["Resource"] == seen.of("work-queue").outputs["arn"]
    assert "sqs:ReceiveMessage" in statement["Action"]
    assert not {"sqs:SendMessage", "sqs:PurgeQueue", "sqs:*"} & set(statement["Action"])


def test_the_container_is_told_its_queue_and_reaches_the_role(builds: Builds) -> None:
    seen = builds(changed(WORK, ("10}", "10, name: jobs}")))
    template = seen.of("work-launch-template").inputs

    assert "QUEUE_URL=https://sqs.us-east-1.amazonaws.com/123456789012/jobs" in script(
        seen, "work"
    )
    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 2
    assert template["metadataOptions"]["httpTokens"] == "required"


def test_a_pool_behind_an_address_keeps_its_container_from_the_role(builds: Builds) -> None:
    template = builds(WEB).of("web-launch-template").inputs

    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 1


def test_messages_are_encrypted_by_tls_only_and_not_lost(builds: Builds) -> None:
    seen = builds(WORK)
    queue, dead = (seen.of(f"work-{part}") for part in ("queue", "dead-letters"))
    redrive = json.loads(queue.inputs["redrivePolicy"])

    assert redrive == {"deadLetterTargetArn": dead.outputs["arn"], "maxReceiveCount": 5}
    assert dead.inputs["messageRetentionSeconds"] > queue.inputs["messageRetentionSeconds"]
    for sqs_queue in (queue, dead):
        assert sqs_queue.inputs["sqsManagedSseEnabled"] is True
        (deny,) = json.loads(seen.of(f"{sqs_queue.name}-policy").inputs["policy"])["Statement"]
        assert (deny["Effect"], deny["Resource"]) == ("Deny", sqs_queue.outputs["arn"])
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_a_queue_that_is_there_is_looked_up_and_left_alone(builds: Builds) -> None:
    seen = builds(changed(WORK, ("10}", "10, name: jobs}")))
    (lookup,) = [args for token, args in seen.calls if token == "aws:sqs/getQueue:getQueue"]
    (statement,) = json.loads(seen.of("work-messages").inputs["policy"])["Statement"]

    assert (lookup["name"], lookup["region"]) == ("jobs", "us-east-1")
    assert not [resource for resource in seen.resources if resource.type.startswith("aws:sqs/")]
    assert statement["Resource"] == "arn:aws:sqs:us-east-1:123456789012:jobs"
    assert {series[2] for series in followed(seen.of("work-tracking").inputs)} == {
        (("QueueName", "jobs"),),
        (("AutoScalingGroupName", "work-group-0a1b2c3"),),
    }


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
    work, web = pools["work"].shown(), pools["web"].shown()

    assert {"url", "loadBalancerId"} & set(work) == set()
    assert "queueUrl" in work
    assert "queueUrl" not in web
    assert {"url", "loadBalancerId"} <= set(web)


def test_it_answers_by_https_and_nothing_else(builds: Builds) -> None:
    seen = builds(WEB)
    listener, ingress = (seen.of(f"web-{part}").inputs for part in ("listener", "clients-ingress"))

    assert (listener["port"], listener["protocol"]) == (443, "HTTPS")
    assert listener["certificateArn"] == CERTIFICATE
    assert listener["sslPolicy"].startswith("ELBSecurityPolicy-TLS13-1-2")
    assert (ingress["fromPort"], ingress["toPort"]) == (443, 443)
    assert (
        len(
            [
                resource
                for resource in seen.resources
                if resource.type == "aws:lb/listener:Listener"
            ]
        )
        == 1
    )


def test_a_machine_that_leaves_finishes_its_requests(builds: Builds) -> None:
    assert builds(WEB).of("web-target-group").inputs["deregistrationDelay"] == 300


def test_long_answers_are_waited_for(builds: Builds) -> None:
    seen = builds(f"{WEB}    idle_timeout: 20m\n")

    assert seen.of("web-load-balancer").inputs["idleTimeout"] == 1200
    assert seen.of("web-target-group").inputs["deregistrationDelay"] == 1200


def test_an_image_of_ecr_is_pinned_by_its_digest(builds: Builds) -> None:
    seen = builds(WORK)
    (lookup,) = [args for token, args in seen.calls if token == "aws:ecr/getImage:getImage"]
    pins = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]

    assert (lookup["registryId"], lookup["repositoryName"], lookup["imageTag"]) == (
        "123456789012",
        "team/worker",
        "v3",
    )
    assert DIGEST in [pin.inputs["input"] for pin in pins]
    assert all(pin.options == {"ignoreChanges": ["input"]} for pin in pins)
    assert f"IMAGE={REPOSITORY}@{DIGEST}" in script(seen, "work")
    assert ":v3" not in script(seen, "work")


def test_another_tag_is_looked_up_anew(builds: Builds) -> None:
    names = [
        {
            resource.name
            for resource in builds(text).resources
            if resource.type == "pulumi:index:Stash"
        }
        for text in (WORK, changed(WORK, ("worker:v3", "worker:v4")))
    ]

    assert len(names[0] - names[1]) == 1


@pytest.mark.parametrize("image", ["vllm/vllm-openai:v0.11.0", f"{REPOSITORY}@{DIGEST}"])
def test_other_images_are_taken_as_they_are_written(builds: Builds, image: str) -> None:
    seen = builds(changed(WORK, (f"{REPOSITORY}:v3", image)))

    assert not [args for token, args in seen.calls if token == "aws:ecr/getImage:getImage"]
    assert f"IMAGE={image}\n" in script(seen, "work")
