"""The lives of what guards and watches: identities, grants, events, functions, fleets, logs."""

import json
from typing import Any

from tests.sandbox.aws.cases import ARN, NEW_TAGS, TAGS, Case, Inputs
from tests.sandbox.aws.stores import text

ROLE = "arn:aws:iam::123456789012:role/stage"
ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7"
SIGNATURE = "4dabf18193072939515e22adb298388d"
RUN = {"schemaVersion": "2.2", "description": "check", "mainSteps": []}


def statement(action: str, resource: str = "*") -> str:
    allow = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": action, "Resource": resource}
    return json.dumps({"Version": "2012-10-17", "Statement": [allow]})


def archive(content: str, digest: str) -> Inputs:
    """An archive of one text, as the engine sends it."""
    return {SIGNATURE: ARCHIVE, "assets": {"stop.py": text(content, digest)}, "hash": digest}


def queue(stage: Any) -> str:
    return str(
        stage.once(
            "queue", lambda: stage.client("sqs").create_queue(QueueName="stage")["QueueUrl"]
        )
    )


def rule(stage: Any) -> str:
    def make() -> str:
        stage.client("events").put_rule(Name="stage", ScheduleExpression="rate(5 minutes)")
        return "stage"

    return str(stage.once("rule", make))


def function(stage: Any) -> str:
    def make() -> str:
        from gpuinfra.sandbox.plugin.assets import content

        assert stage.role
        stage.client("lambda").create_function(
            FunctionName="stage",
            Role=ROLE,
            Runtime="python3.12",
            Handler="stop.main",
            Code={"ZipFile": content(archive("", "00"))},
        )
        return "stage"

    return str(stage.once("function", make))


def log_group(stage: Any) -> str:
    def make() -> str:
        stage.client("logs").create_log_group(logGroupName="/stage")
        return "/stage"

    return str(stage.once("log group", make))


def stop(stage: Any) -> Inputs:
    assert stage.role
    return {
        "name": "stop",
        "role": ROLE,
        "runtime": "python3.12",
        "handler": "stop.main",
        "timeout": 60,
        "memorySize": 256,
        "code": archive("print(1)", "aa"),
        "environment": {"variables": {"STACK": "demo"}},
        "tags": TAGS,
    }


def instant(stage: Any) -> Inputs:
    return {
        "type": "instant",
        "terminateInstances": True,
        "launchTemplateConfigs": [
            {
                "launchTemplateSpecification": {
                    "launchTemplateId": stage.template,
                    "version": "1",
                },
                "overrides": [{"instanceType": "g5.xlarge", "subnetId": stage.subnet}],
            }
        ],
        "onDemandOptions": {"minTargetCapacity": 2, "singleAvailabilityZone": True},
        "targetCapacitySpecification": {
            "defaultTargetCapacityType": "on-demand",
            "totalTargetCapacity": 2,
        },
        "tags": TAGS,
    }


def schedule(stage: Any) -> Inputs:
    return {
        "name": "deadline",
        "groupName": "default",
        "scheduleExpression": "at(2036-01-01T00:00:00)",
        "flexibleTimeWindow": {"mode": "OFF"},
        "target": {"arn": "arn:aws:lambda:us-east-1:123456789012:function:stop", "roleArn": ROLE},
        "actionAfterCompletion": "DELETE",
    }


