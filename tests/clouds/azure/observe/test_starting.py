"""What an action group of Azure Monitor starts is no resource, so the budget rules refuse it."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program

both = pytest.mark.parametrize("moment", ["preview", "created"])
RUNBOOK = {"name": "r", "automationAccountId": "a", "isGlobalRunbook": False}


@both
@pytest.mark.parametrize("kind", ["insights:ActionGroup", "monitor/v20230101:ActionGroup"])
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({}, "fine"),
        ({"emailReceivers": [{"name": "ops", "emailAddress": "ops@example.com"}]}, "fine"),
        (
            {"azureFunctionReceivers": [{"name": "f"}], "eventHubReceivers": [{"name": "h"}]},
            "fine",
        ),
        ({"webhookReceivers": []}, "fine"),
        ({"webhookReceivers": [{"serviceUri": "https://s1events.azure-automation.net/a"}]}, ""),
        ({"webhookReceivers": UNKNOWN}, ""),
        ({"automationRunbookReceivers": [RUNBOOK]}, ""),
        ({"automationRunbookReceivers": [RUNBOOK], "enabled": False}, "fine"),
        ({"automationRunbookReceivers": [RUNBOOK], "enabled": UNKNOWN}, ""),
        ({"logicAppReceivers": [{"name": "l", "resourceId": "/s/l"}]}, ""),
        ({"itsmReceivers": [{"name": "i"}]}, ""),
        ({"incidentReceivers": [{"name": "i"}]}, ""),
    ],
)
def test_an_action_group_that_runs_what_is_elsewhere_is_refused(moment, kind, inputs, outcome):
    program = Program()
    program.add(f"azure-native:{kind}", "ops", **inputs)
    (finding,) = findings(of_resources(program.resources(moment)), "price-unknown")
    assert finding.outcome == (outcome or "violated")
    assert ("may start machines" in finding.message) is (not outcome)
