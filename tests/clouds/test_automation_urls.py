"""Addresses of automation are told by host and path; callers are those of the rooms."""

import json

import pytest

from gpuinfra.clouds import automation_urls, cloud_of
from gpuinfra.clouds.aws.observe.observers import CALLERS
from gpuinfra.clouds.azure.observe import resource_types as azure
from gpuinfra.clouds.gcp.observe import resource_types as gcp
from gpuinfra.clouds.observing.type_tokens import CALLS_OUT


@pytest.mark.parametrize(
    ("url", "runs"),
    [
        ("https://x.webhook.eus.azure-automation.net/webhooks?token=a", True),
        ("https://X.WEBHOOK.eus.Azure-Automation.NET.:443/webhooks", True),
        ("https://user@x.azure-automation.net/webhooks", True),
        ("https://x.azure%2Dautomation.net/webhooks", True),
        ("us-central1-it.cloudfunctions.net", True),
        ("http://a-uc.a.run.app/x", True),
        ("https://abc.lambda-url.us-east-1.on.aws/", True),
        ("https://abc.execute-api.us-east-1.amazonaws.com/prod", True),
        ("https://api.github.com/repos/me/it/dispatches", True),
        ("https://hooks.slack.com/triggers/T0/1/abc", True),
        ("https://hooks.slack.com/services/../triggers/T0/1/abc", True),
        ("https://hooks.slack.com/services/%2e%2e/triggers/T0/1/abc", True),
        ("https://[", True),
        ("https://hooks.slack.com/services/T0/B0/abc", False),
        ("https://events.pagerduty.com/v2/enqueue", False),
        ("https://azure-automation.net.example.com/hook", False),
        ("https://example.com/?to=x.cloudfunctions.net", False),
        ("https://my.elb.us-east-1.amazonaws.com/", False),
        ("", False),
    ],
)
def test_an_address_of_automation_runs_it(url, runs):
    assert bool(automation_urls.runs(url)) is runs


def test_the_callers_of_each_cloud_are_read():
    own = set(automation_urls.callers())
    other = {kind for kind in own if cloud_of(kind) is None}
    assert other == CALLS_OUT
    assert {kind for kind in own if kind.startswith("gcp:")} | other == gcp.CALLS_OUT
    assert {kind for kind in own if kind.startswith("azure-native:")} | other == azure.CALLS_OUT
    assert {kind for kind in own if kind.startswith("aws:")} | other <= set(CALLERS)


def test_each_row_has_a_host_and_a_source():
    table = json.loads(automation_urls.TABLE_PATH.read_text("utf-8"))
    for row in (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"]):
        assert row["host"] == row["host"].lower()
        assert row["source"].startswith("https://")
