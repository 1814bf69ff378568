"""The lives of what watches and tells: budgets, logs, alarms, dashboards, topics, queues."""

from tests.sandbox.aws.cases import ARN, NEW_TAGS, TAGS, Case

WATCHING = [
    Case(
        "aws:budgets/budget:Budget",
        r"\d{12}:monthly",
        lambda stage: {
            "name": "monthly",
            "budgetType": "COST",
            "timeUnit": "MONTHLY",
            "limitAmount": "1000.0",
            "limitUnit": "USD",
            "timePeriodStart": "2026-07-01_00:00",
            "costFilters": [{"name": "TagKeyValue", "values": ["user:stack$demo"]}],
            "notifications": [
                {
                    "comparisonOperator": "GREATER_THAN",
                    "notificationType": kind,
                    "threshold": threshold,
                    "thresholdType": "PERCENTAGE",
                    "subscriberEmailAddresses": ["ml@example.com"],
                }
                for kind, threshold in (("ACTUAL", 80), ("FORECASTED", 100))
            ],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("budgets").delete_notification(
            AccountId=outputs["accountId"],
            BudgetName="monthly",
            Notification={
                "NotificationType": "ACTUAL",
                "ComparisonOperator": "GREATER_THAN",
                "Threshold": 80,
                "ThresholdType": "PERCENTAGE",
            },
        ),
        "notifications",
        lambda stage: {"limitAmount": "2000", "notifications": None},
        frozenset({"tags", "notifications"}),
    ),
    Case(
        "aws:cloudwatch/logGroup:LogGroup",
        "/demo/nodes",
        lambda stage: {"name": "/demo/nodes", "retentionInDays": 30, "tags": TAGS},
        lambda client, it, outputs: client("logs").delete_retention_policy(logGroupName=it),
        "retentionInDays",
        lambda stage: {"retentionInDays": 7, "tags": NEW_TAGS},
    ),
    Case(
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        "idle",
        lambda stage: {
            "name": "idle",
            "alarmDescription": "the machines are idle",
            "metricName": "CPUUtilization",
            "namespace": "AWS/EC2",
            "statistic": "Average",
            "period": 300,
            "evaluationPeriods": 2,
            "threshold": 5,
            "comparisonOperator": "LessThanThreshold",
            "dimensions": {"AutoScalingGroupName": "stage"},
            "alarmActions": [stage.topic],
            "treatMissingData": "notBreaching",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("cloudwatch").put_metric_alarm(
            AlarmName=it,
            MetricName="CPUUtilization",
            Namespace="AWS/EC2",
            Statistic="Average",
            Period=300,
            EvaluationPeriods=2,
            Threshold=50,
            ComparisonOperator="LessThanThreshold",
        ),
        "threshold",
        lambda stage: {"threshold": 7.5, "alarmActions": None, "tags": NEW_TAGS},
    ),
    Case(
        "aws:cloudwatch/dashboard:Dashboard",
        "gpus",
        lambda stage: {"dashboardName": "gpus", "dashboardBody": '{"widgets": [ ]}'},
        lambda client, it, outputs: client("cloudwatch").delete_dashboards(DashboardNames=[it]),
        "",
        lambda stage: {"dashboardBody": '{"widgets":[{"type":"text"}]}'},
    ),
    Case(
        "aws:sns/topic:Topic",
        f"{ARN}sns:us-east-1:\\d+:alerts",
        lambda stage: {"name": "alerts", "displayName": "GPU alerts", "tags": TAGS},
        lambda client, it, outputs: client("sns").set_topic_attributes(
            TopicArn=it, AttributeName="DisplayName", AttributeValue="by hand"
        ),
        "displayName",
        lambda stage: {"displayName": "Alerts", "tags": NEW_TAGS},
    ),
    Case(
        "aws:sns/topicSubscription:TopicSubscription",
        f"{ARN}sns:us-east-1:\\d+:stage:[0-9a-f-]+",
        lambda stage: {"topic": stage.topic, "protocol": "email", "endpoint": "ml@example.com"},
        lambda client, it, outputs: client("sns").unsubscribe(SubscriptionArn=it),
        "",
        lambda stage: {"rawMessageDelivery": True},
    ),
    Case(
        "aws:sqs/queue:Queue",
        r"https?://.*/\d+/jobs",
        lambda stage: {
            "name": "jobs",
            "delaySeconds": 3,
            "visibilityTimeoutSeconds": 60,
            "sqsManagedSseEnabled": True,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("sqs").set_queue_attributes(
            QueueUrl=it, Attributes={"DelaySeconds": "9"}
        ),
        "delaySeconds",
        lambda stage: {"visibilityTimeoutSeconds": 90, "tags": NEW_TAGS},
    ),
]
