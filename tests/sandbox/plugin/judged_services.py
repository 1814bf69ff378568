"""The types of AWS's services beyond machines and networks, tried as the others are."""

import json
from typing import Any

from tests.sandbox.plugin.judged import NOWHERE, POLICY, Case

SIGNATURE = "4dabf18193072939515e22adb298388d"
NO_ROLE = f"arn:aws:iam::123456789012:role/{NOWHERE}"
DOCUMENT = json.dumps({"schemaVersion": "2.2", "description": "x", "mainSteps": []})
KEEP = json.dumps(
    {
        "rules": [
            {
                "rulePriority": 1,
                "selection": {
                    "tagStatus": "any",
                    "countType": "imageCountMoreThan",
                    "countNumber": 9,
                },
                "action": {"type": "expire"},
            }
        ]
    }
)
RETENTION = {"mode": "GOVERNANCE", "days": 1}


def archive(text: str = "print(1)") -> dict[str, Any]:
    """A function's code as the engine sends it."""
    asset = {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "text": text, "hash": text}
    return {
        SIGNATURE: "0def7320c3a5731c473e5ecbe6d01bc7",
        "assets": {"main.py": asset},
        "hash": text,
    }


def beside_a_bucket(name: str, required: str, mistyped: tuple[str, Any], **inputs: Any) -> Case:
    token = f"aws:s3/{name[0].lower()}{name[1:]}:{name}"
    broken = ("bucket", f"b{NOWHERE}")
    given = {"bucket": "{versioned}", **inputs}
    return Case(token, given, required, mistyped, broken, "NoSuchBucket")


STORES = (
    beside_a_bucket(
        "BucketLogging",
        "targetPrefix",
        ("targetPrefix", [1]),
        targetBucket="{logs}",
        targetPrefix="log/",
    ),
    beside_a_bucket(
        "BucketObjectLockConfiguration",
        "bucket",
        ("objectLockEnabled", "Yes"),
        rule={"defaultRetention": RETENTION},
    ),
    beside_a_bucket(
        "BucketReplicationConfig",
        "role",
        ("rules", "all"),
        role="{role_arn}",
        rules=[{"status": "Enabled", "destination": {"bucket": "{copies_arn}"}}],
    ),
    beside_a_bucket(
        "BucketIntelligentTieringConfiguration",
        "tierings",
        ("tierings", [{"accessTier": "GLACIER", "days": 90}]),
        tierings=[{"accessTier": "ARCHIVE_ACCESS", "days": 90}],
    ),
    beside_a_bucket(
        "BucketNotification",
        "bucket",
        ("eventbridge", "yes"),
        topics=[{"topicArn": "{topic}", "events": ["s3:ObjectCreated:*"]}],
    ),
    beside_a_bucket(
        "BucketObjectv2",
        "bucket",
        ("source", "./start.sh"),
        content="hello",
    ),
    Case(
        "aws:ecr/lifecyclePolicy:LifecyclePolicy",
        {"repository": "{images}", "policy": KEEP},
        "policy",
        ("policy", ["expire"]),
        ("repository", "nowhere"),
        "RepositoryNotFoundException",
    ),
    Case(
        "aws:ecr/repository:Repository",
        {"imageTagMutability": "IMMUTABLE"},
        "",
        ("imageTagMutability", "FIXED"),
    ),
    Case(
        "aws:ecr/repositoryPolicy:RepositoryPolicy",
        {"repository": "{images}", "policy": POLICY},
        "repository",
        ("repository", [1]),
        ("repository", "nowhere"),
        "RepositoryNotFoundException",
    ),
    Case(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {
            "subnetIds": "{subnet}",
            "deploymentType": "PERSISTENT_2",
            "storageCapacity": 1200,
            "perUnitStorageThroughput": 125,
        },
        "subnetIds",
        ("deploymentType", "PERSISTENT_3"),
        ("subnetIds", f"subnet-{NOWHERE}"),
        "InvalidSubnetID.NotFound",
    ),
)

