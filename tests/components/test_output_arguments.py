"""Arguments that are outputs reach the engine on each cloud, known or not, and are checked."""

import json
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import pulumi
import pytest

from gpuinfra.clouds.deferred_arguments import late_value
from gpuinfra.components.args import BucketArgs, Mount, PoolArgs, TrainingArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.messages import ProgramError, problem_line
from gpuinfra.components.network import Network
from gpuinfra.components.planned import PlannedComponent, plan_bucket, plan_inference
from gpuinfra.components.training import TrainingNode
from gpuinfra.errors import InputError
from tests.components.conftest import run

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
GROUPS = {"aws": "chat-launch-template", "gcp": "chat-template", "azure": "chat-group"}
MACHINES = {"aws": "g6.xlarge", "gcp": "g2-standard-4", "azure": "Standard_NC4as_T4_v3"}
IMAGES = {
    "aws": "ami-0fedcba9876543210",
    "gcp": "projects/ours/global/images/ours-1",
    "azure": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/ours",
}
ECR = "123456789012.dkr.ecr.us-east-1.amazonaws.com/serving@sha256:" + "0" * 64
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"
KEY = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"
TOPIC = "arn:aws:sns:us-east-1:123456789012:ops"
CLOUDS = pytest.mark.parametrize("cloud", REGIONS)


def output(value: str) -> pulumi.Output[str]:
    return pulumi.Output.from_input(value)


def unknown(_: str = "") -> pulumi.Output[Any]:
    return pulumi.Output.from_input(pulumi.UNKNOWN)


def pool_args(cloud: str, args: dict[str, Any] | None = None) -> PoolArgs:
    given = {
        "cloud": cloud,
        "region": REGIONS[cloud],
        "instance": MACHINES[cloud],
        "replicas": 2,
        "scale_on": {"gpu_utilization": "70%"},
        "image": "vllm/vllm-openai:v0.11.0",
        "port": 8000,
        "owner": "ml-platform",
        **(args or {}),
    }
    return PoolArgs(**given)


def pool(cloud: str, args: dict[str, Any] | None = None, **more: Any) -> InferencePool:
    return InferencePool("chat", pool_args(cloud, args), **more)


def node(cloud: str, args: dict[str, Any] | None = None, **more: Any) -> TrainingNode:
    given = {
        "cloud": cloud,
        "region": REGIONS[cloud],
        "instance": MACHINES[cloud],
        "owner": "ml-platform",
        **(args or {}),
    }
    return TrainingNode("chat", TrainingArgs(**given), **more)


def inputs_of(seen: Any, cloud: str) -> str:
    """The template or scale set, as text."""
    return json.dumps(seen.of(GROUPS[cloud]).inputs, default=str)


def built(cloud: str, make: Callable[[], Any], *, preview: bool = False) -> Any:
    return run(make, clouds=(cloud,), preview=preview)


def check_of(argument: str, planned: Callable[[], PlannedComponent[Any]]) -> Callable[[str], str]:
    """What looks at the value of an argument's output once it is known."""
    checks: list[Callable[[str], str]] = []
    run(lambda: checks.append(planned().late_arguments[argument].function), clouds=())
    return checks[0]


@CLOUDS
def test_the_container_may_be_an_output(cloud: str) -> None:
    seen = built(cloud, lambda: pool(cloud, {"image": output("ghcr.io/example/serve:1")}))
    plain = built(cloud, lambda: pool(cloud, {"image": "ghcr.io/example/serve:1"}))

    other = built(cloud, lambda: pool(cloud))

    assert seen.of(GROUPS[cloud]).inputs == plain.of(GROUPS[cloud]).inputs
    assert seen.of(GROUPS[cloud]).inputs != other.of(GROUPS[cloud]).inputs


@CLOUDS
@pytest.mark.parametrize("make", [node, pool])
def test_the_machines_image_may_be_an_output(cloud: str, make: Callable[..., Any]) -> None:
    late = built(cloud, lambda: make(cloud, {"machine_image": output(IMAGES[cloud])}))
    plain = built(cloud, lambda: make(cloud, {"machine_image": IMAGES[cloud]}))

    assert IMAGES[cloud] in inputs_of(late, cloud)
    assert late.golden() == plain.golden()


