"""Webhooks of notification services are told by scheme, host and path, and by nothing less."""

import json

import pytest

from gpuinfra.clouds.webhooks import TABLE_PATH, only_tells
from gpuinfra.model import UNKNOWN


@pytest.mark.parametrize(
    ("url", "tells"),
    [
        ("https://hooks.slack.com/services/T0/B0/abc", True),
        ("https://HOOKS.slack.com:443/services/T0/B0/abc", True),
        ("https://events.pagerduty.com/integration/abc/enqueue", True),
        ("https://events.pagerduty.com/v2/enqueue", True),
        ("https://api.eu.opsgenie.com/v1/json/azure?apiKey=abc", True),
        ("https://team.webhook.office.com/webhookb2/a@b/IncomingWebhook/c/d", True),
        ("http://hooks.slack.com/services/T0/B0/abc", False),
        ("https://hooks.slack.com/triggers/T0/1/abc", False),
        ("https://hooks.slack.com/services/../triggers/T0/1/abc", False),
        ("https://hooks.slack.com/services/%2e%2e/triggers/T0/1/abc", False),
        ("https://hooks.slack.com.example.com/services/T0/B0/abc", False),
        ("https://hooks.slack.com:8443/services/T0/B0/abc", False),
        ("https://hooks.slack.com@example.com/services/T0/B0/abc", False),
        ("https://evilwebhook.office.com/webhookb2/a", False),
        ("https://prod-1.westus.logic.azure.com/workflows/a/triggers/manual", False),
        ("https://api.github.com/repos/me/it/dispatches", False),
        ("https://s1events.azure-automation.net/webhooks?token=a", False),
        ("https://[", False),
        ("", False),
        (None, False),
        (UNKNOWN, False),
    ],
)
def test_a_webhook_that_only_tells_people(url, tells):
    assert only_tells(url) is tells


def test_each_row_has_a_host_a_path_and_a_source():
    table = json.loads(TABLE_PATH.read_text("utf-8"))
    assert table["as_of"]
    for row in (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"]):
        assert row["path"].startswith("/")
        assert row["path"] != "/"
        assert row["source"].startswith("https://")
        assert row["host"] == row["host"].lower()
