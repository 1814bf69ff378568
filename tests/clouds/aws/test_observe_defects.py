"""What AWS refuses of anybody's resources, or leaves without effect (rule resource-settings)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, Resource

ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
POLICY = "aws:iam/rolePolicy:RolePolicy"
ROLE = "aws:iam/role:Role"
TOPIC = "aws:sns/topic:Topic"
TOPIC_POLICY = "aws:sns/topicPolicy:TopicPolicy"
BUDGET = "aws:budgets/budget:Budget"
FUNCTION = "aws:lambda/function:Function"
PERMISSION = "aws:lambda/permission:Permission"
SUBSCRIPTION = "aws:sns/topicSubscription:TopicSubscription"
KEY = "aws:kms/key:Key"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
BUCKET = "aws:s3/bucket:Bucket"
COPY = "aws:s3/bucketReplicationConfig:BucketReplicationConfig"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
LISTENER = "aws:lb/listener:Listener"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"

Row = tuple[str, str, Mapping[str, Any]]


def faults(*rows: Row) -> str:
    resources = [
        Resource(
            urn=f"urn:pulumi:stack::project::{token}::{name}",
            type=token,
            name=name,
            inputs=inputs,
            outputs={"id": f"{name}-id", "arn": f"arn:aws:any:us-east-1:1:{name}"},
            region="us-east-1",
        )
        for name, token, inputs in rows
    ]
    return "\n".join(
        fault.message for defect in observe(resources).defects for fault in defect.faults
    )


def document(*statements: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def publishes(service: str) -> str:
    return document(
        {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sns:Publish"}
    )


def arn(name: str) -> str:
    return f"arn:aws:any:us-east-1:1:{name}"


WATCH = {
    "comparisonOperator": "GreaterThanThreshold",
    "threshold": 1,
    "evaluationPeriods": 1,
    "metricName": "CPUUtilization",
    "namespace": "AWS/EC2",
    "period": 60,
    "statistic": "Sum",
    "alarmActions": [arn("topic")],
}
TELLS = {
    "limitAmount": "5",
    "limitUnit": "USD",
    "notifications": [{"threshold": 80, "subscriberSnsTopicArns": [arn("topic")]}],
}
CALLED: Sequence[Row] = (
    ("topic", TOPIC, {}),
    ("role", ROLE, {"assumeRolePolicy": UNKNOWN}),
    ("f", FUNCTION, {"role": arn("role"), "handler": "a.b", "runtime": "c", "code": UNKNOWN}),
    ("heard", SUBSCRIPTION, {"topic": "topic-id", "protocol": "lambda", "endpoint": arn("f")}),
)
FILES: Sequence[Row] = (
    ("servers", GROUP, {}),
    ("files", LUSTRE, {"securityGroupIds": ["servers-id"]}),
)
OPEN = {"securityGroupId": "servers-id", "ipProtocol": "tcp", "cidrIpv4": "10.0.0.0/8"}
COPIED = {"bucket": "b-id", "rules": [{"destination": {"bucket": arn("c")}}]}
NET: Row = ("net", VPC, {"cidrBlock": "10.0.0.0/16"})


def subnet(name: str, block: Any, **more: Any) -> Row:
    return (name, SUBNET, {"vpcId": "net-id", "cidrBlock": block, **more})


def allows(**statement: Any) -> Row:
    return ("rights", POLICY, {"policy": document({"Effect": "Allow", **statement})})


def lets(action: str) -> Row:
    given = {"function": "f", "action": action, "principal": "sns.amazonaws.com"}
    return ("may", PERMISSION, {**given, "sourceArn": arn("topic")})


WRONG = [
    ([("a", ALARM, {**WATCH, "period": None})], "set metricName and namespace and period"),
    ([("a", ALARM, {**WATCH, "treatMissingData": "breachinq"})], "allowed: breaching"),
    ([("a", HOOK, {"heartbeatTimeout": 9000})], "allowed: 30 to 7200"),
    ([("a", HOOK, {"notificationTargetArn": "x"})], "roleArn is missing"),
    ([("a", LISTENER, {"sslPolicy": "ELBSecurityPolicy-FS-1-2-2019-0x"})], "did you mean"),
    ([("a", ENDPOINT, {"serviceName": "com.amazonaws.us-east-1.ssmmessage"})], "ssmmessages?"),
    ([allows(Action="s3:GetObjct", Resource="*")], "did you mean s3:GetObject?"),
    (
        [allows(Action="s3:*", Resource="x", Condition={"Bool": {"aws:SecureTransporq": "true"}})],
        "did you mean aws:SecureTransport?",
    ),
    ([NET, subnet("s", "10.1.0.0/20")], "are outside of the VPC's"),
    ([NET, subnet("s", "10.0.0.0/29")], "a prefix of /16 to /28"),
    ([NET, subnet("s", "10.0.0.0/20"), subnet("t", "10.0.8.0/24")], "overlap those of s"),
    ([NET, subnet("s", "10.0.0.0/20", availabilityZone="us-east-1q")], "no zone us-east-1q"),
    ([NET, subnet("s", "10.0.0.0/20", availabilityZone="us-west-2a")], "not one of us-east-1"),
    ([("topic", TOPIC, {}), ("b", BUDGET, TELLS)], "does not let budgets.amazonaws.com publish"),
    (
        [
            ("topic", TOPIC, {"kmsMasterKeyId": "alias/aws/sns"}),
            ("a", ALARM, WATCH),
        ],
        "cloudwatch.amazonaws.com may not use alias/aws/sns",
    ),
    (
        [
            ("key", KEY, {}),
            ("topic", TOPIC, {"kmsMasterKeyId": "key-id"}),
            ("a", ALARM, WATCH),
        ],
        "the key key does not let cloudwatch.amazonaws.com use it",
    ),
    (
        [
            ("topic", TOPIC, {}),
            ("p", TOPIC_POLICY, {"arn": arn("topic"), "policy": publishes("s3.amazonaws.com")}),
            ("a", ALARM, WATCH),
        ],
        "does not let cloudwatch.amazonaws.com publish",
    ),
    (
        [
            ("role", ROLE, {"assumeRolePolicy": publishes("ec2.amazonaws.com")}),
            CALLED[2],
        ],
        "does not let lambda.amazonaws.com assume it",
    ),
    (CALLED, "nothing lets SNS call the function f"),
    (
        [*FILES, ("r", INGRESS, {**OPEN, "fromPort": 988, "toPort": 988})],
        "does not allow TCP 1018",
    ),
    (
        [("b", BUCKET, {}), ("c", BUCKET, {}), ("copy", COPY, COPIED)],
        "versioning is off in the bucket b",
    ),
    ([lets("lambda:InvokeFuncton")], "did you mean lambda:InvokeFunction?"),
]
"""Resources, and what is said of them."""

RIGHT: list[Sequence[Row]] = [
    [("a", ALARM, WATCH)],
    [("a", ALARM, {**WATCH, "metricName": None, "metricQueries": UNKNOWN})],
    [("a", ALARM, {**WATCH, "treatMissingData": UNKNOWN})],
    [("topic", TOPIC, {}), ("a", ALARM, WATCH)],
    [("b", BUDGET, TELLS)],
    [("topic", TOPIC, {"policy": UNKNOWN}), ("b", BUDGET, TELLS)],
    [("topic", TOPIC, {"policy": publishes("budgets.amazonaws.com")}), ("b", BUDGET, TELLS)],
    [allows(Action="s3:InventedLastWeek", Resource="*")],
    [allows(Action=["s3:Get*", "invented:Thing", "s3:getobject"], Resource="*")],
    [("rights", POLICY, {"policy": UNKNOWN})],
    [NET, subnet("s", "10.0.0.0/20"), subnet("t", "10.0.16.0/20")],
    [NET, subnet("s", UNKNOWN), subnet("t", "10.0.16.0/20", availabilityZone=UNKNOWN)],
    [subnet("s", "10.1.0.0/20", availabilityZone="us-west-2-lax-1a", region="us-west-2")],
    [CALLED[2]],
    [("h", SUBSCRIPTION, {"topic": "t", "protocol": "lambda", "endpoint": UNKNOWN})],
    [("files", LUSTRE, {"securityGroupIds": ["sg-1"]})],
    [("copy", COPY, COPIED)],
    [("a", LISTENER, {"sslPolicy": "ELBSecurityPolicy-TLS13-1-4-2031-01"})],
    *(
        [lets(f"lambda:{action}")]
        for action in ("invokeFunction", "GetFunction", "getfunction", "*")
    ),
    [lets("*")],
]
"""Resources of which nothing is known to be wrong."""


@pytest.mark.parametrize(("rows", "message"), WRONG)
def test_what_is_wrong_is_said(rows: Sequence[Row], message: str) -> None:
    assert message in faults(*rows)


@pytest.mark.parametrize("rows", RIGHT)
def test_what_may_be_right_is_not_said(rows: Sequence[Row]) -> None:
    assert faults(*rows) == ""