@CLOUDS
def test_a_preview_goes_on_where_outputs_are_not_known(cloud: str) -> None:
    args = {"image": unknown, "machine_image": unknown}

    def program() -> None:
        given: dict[str, Any] = {name: make() for name, make in args.items()}
        given |= {"notify": [unknown()]} if cloud == "aws" else {}
        pool(cloud, given, tags={"team": unknown()})

    seen = built(cloud, program, preview=True)
    shown = inputs_of(seen, cloud)

    assert {resource.name for resource in seen.resources} >= {GROUPS[cloud], "chat"}
    assert "later" not in shown, "what stands in for an output is not built"
    assert IMAGES[cloud] not in shown


@CLOUDS
def test_network_buckets_and_tags_may_be_outputs(cloud: str) -> None:
    bucket = "llamadata0123456789ab/data" if cloud == "azure" else "tokens-bucket"
    subnets = {
        "gcp": ["projects/host/regions/us-central1/subnetworks/lab"],
        "azure": ["/subscriptions/s/virtualNetworks/v/subnets/gpu"],
    }.get(cloud, ["subnet-7", "subnet-8"])

    def program() -> None:
        network = Network(
            vpc_id=output("net-0"),
            subnet_ids=pulumi.Output.from_input(subnets),
            cidr_block=output("10.9.0.0/16"),
        )
        pool(
            cloud,
            {"data": [Mount(bucket="data")]},
            network=network,
            buckets={"data": output(bucket)},
            tags={"team": output("research")},
        )

    seen = built(cloud, program)
    everything = json.dumps([resource.inputs for resource in seen.resources])

    assert subnets[0] in everything
    assert bucket.partition("/")[0] in everything
    assert "research" in inputs_of(seen, cloud)


@CLOUDS
def test_a_login_key_is_an_output_by_customize(cloud: str) -> None:
    """SSH is closed by default; a program that opens it has the key."""
    customized: dict[str, Any] = {
        "aws": {"launch_template": {"key_name": output("key-of-ours")}},
        "gcp": {"template": {"metadata": {"ssh-keys": output("key-of-ours")}}},
        "azure": {
            "group": {
                "virtual_machine_profile": {
                    "os_profile": {
                        "linux_configuration": {
                            "ssh": {
                                "public_keys": [
                                    {"path": "/home/gpuinfra", "key_data": output("key-of-ours")}
                                ]
                            }
                        }
                    }
                }
            }
        },
    }
    seen = built(cloud, lambda: pool(cloud, customize=customized[cloud]))

    assert "key-of-ours" in inputs_of(seen, cloud)


def test_the_rights_to_pull_are_those_of_the_repository_that_an_output_names(record) -> None:
    late = record(lambda: pool("aws", {"image": output(ECR)}))
    plain = record(lambda: pool("aws", {"image": ECR}))
    other = record(lambda: pool("aws", {"image": output("ghcr.io/example/serve:1")}))
    (token,) = json.loads(other.of("chat-registry").inputs["policy"])["Statement"]

    assert late.golden() == plain.golden()
    assert token["Action"] == ["ecr:GetAuthorizationToken"]


def test_the_account_may_read_registries_where_the_container_is_not_known() -> None:
    late = built("gcp", lambda: pool("gcp", {"image": output("ghcr.io/example/serve:1")}))

    assert late.of("chat-registry").inputs["role"] == "roles/artifactregistry.reader"


def test_certificate_and_bucket_keys_may_be_outputs(record) -> None:
    seen = record(lambda: pool("aws", {"certificate": output(CERTIFICATE)}))
    words = {"encryption": output(KEY), "access_logs": output("our-logs")}
    stored = record(lambda: DataBucket("data", BucketArgs(region="us-east-1", **words)))
    rule = stored.of("data-encryption").inputs["rules"][0]["applyServerSideEncryptionByDefault"]

    assert seen.of("chat-listener").inputs["certificateArn"] == CERTIFICATE
    assert rule["kmsMasterKeyId"] == KEY
    assert stored.of("data-logging").inputs["targetBucket"] == "our-logs"