RIGHTS = (
    Case(
        "aws:acm/certificate:Certificate",
        {"domainName": "a.example.com", "validationMethod": "DNS"},
        "domainName",
        ("validationMethod", "FAX"),
    ),
    Case(
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        {"url": "https://ci.example.com", "clientIdLists": ["ci"]},
        "url",
        ("clientIdLists", "ci"),
    ),
    Case(
        "aws:iam/serviceLinkedRole:ServiceLinkedRole",
        {"awsServiceName": "autoscaling.amazonaws.com"},
        "awsServiceName",
        ("awsServiceName", ["autoscaling"]),
    ),
    Case(
        "aws:kms/grant:Grant",
        {"keyId": "{key}", "granteePrincipal": "{role_arn}", "operations": ["Decrypt"]},
        "operations",
        ("operations", ["Read"]),
        ("keyId", NOWHERE),
        "NotFoundException",
    ),
    Case(
        "aws:sns/topicPolicy:TopicPolicy",
        {"arn": "{topic}", "policy": POLICY},
        "policy",
        ("arn", [1]),
        ("arn", f"arn:aws:sns:us-east-1:123456789012:{NOWHERE}"),
        "NotFound",
    ),
    Case(
        "aws:sqs/queuePolicy:QueuePolicy",
        {"queueUrl": "{queue}", "policy": POLICY},
        "queueUrl",
        ("queueUrl", [1]),
        ("queueUrl", f"http://127.0.0.1/123456789012/{NOWHERE}"),
        "AWS.SimpleQueueService.NonExistentQueue",
    ),
    Case(
        "aws:sqs/redriveAllowPolicy:RedriveAllowPolicy",
        {"queueUrl": "{queue}", "redriveAllowPolicy": '{"redrivePermission": "denyAll"}'},
        "redriveAllowPolicy",
        ("redriveAllowPolicy", {}),
        ("queueUrl", f"http://127.0.0.1/123456789012/{NOWHERE}"),
        "AWS.SimpleQueueService.NonExistentQueue",
    ),
)

WATCHES = (
    Case(
        "aws:autoscaling/notification:Notification",
        {
            "groupNames": ["{scaling}"],
            "notifications": ["autoscaling:EC2_INSTANCE_LAUNCH_ERROR"],
            "topicArn": "{topic}",
        },
        "topicArn",
        ("groupNames", "one"),
        ("groupNames", ["nowhere"]),
        "ValidationError",
    ),
    Case(
        "aws:autoscaling/schedule:Schedule",
        {
            "scheduledActionName": "night",
            "autoscalingGroupName": "{scaling}",
            "desiredCapacity": 0,
            "recurrence": "0 22 * * *",
        },
        "autoscalingGroupName",
        ("desiredCapacity", "none"),
        ("autoscalingGroupName", "nowhere"),
        "ValidationError",
    ),
    Case(
        "aws:cloudwatch/compositeAlarm:CompositeAlarm",
        {"alarmName": "any", "alarmRule": "ALARM(idle)"},
        "alarmRule",
        ("actionsEnabled", "yes"),
    ),
    Case(
        "aws:cloudwatch/eventRule:EventRule",
        {"eventPattern": '{"source": ["aws.ec2"]}'},
        "eventPattern",
        ("eventPattern", {"source": ["aws.ec2"]}),
    ),
    Case(
        "aws:cloudwatch/eventTarget:EventTarget",
        {"rule": "{rule}", "arn": "{topic}"},
        "arn",
        ("arn", ["a"]),
        ("rule", "nowhere"),
        "ResourceNotFoundException",
    ),
    Case(
        "aws:cloudwatch/logMetricFilter:LogMetricFilter",
        {
            "logGroupName": "{log_group}",
            "pattern": "Xid",
            "metricTransformation": {"name": "Xid", "namespace": "gpuinfra", "value": "1"},
        },
        "pattern",
        ("metricTransformation", {"name": "Xid", "namespace": "gpuinfra", "value": [1]}),
        ("logGroupName", "nowhere"),
        "ResourceNotFoundException",
    ),
    Case(
        "aws:ec2/fleet:Fleet",
        {
            "type": "instant",
            "terminateInstances": True,
            "launchTemplateConfigs": [
                {
                    "launchTemplateSpecification": {
                        "launchTemplateId": "{bootable}",
                        "version": "1",
                    },
                    "overrides": [{"subnetId": "{subnet}"}],
                }
            ],
            "targetCapacitySpecification": {
                "defaultTargetCapacityType": "on-demand",
                "totalTargetCapacity": 1,
            },
        },
        "launchTemplateConfigs",
        ("type", 1),
    ),
    Case(
        "aws:ec2/flowLog:FlowLog",
        {
            "vpcId": "{vpc}",
            "trafficType": "REJECT",
            "logDestinationType": "s3",
            "logDestination": "{copies_arn}",
        },
        "vpcId",
        ("maxAggregationInterval", "60 s"),
        ("vpcId", f"vpc-{NOWHERE}"),
        "InvalidVpcID.NotFound",
    ),
    Case(
        "aws:lambda/function:Function",
        {
            "role": "{role_arn}",
            "handler": "main.main",
            "runtime": "python3.12",
            "code": archive(),
        },
        "role",
        ("code", "main.py"),
        ("role", NO_ROLE),
        "InvalidParameterValueException",
    ),
    Case(
        "aws:lambda/permission:Permission",
        {
            "function": "{function}",
            "action": "lambda:InvokeFunction",
            "principal": "sns.amazonaws.com",
        },
        "principal",
        ("principal", [1]),
        ("function", "nowhere"),
        "ResourceNotFoundException",
    ),
    Case(
        "aws:scheduler/schedule:Schedule",
        {
            "scheduleExpression": "rate(1 hours)",
            "flexibleTimeWindow": {"mode": "OFF"},
            "target": {"arn": "{topic}", "roleArn": "{role_arn}"},
        },
        "scheduleExpression",
        ("flexibleTimeWindow", "OFF"),
        ("groupName", "nowhere"),
        "ResourceNotFoundException",
    ),
    Case(
        "aws:scheduler/scheduleGroup:ScheduleGroup",
        {"tags": {"team": "a"}},
        "",
        ("tags", ["a"]),
    ),
    Case(
        "aws:ssm/document:Document",
        {"documentType": "Command", "content": DOCUMENT},
        "content",
        ("documentType", "Script"),
    ),
)

