"""Requests that resources send: the same target has the same verdict on every cloud."""

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import of_resources

PUSH = "gcp:pubsub/subscription:Subscription"
CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"
UPTIME = "gcp:monitoring/uptimeCheckConfig:UptimeCheckConfig"
IMAGES = "azure-native:containerregistry:Webhook"
PROBE = "azure-native:applicationinsights:WebTest"
PLAYBOOK = "azure-native:securityinsights:Action"
SHUTDOWN = "azure-native:devtestlab:GlobalSchedule"
SCALING = "azure-native:monitor:AutoscaleSetting"
TOPIC = "aws:sns/topicSubscription:TopicSubscription"
STREAM = "aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream"
SCHEDULE = "gcp:cloudscheduler/job:Job"
QUEUE = "gcp:cloudtasks/queue:Queue"
REPOSITORY = "github:index/repositoryWebhook:RepositoryWebhook"
ORGANIZATION = "github:index/organizationWebhook:OrganizationWebhook"
LOGS = "datadog:index/logsCustomDestination:LogsCustomDestination"
OF_NO_CLOUD = [
    (REPOSITORY, lambda url: {"events": ["push"], "configuration": {"url": url}}),
    (ORGANIZATION, lambda url: {"events": ["push"], "configuration": {"url": url}}),
    (LOGS, lambda url: {"enabled": True, "httpDestination": {"endpoint": url}}),
]
HOOKS = [
    (SCHEDULE, lambda url: {"schedule": "0 3 * * *", "httpTarget": {"uri": url}}),
    (QUEUE, lambda url: {"httpTarget": {"uriOverride": {"host": url}}}),
    (PUSH, lambda url: {"pushConfig": {"pushEndpoint": url}}),
    (CHANNEL, lambda url: {"type": "webhook_tokenauth", "labels": {"url": url}}),
    (IMAGES, lambda url: {"serviceUri": url, "status": "enabled"}),
    (PROBE, lambda url: {"request": {"requestUrl": url, "httpVerb": "POST"}}),
    (SHUTDOWN, lambda url: {"notificationSettings": {"status": "Enabled", "webhookUrl": url}}),
    (SCALING, lambda url: {"notifications": [{"webhooks": [{"serviceUri": url}]}]}),
    (TOPIC, lambda url: {"protocol": "https", "endpoint": url}),
    (STREAM, lambda url: {"destination": "http", "httpEndpointConfiguration": {"url": url}}),
    *OF_NO_CLOUD,
]


def verdict(token, inputs, *others, **relations):
    own = Resource(urn="own", type=token, name="own", inputs=inputs, relations=relations)
    plan = of_resources([*others, own])
    reasons = [row.reason for row in plan.not_judged if row.subject == "own"]
    if any("may start machines" in reason for reason in reasons):
        return "starts"
    return "unknown" if [row for row in plan.undecided if row.subject == "own"] else "fine"