@pytest.mark.parametrize("make", [node, pool])
def test_alarms_notify_a_topic_that_an_output_names(record, make: Callable[..., Any]) -> None:
    late = record(lambda: make("aws", {"notify": ["jane@example.com", output(TOPIC)]}))
    plain = record(lambda: make("aws", {"notify": ["jane@example.com", TOPIC]}))
    alarms = [each for each in late.resources if each.type.endswith(":MetricAlarm")]

    assert late.golden() == plain.golden()
    assert late.of("chat-idle") in alarms
    for alarm in alarms:
        assert alarm.inputs["alarmActions"] == ["arn:aws:mock:chat-notices", TOPIC]
    (mail,) = [each for each in late.resources if each.type.endswith(":TopicSubscription")]
    assert mail.inputs["endpoint"] == "jane@example.com"


def test_a_capacity_block_s_end_is_told_to_a_topic_that_an_output_names(record) -> None:
    block = {"reservation": "cr-0123456789abcdef0", "ends": "2026-12-01T11:30Z"}
    args = {"instance": "p5.48xlarge", "capacity": {"capacity-block": block}, "duration": "24h"}
    seen = record(lambda: node("aws", {**args, "notify": [output(TOPIC)]}))

    assert seen.of("chat-block-mail").inputs["arn"] == TOPIC


def test_alarms_are_on_the_metrics_that_the_machines_send(record) -> None:
    seen = record(lambda: node("aws", {"notify": [TOPIC]}))
    (run,) = {json.dumps(seen.of(f"chat-{kind}").inputs["dimensions"]) for kind in ("idle", "xid")}

    assert json.loads(run) == {"Stack": "project", "Workload": "chat"}
    assert "cloudwatch:PutMetricData" in seen.of("chat-metrics").inputs["policy"]
    assert not [each for each in seen.resources if each.type.startswith("aws:sns")]


def test_an_alarm_is_customized_like_any_child(record) -> None:
    changed = {"idle": {"threshold": 20.0}}
    seen = record(lambda: node("aws", {"notify": [TOPIC]}, customize=changed))

    assert seen.of("chat-idle").inputs["threshold"] == 20


@pytest.mark.parametrize(
    ("cloud", "notify", "message"),
    [
        ("gcp", lambda: [output(TOPIC)], "chat: notify is not supported on gcp: its alarms"),
        ("gcp", lambda: [output(TOPIC)], "declare gcp.monitoring.AlertPolicy and Notif"),
        ("azure", lambda: [output(TOPIC)], "declare azure_native.monitor.MetricAlert and Action"),
        ("gcp", lambda: ["jane"], "chat: notify is not supported on gcp"),
        ("azure", lambda: ["jane@example.com"], "chat: notify is not supported on azure"),
        ("aws", lambda: "jane@example.com", "chat: notify is text, but must be a list"),
        ("aws", lambda: ["jane"], r"chat: notify\[0\] is not accepted"),
        ("aws", lambda: output(TOPIC), "a list, whose entries may be outputs"),
    ],
)
def test_recipients_that_are_none_are_refused(
    cloud: str, notify: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ProgramError, match=message):
        built(cloud, lambda: node(cloud, {"notify": notify()}))


def test_the_path_of_a_wrong_recipient_is_the_component_s() -> None:
    with pytest.raises(InputError) as caught:
        plan_inference("chat", pool_args("aws", {"notify": ["jane"]}))

    (problem,) = caught.value.problems
    assert problem.path == ("chat", "notify", 0)
    assert problem.message.startswith("chat: notify[0] ")


@pytest.mark.parametrize(
    "value",
    ["jane@example.com", "arn:aws:sqs:us-east-1:1:queue", "arn:aws:sns:us-west-2:123456789012:a"],
)
def test_a_recipient_s_output_is_a_topic_of_the_region(value: str) -> None:
    def planned() -> PlannedComponent[Any]:
        secret = pulumi.Output.secret(value)
        return plan_inference("chat", pool_args("aws", {"notify": ["joe@example.com", secret]}))

    check: Callable[[Any], Any] = check_of("notify", planned)

    with pytest.raises(InputError, match="notify") as caught:
        check(["joe@example.com", value])

    assert value not in problem_line(caught.value.problems[0])


