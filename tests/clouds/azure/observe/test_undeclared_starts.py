"""What an action group of Azure Monitor starts is no resource, so the budget rules refuse it."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

RUNBOOK = {"name": "r", "automationAccountId": "a", "isGlobalRunbook": False}


@both
@pytest.mark.parametrize("kind", ["insights:ActionGroup", "monitor/v20230101:ActionGroup"])
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({}, "fine"),
        ({"emailReceivers": [{"name": "ops", "emailAddress": "ops@example.com"}]}, "fine"),
        ({"eventHubReceivers": [{"name": "h"}]}, "fine"),
        ({"azureFunctionReceivers": [{"name": "f"}]}, ""),
        ({"azureFunctionReceivers": [{"name": "f", "functionAppResourceId": "/s/f"}]}, ""),
        ({"azureFunctionReceivers": UNKNOWN}, ""),
        ({"webhookReceivers": [{"serviceUri": "https://hooks.slack.com/services/T/B/x"}]}, "fine"),
        (
            {
                "webhookReceivers": [
                    {"serviceUri": "https://hooks.slack.com/services/T/B/x"},
                    {"serviceUri": "https://example.com/hook"},
                ]
            },
            "fine",
        ),
        (
            {
                "webhookReceivers": [
                    {"serviceUri": "https://example.com/hook", "useAadAuth": True},
                ]
            },
            "",
        ),
        ({"webhookReceivers": [{"serviceUri": UNKNOWN}]}, ""),
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


APP = "azure-native:web:WebApp"
GRANT = "azure-native:authorization:RoleAssignment"
ROLES = {
    "Contributor": "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Reader": "acdd72a7-3385-48ef-bd42-f606fba81ae7",
    "Logic App Contributor": "87a39d53-fc1b-424a-814c-f7e04687dc9e",
    "Logic App Operator": "515c2055-d9d4-4321-b1b9-bd0c9a0f79fe",
}
CUSTOM = {
    "scales": ["Microsoft.Compute/virtualMachineScaleSets/*"],
    "stops": ["Microsoft.Compute/virtualMachines/deallocate/action"],
    "makes Spark pools": ["Microsoft.Synapse/workspaces/bigDataPools/*"],
    "reads pools": ["Microsoft.Synapse/workspaces/*/read"],
    "makes containers": ["Microsoft.ContainerInstance/containerGroups/write"],
    "runs workflows": ["Microsoft.Logic/workflows/triggers/run/action"],
}


roles = pytest.mark.parametrize(
    ("role", "starts"),
    [
        ("Logic App Contributor", True),
        ("Logic App Operator", False),
        ("makes Spark pools", True),
        ("reads pools", False),
        ("makes containers", True),
        ("runs workflows", True),
        (None, False),
        ("Contributor", True),
        ("Reader", False),
        ("scales", True),
        ("stops", False),
        ("elsewhere", True),
    ],
)


def give(program, role, holder):
    """Give a role to the identity of a resource, or none."""
    if role in CUSTOM:
        own = program.add(
            "azure-native:authorization:RoleDefinition",
            "own",
            roleName="own",
            permissions=[{"actions": CUSTOM[role]}],
        )
        given = own.id
    else:
        number = ROLES.get(role, "99999999-0000-0000-0000-000000000000")
        given = f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{number}"
    if role is not None:
        program.add(
            GRANT,
            "grant",
            principalId=holder.out("identity.principalId"),
            roleDefinitionId=given,
            scope=f"{SUBSCRIPTION}/resourceGroups/rg",
        )


def unpriced(program, moment):
    found = findings(of_resources(program.resources(moment)), "price-unknown")
    return [finding.message for finding in found]


@both
@roles
def test_a_function_of_the_stack_starts_what_its_identity_may(moment, role, starts):
    program = AzureProgram()
    app = program.add(APP, "app", identity={"type": "SystemAssigned"}, kind="functionapp")
    give(program, role, app)
    program.add(
        "azure-native:monitor:ActionGroup",
        "ops",
        azureFunctionReceivers=[{"name": "f", "functionAppResourceId": app.id}],
    )
    told = unpriced(program, moment)
    assert any("a function whose identity may start them" in text for text in told) is starts


@both
@roles
@pytest.mark.parametrize("kind", [APP, "azure-native:app:ContainerApp"])
def test_the_code_of_an_app_starts_what_its_identity_may(moment, kind, role, starts):
    program = AzureProgram()
    give(program, role, program.add(kind, "app", identity={"type": "SystemAssigned"}))
    told = unpriced(program, moment)
    assert (
        any("may start machines that" in text or "which may start" in text for text in told)
        is starts
    )


POLICY = "azure-native:authorization/v20250301:PolicyAssignment"


@both
@roles
def test_a_policy_deploys_what_the_identity_of_its_assignment_may(moment, role, starts):
    program = AzureProgram()
    given = {"scope": f"{SUBSCRIPTION}/resourceGroups/rg", "policyDefinitionId": "p"}
    policy = program.add(POLICY, "deploys", identity={"type": "SystemAssigned"}, **given)
    give(program, role, policy)
    told = unpriced(program, moment)
    assert any("an identity that may start machines" in text for text in told) is starts


@both
@pytest.mark.parametrize(
    ("identity", "starts"),
    [
        (None, False),
        ({"type": "None"}, False),
        ({"type": "UserAssigned", "userAssignedIdentities": [f"{SUBSCRIPTION}/elsewhere"]}, True),
        (UNKNOWN, True),
    ],
)
def test_a_policy_without_an_identity_deploys_nothing(moment, identity, starts):
    program = AzureProgram()
    program.add(POLICY, "denies", policyDefinitionId="p", identity=identity)
    told = unpriced(program, moment)
    assert any("an identity that may start machines" in text for text in told) is starts


EVENTS = "azure-native:eventgrid:EventSubscription"
OF_A_TOPIC = "azure-native:eventgrid:SystemTopicEventSubscription"


@pytest.mark.parametrize(
    ("inputs", "starts"),
    [
        ({"destination": {"endpointType": "StorageQueue", "queueName": "q"}}, False),
        ({"destination": {"endpointType": "EventHub"}}, False),
        ({"destination": {"endpointType": "WebHook", "endpointUrl": "https://a.example"}}, False),
        ({"destination": {"endpointType": "WebHook", "endpointUrl": UNKNOWN}}, True),
        (
            {
                "destination": {
                    "endpointType": "WebHook",
                    "endpointUrl": "https://x.webhook.eus.azure-automation.net/webhooks?token=t",
                }
            },
            True,
        ),
        ({"destination": {"endpointType": "AzureFunction"}}, True),
        ({"destination": {"endpointType": UNKNOWN}}, True),
        ({"destination": UNKNOWN}, True),
        (
            {"deliveryWithResourceIdentity": {"destination": {"endpointType": "AzureFunction"}}},
            True,
        ),
    ],
)
@pytest.mark.parametrize("token", [EVENTS, OF_A_TOPIC])
def test_events_start_machines_where_they_may_run_something(token, inputs, starts):
    program = AzureProgram()
    own = program.add(token, "events", **inputs)
    rows = of_resources(program.resources()).not_judged
    assert [row.may_start_machines for row in rows if row.subject == own.urn] == [starts]


@pytest.mark.parametrize(
    ("tier", "billed"), [("Free", False), ("Standard", True), (UNKNOWN, True)]
)
def test_a_free_plan_of_defender_costs_nothing(tier, billed):
    program = AzureProgram()
    program.add("azure-native:security:Pricing", "plan", pricingTier=tier)
    (row,) = of_resources(program.resources()).not_judged
    assert row.may_start_machines is billed