@pytest.mark.parametrize(("token", "inputs"), HOOKS)
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x.webhook.eus.azure-automation.net/webhooks?token=a", "starts"),
        ("https://us-central1-it.cloudfunctions.net/start", "starts"),
        ("https://api.github.com/repos/me/it/dispatches", "starts"),
        ("https://hooks.slack.com/services/T0/B0/abc", "fine"),
        ("https://alerts.example.com/hook", "fine"),
        (UNKNOWN, "unknown"),
    ],
)
def test_a_webhook_starts_what_its_address_runs(token, inputs, url, expected):
    assert verdict(token, inputs(url)) == expected


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (
            PUSH,
            {"pushConfig": {"pushEndpoint": "https://a.example.com", "oidcToken": {}}},
            "starts",
        ),
        (PUSH, {"topic": "t"}, "fine"),
        (CHANNEL, {"type": "email", "labels": {"email_address": "a@example.com"}}, "fine"),
        (IMAGES, {"serviceUri": "https://x.azure-automation.net/a", "status": "disabled"}, "fine"),
        (SCHEDULE, {"pubsubTarget": {"topicName": UNKNOWN}}, "fine"),
        (SCHEDULE, {"appEngineHttpTarget": {"relativeUri": "/train"}}, "starts"),
        (
            SCHEDULE,
            {"httpTarget": {"uri": "https://a.example.com", "oidcToken": {}}},
            "starts",
        ),
        (
            SCHEDULE,
            {"httpTarget": {"uri": "https://a.run.app"}, "paused": True},
            "fine",
        ),
        (QUEUE, {"rateLimits": {"maxDispatchesPerSecond": 5}}, "fine"),
        (QUEUE, {"httpTarget": {"oauthToken": {"serviceAccountEmail": "a"}}}, "starts"),
        (QUEUE, {"httpTarget": {"httpMethod": "POST"}}, "fine"),
        (SCHEDULE, {"httpTarget": {"uri": "https://a.example.com/x\\y"}}, "fine"),
        (SCHEDULE, {"httpTarget": {"uri": "https://a.run.app\\@example.com/"}}, "starts"),
        (PLAYBOOK, {"logicAppResourceId": "/subscriptions/s/w"}, "starts"),
        (TOPIC, {"protocol": "sqs", "endpoint": UNKNOWN}, "fine"),
        (STREAM, {"destination": "extended_s3"}, "fine"),
        (PROBE, {"configuration": {"webTest": '<Request Url="https://a.run.app/" />'}}, "fine"),
        (
            PROBE,
            {"configuration": {"webTest": '<Request Method="POST" Url="https://a.run.app/" />'}},
            "starts",
        ),
    ],
)
def test_what_a_caller_says_besides_its_address_counts(token, inputs, expected):
    assert verdict(token, inputs) == expected


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ({}, "fine"),
        ({"requestMethod": "GET"}, "fine"),
        ({"requestMethod": "POST"}, "starts"),
        ({"serviceAgentAuthentication": {"type": "OIDC_TOKEN"}}, "starts"),
    ],
)
def test_a_probe_that_only_asks_starts_nothing(check, expected):
    where = {"type": "uptime_url", "labels": {"host": "a-uc.a.run.app"}}
    assert verdict(UPTIME, {"monitoredResource": where, "httpCheck": check}) == expected


def test_what_answers_in_the_stack_is_judged_where_it_is_declared():
    run = "gcp:cloudrunv2/service:Service"
    service = Resource(urn="run", type=run, name="run", inputs={})
    inputs = {"pushConfig": {"pushEndpoint": UNKNOWN, "oidcToken": {"serviceAccountEmail": "a"}}}
    assert verdict(PUSH, inputs, service, pushConfig=("run",)) == "fine"
    assert verdict(PUSH, inputs) == "unknown"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://compute.googleapis.com/compute/v1/projects/p/zones/z/instances", "starts"),
        ("https://api.github.com/repos/me/it/dispatches", "starts"),
        ("https://x-uc.a.run.app/start", "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_no_resource_of_the_stack_is_an_api_of_a_cloud(url, expected):
    kind = "gcp:storage/bucket:Bucket"
    bucket = Resource(urn="bucket", type=kind, name="bucket", inputs={})
    inputs = {"httpTarget": {"uri": url, "body": UNKNOWN, "oauthToken": {}}}
    assert verdict(SCHEDULE, inputs, bucket, httpTarget=("bucket",)) == expected


@pytest.mark.parametrize(("token", "inputs"), OF_NO_CLOUD)
@pytest.mark.parametrize(
    "beside",
    [
        "aws:s3/bucket:Bucket",
        "gcp:storage/bucket:Bucket",
        "azure-native:resources:ResourceGroup",
    ],
)
def test_each_cloud_says_the_same_of_what_a_webhook_of_no_cloud_starts(token, inputs, beside):
    other = Resource(urn="other", type=beside, name="other", inputs={})
    url = "https://api.pulumi.com/api/stacks/me/it/dev/deployments"
    assert verdict(token, inputs(url), other) == "starts"
    assert verdict(token, inputs("https://ci.example.com/hook"), other) == "fine"
    off = {**inputs(url), "active": False, "enabled": False}
    assert verdict(token, off, other) == "fine"