@pytest.mark.parametrize("key", [lambda: KEY, partial(output, KEY)], ids=["text", "output"])
def test_machines_may_use_the_key_of_a_bucket_that_is_passed_by_name(
    record, key: Callable[[], Any]
) -> None:
    def program() -> None:
        passed = {"buckets": {"data": output("tokens-bucket")}, "keys": {"data": key()}}
        node("aws", {"data": [Mount(bucket="data")]}, **passed)

    policy = json.loads(record(program).of("chat-storage").inputs["policy"])

    assert {"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": KEY} in policy["Statement"]


@pytest.mark.parametrize(
    ("cloud", "keys", "message"),
    [
        (
            "aws",
            {"dta": KEY},
            "chat: keys names the bucket 'dta', which is not passed; given dta;",
        ),
        ("aws", {"data": "alias/ours"}, "chat: keys.data is not the ARN of a key"),
        ("aws", {"data": 5}, "chat: keys.data does not accept int"),
        ("aws", [KEY], "chat: keys does not accept list"),
        ("gcp", {"data": KEY}, "chat: keys is not used on gcp; remove keys"),
    ],
)
def test_a_key_that_is_none_is_refused(cloud: str, keys: Any, message: str) -> None:
    passed = {"buckets": {"data": "tokens-bucket"}, "keys": keys}

    with pytest.raises(ProgramError) as caught:
        built(cloud, lambda: node(cloud, {"data": [Mount(bucket="data")]}, **passed))

    assert str(caught.value).startswith(message)


def test_a_bucket_component_brings_its_key(record) -> None:
    def program() -> None:
        bucket = DataBucket("data", BucketArgs(region="us-east-1", encryption="kms"))
        passed = {"buckets": {"data": bucket}, "keys": {"data": KEY}}
        node("aws", {"data": [Mount(bucket="data")]}, **passed)

    with pytest.raises(ProgramError, match="the DataBucket 'data' has its key with it"):
        record(program)


@pytest.mark.parametrize(
    ("cloud", "argument", "value"),
    [
        ("aws", "image", "not an image"),
        ("aws", "machine_image", "/team/parameter"),
        ("aws", "certificate", "arn:aws:acm:us-west-2:123456789012:certificate/0a1b2c3d"),
        ("gcp", "machine_image", "projects/ours/global/images/family/ours"),
        ("azure", "machine_image", "publisher:offer:sku:1.0"),
    ],
)
def test_an_output_is_checked_once_it_is_known_and_not_shown(
    cloud: str, argument: str, value: str
) -> None:
    def planned() -> PlannedComponent[Any]:
        return plan_inference("chat", pool_args(cloud, {argument: pulumi.Output.secret(value)}))

    check = check_of(argument, planned)

    with pytest.raises(InputError) as caught:
        check(value)

    assert argument in problem_line(caught.value.problems[0])
    assert value not in problem_line(caught.value.problems[0])


@pytest.mark.parametrize(("argument", "value"), [("encryption", "kms"), ("access_logs", "own")])
def test_a_bucket_s_word_that_makes_other_resources_is_plain(argument: str, value: str) -> None:
    def planned() -> PlannedComponent[Any]:
        words = {argument: output(value)}
        return plan_bucket("data", BucketArgs(region="us-east-1", **words))

    check = check_of(argument, planned)

    with pytest.raises(InputError, match=f"data: {argument} does not accept the value"):
        check(value)


def test_a_word_that_the_cloud_does_not_take_is_refused_without_what_stands_in() -> None:
    with pytest.raises(ProgramError) as caught:
        built("gcp", lambda: pool("gcp", {"certificate": output(CERTIFICATE)}))

    assert "certificate" in str(caught.value)
    assert "arn:aws:acm" not in str(caught.value)


@pytest.mark.parametrize("kind", [TrainingArgs, PoolArgs, BucketArgs])
@CLOUDS
def test_arguments_are_typed_as_inputs_where_they_may_be_outputs(cloud: str, kind: Any) -> None:
    typed = {field.name for field in fields(kind) if "Output" in str(field.type)}

    assert typed == {
        field.name for field in fields(kind) if late_value(cloud, field.name) is not None
    }