SERVICES = (*STORES, *RIGHTS, *WATCHES)
MADE_FOR_THEM: dict[str, tuple[str, dict[str, Any]]] = {
    "versioned": ("aws:s3/bucket:Bucket", {"bucket": "town-versioned", "forceDestroy": True}),
    "copies": ("aws:s3/bucket:Bucket", {"bucket": "town-copies", "forceDestroy": True}),
    "logs": ("aws:s3/bucket:Bucket", {"bucket": "town-logs", "forceDestroy": True}),
    "images": ("aws:ecr/repository:Repository", {"name": "town/images"}),
    "key": ("aws:kms/key:Key", {}),
    "topic": ("aws:sns/topic:Topic", {}),
    "queue": ("aws:sqs/queue:Queue", {}),
    "rule": ("aws:cloudwatch/eventRule:EventRule", {"scheduleExpression": "rate(1 hour)"}),
    "log_group": ("aws:cloudwatch/logGroup:LogGroup", {}),
    "bootable": (
        "aws:ec2/launchTemplate:LaunchTemplate",
        {"instanceType": "g6.xlarge", "imageId": "ami-05a4db0000d122041"},
    ),
}
FOR_LOGS = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "logging.s3.amazonaws.com"},
                "Action": "s3:PutObject",
                "Resource": "arn:aws:s3:::town-logs/*",
            }
        ],
    }
)


def more_of_the_town(make: Any, role: str) -> dict[str, str]:
    """One of each thing that these types refer to."""
    ids = {name: make(token, **inputs)[0] for name, (token, inputs) in MADE_FOR_THEM.items()}
    for bucket in ("versioned", "copies"):
        make(
            "aws:s3/bucketVersioning:BucketVersioning",
            bucket=ids[bucket],
            versioningConfiguration={"status": "Enabled"},
        )
    make("aws:s3/bucketPolicy:BucketPolicy", bucket=ids["logs"], policy=FOR_LOGS)
    role_arn = f"arn:aws:iam::123456789012:role/{role}"
    function, _ = make(
        "aws:lambda/function:Function",
        role=role_arn,
        handler="main.main",
        runtime="python3.12",
        code=archive(),
    )
    copies_arn = f"arn:aws:s3:::{ids['copies']}"
    return {**ids, "function": function, "role_arn": role_arn, "copies_arn": copies_arn}