GUARDS = [
    Case(
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        f"{ARN}iam::\\d+:oidc-provider/token.actions.githubusercontent.com",
        lambda stage: {
            "url": "https://token.actions.githubusercontent.com",
            "clientIdLists": ["sts.amazonaws.com"],
            "thumbprintLists": ["6938fd4d98bab03faadb97b34396831e3780aea1"],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("iam").untag_open_id_connect_provider(
            OpenIDConnectProviderArn=it, TagKeys=["owner"]
        ),
        "tags",
        lambda stage: {"clientIdLists": ["sts.amazonaws.com", "ci"], "tags": NEW_TAGS},
        frozenset({"url"}),
    ),
    Case(
        "aws:iam/serviceLinkedRole:ServiceLinkedRole",
        f"{ARN}iam::\\d+:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleFor\\w+",
        lambda stage: {
            "awsServiceName": "spot.amazonaws.com",
            "description": "for spot",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("iam").update_role(
            RoleName=outputs["name"], Description="by hand"
        ),
        "description",
        lambda stage: {"description": "for spot machines", "tags": NEW_TAGS},
    ),
    Case(
        "aws:kms/grant:Grant",
        "[0-9a-f-]+:[0-9a-f]+",
        lambda stage: {
            "keyId": stage.key,
            "name": "asg",
            "granteePrincipal": ROLE,
            "operations": ["Decrypt", "GenerateDataKey"],
            "constraints": [{"encryptionContextEquals": {"stack": "demo"}}],
        },
        lambda client, it, outputs: client("kms").revoke_grant(
            KeyId=outputs["keyId"], GrantId=outputs["grantId"]
        ),
    ),
    Case(
        "aws:sns/topicPolicy:TopicPolicy",
        f"{ARN}sns:us-east-1:\\d+:stage-policy",
        lambda stage: {
            "arn": stage.once(
                "other topic",
                lambda: stage.client("sns").create_topic(Name="stage-policy")["TopicArn"],
            ),
            "policy": statement("sns:Publish"),
        },
        lambda client, it, outputs: client("sns").set_topic_attributes(
            TopicArn=it, AttributeName="Policy", AttributeValue=statement("sns:Subscribe")
        ),
        "policy",
        lambda stage: {"policy": statement("sns:Receive")},
        remains=True,
    ),
    Case(
        "aws:sqs/queuePolicy:QueuePolicy",
        r"https?://.*/stage",
        lambda stage: {"queueUrl": queue(stage), "policy": statement("sqs:SendMessage")},
        lambda client, it, outputs: client("sqs").set_queue_attributes(
            QueueUrl=it, Attributes={"Policy": ""}
        ),
        "",
        lambda stage: {"policy": statement("sqs:ReceiveMessage")},
    ),
    Case(
        "aws:cloudwatch/eventRule:EventRule",
        "interruption",
        lambda stage: {
            "name": "interruption",
            "description": "a warning",
            "eventPattern": json.dumps({"source": ["aws.ec2"]}),
            "tags": TAGS,
        },
        lambda client, it, outputs: client("events").disable_rule(Name=it),
        "state",
        lambda stage: {"eventPattern": json.dumps({"source": ["aws.health"]}), "tags": NEW_TAGS},
    ),
    Case(
        "aws:cloudwatch/eventTarget:EventTarget",
        "stage-notify",
        lambda stage: {
            "rule": rule(stage),
            "targetId": "notify",
            "arn": stage.topic,
            "input": json.dumps({"stack": "demo"}),
        },
        lambda client, it, outputs: client("events").remove_targets(Rule="stage", Ids=["notify"]),
        "",
        lambda stage: {"input": json.dumps({"stack": "other"})},
        frozenset({"targetId"}),
        within=("rule", "/", "targetId"),
    ),
    Case(
        "aws:scheduler/schedule:Schedule",
        "default/deadline",
        schedule,
        lambda client, it, outputs: client("scheduler").update_schedule(
            Name="deadline",
            GroupName="default",
            ScheduleExpression="at(2037-01-01T00:00:00)",
            FlexibleTimeWindow={"Mode": "OFF"},
            Target={"Arn": outputs["target"]["arn"], "RoleArn": ROLE},
        ),
        "scheduleExpression",
        lambda stage: {"scheduleExpression": "at(2036-02-01T00:00:00)", "state": "DISABLED"},
    ),
    Case(
        "aws:scheduler/scheduleGroup:ScheduleGroup",
        "demo",
        lambda stage: {"name": "demo", "tags": TAGS},
        lambda client, it, outputs: client("scheduler").tag_resource(
            ResourceArn=outputs["arn"], Tags=[{"Key": "by", "Value": "hand"}]
        ),
        "tags",
        lambda stage: {"tags": {"owner": "ml-platform"}},
    ),
    Case(
        "aws:autoscaling/schedule:Schedule",
        "night",
        lambda stage: {
            "scheduledActionName": "night",
            "autoscalingGroupName": stage.asg,
            "minSize": 0,
            "maxSize": 0,
            "desiredCapacity": 0,
            "recurrence": "0 22 * * *",
        },
        lambda client, it, outputs: client("autoscaling").delete_scheduled_action(
            AutoScalingGroupName="stage", ScheduledActionName=it
        ),
        "",
        lambda stage: {"recurrence": "0 23 * * *"},
    ),
    Case(
        "aws:lambda/function:Function",
        "stop",
        stop,
        lambda client, it, outputs: client("lambda").update_function_configuration(
            FunctionName=it, Timeout=9
        ),
        "timeout",
        lambda stage: {"code": archive("print(2)", "bb"), "environment": None, "tags": NEW_TAGS},
        frozenset({"code"}),
    ),
    Case(
        "aws:lambda/permission:Permission",
        "sns",
        lambda stage: {
            "function": function(stage),
            "statementId": "sns",
            "action": "lambda:InvokeFunction",
            "principal": "sns.amazonaws.com",
            "sourceArn": stage.topic,
        },
        lambda client, it, outputs: client("lambda").remove_permission(
            FunctionName="stage", StatementId=it
        ),
        forgotten=frozenset({"sourceArn"}),
        within=("function", "/", "statementId"),
    ),
    Case(
        "aws:cloudwatch/logMetricFilter:LogMetricFilter",
        "xid",
        lambda stage: {
            "name": "xid",
            "logGroupName": log_group(stage),
            "pattern": "NVRM Xid",
            "metricTransformation": {"name": "Xid", "namespace": "gpuinfra", "value": "1"},
        },
        lambda client, it, outputs: client("logs").delete_metric_filter(
            logGroupName="/stage", filterName=it
        ),
        "",
        lambda stage: {"pattern": "Xid"},
        within=("logGroupName", ":", "name"),
    ),
    Case(
        "aws:ssm/document:Document",
        "check-gpus",
        lambda stage: {
            "name": "check-gpus",
            "documentType": "Command",
            "documentFormat": "JSON",
            "content": json.dumps(RUN),
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ssm").remove_tags_from_resource(
            ResourceType="Document", ResourceId=it, TagKeys=["owner"]
        ),
        "tags",
        lambda stage: {"content": json.dumps(RUN | {"description": "more"}), "tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/flowLog:FlowLog",
        "fl-[0-9a-f]{17}",
        lambda stage: {
            "vpcId": stage.vpc,
            "trafficType": "ALL",
            "logDestinationType": "s3",
            "logDestination": f"arn:aws:s3:::{stage.bucket}",
            "maxAggregationInterval": 600,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ec2").delete_flow_logs(FlowLogIds=[it]),
        "",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:ec2/fleet:Fleet",
        "fleet-[0-9a-f-]+",
        instant,
        lambda client, it, outputs: client("ec2").delete_fleets(
            FleetIds=[it], TerminateInstances=True
        ),
        "",
        lambda stage: {"tags": NEW_TAGS},
        frozenset(
            {
                "terminateInstances",
                "launchTemplateConfigs",
                "onDemandOptions",
                "targetCapacitySpecification",
            }
        ),
    ),
]
