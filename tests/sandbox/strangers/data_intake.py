"""A bucket that tells a queue and a topic about new files, with an alarm on the backlog."""

import json

import pulumi
import pulumi_aws as aws

config = pulumi.Config()
days = config.get_int("days") or 30

account = aws.get_caller_identity()
bucket = aws.s3.Bucket("intake", tags={"Owner": account.account_id})
aws.s3.BucketVersioning("intake", bucket=bucket.id, versioning_configuration={"status": "Enabled"})
aws.s3.BucketPublicAccessBlock(
    "intake",
    bucket=bucket.id,
    block_public_acls=True,
    block_public_policy=True,
    ignore_public_acls=True,
    restrict_public_buckets=True,
)
aws.s3.BucketLifecycleConfiguration(
    "intake",
    bucket=bucket.id,
    rules=[
        {
            "id": "expire",
            "status": "Enabled",
            "filter": {"prefix": "raw/"},
            "expiration": {"days": days},
        }
    ],
)
tls_only = aws.iam.get_policy_document_output(
    statements=[
        {
            "sid": "TlsOnly",
            "effect": "Deny",
            "actions": ["s3:*"],
            "resources": [bucket.arn, bucket.arn.apply(lambda arn: f"{arn}/*")],
            "principals": [{"type": "*", "identifiers": ["*"]}],
            "conditions": [
                {"test": "Bool", "variable": "aws:SecureTransport", "values": ["false"]}
            ],
        }
    ]
)
aws.s3.BucketPolicy("intake", bucket=bucket.id, policy=tls_only.json)
dead = aws.sqs.Queue("dead", message_retention_seconds=1209600)
queue = aws.sqs.Queue(
    "files",
    visibility_timeout_seconds=120,
    redrive_policy=dead.arn.apply(
        lambda arn: json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 4})
    ),
)
topic = aws.sns.Topic("alerts")
aws.cloudwatch.MetricAlarm(
    "backlog",
    comparison_operator="GreaterThanThreshold",
    evaluation_periods=2,
    metric_name="ApproximateNumberOfMessagesVisible",
    namespace="AWS/SQS",
    period=300,
    statistic="Maximum",
    threshold=100,
    dimensions={"QueueName": queue.name},
    alarm_actions=[topic.arn],
)
aws.cloudwatch.LogGroup("intake", retention_in_days=14)

pulumi.export("bucket", bucket.id)
pulumi.export("queue", queue.url)
