"""The plugin judges: an input missing, mistyped, misspelt, a reference broken, per type."""

import re
from dataclasses import dataclass
from typing import Any

import pytest

from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.wire import from_wire

SUBSCRIPTION = "00000000-1111-4222-8333-444444444444"
BASE = f"/subscriptions/{SUBSCRIPTION}"
TOWN = f"{BASE}/resourceGroups/town/providers"
NOBODY = f"{TOWN}/Microsoft.Network/networkSecurityGroups/nobody"
NO_SUBNET = f"{TOWN}/Microsoft.Network/virtualNetworks/net/subnets/nobody"
ROLE = f"{BASE}/providers/Microsoft.Authorization/roleDefinitions/{SUBSCRIPTION}"
KEY = {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA"}
LOGIN = {"adminUsername": "azureuser", "linuxConfiguration": {"ssh": {"publicKeys": [KEY]}}}
IMAGE = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "1.0.0"}
GROUP = {"resourceGroupName": "town"}
PERIOD = {"startDate": "2026-11-01T00:00:00Z"}
ACTION = [
    {
        "name": "tidy",
        "type": "Lifecycle",
        "enabled": True,
        "definition": {
            "actions": {"version": {"delete": {"daysAfterCreationGreaterThan": 30}}},
            "filters": {"blobTypes": ["blockBlob"]},
        },
    }
]


@dataclass(frozen=True)
class Case:
    """One type: inputs that stand, and how each kind of mistake is made.

    Attributes:
        inputs: values in braces are ids of the town.
        required: an input to leave out.
        mistyped: an input and a value of the wrong type.
        broken: an input and a reference to nothing.
        code: the refusal's code for the broken reference.
    """

    token: str
    inputs: dict[str, Any]
    required: str
    mistyped: tuple[str, Any]
    broken: tuple[str, Any] = ("resourceGroupName", "nobody")
    code: str = "ResourceGroupNotFound"


def criteria() -> dict[str, Any]:
    return {
        "odataType": "Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria",
        "allOf": [
            {
                "criterionType": "StaticThresholdCriterion",
                "metricName": "Percentage CPU",
                "name": "busy",
                "operator": "GreaterThan",
                "threshold": 80,
                "timeAggregation": "Average",
            }
        ],
    }


CASES = (
    Case(
        "authorization:RoleAssignment",
        {
            "principalId": "00000000-1111-4222-8333-666666666666",
            "principalType": "ServicePrincipal",
            "roleDefinitionId": ROLE,
            "scope": "{account}",
        },
        "principalId",
        ("scope", ["{account}"]),
        ("scope", f"{TOWN}/Microsoft.Storage/storageAccounts/nobody"),
        "ResourceNotFound",
    ),
    Case(
        "compute:CapacityReservation",
        {
            **GROUP,
            "capacityReservationGroupName": "crg",
            "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
        },
        "sku",
        ("sku", {"name": "Standard_ND96isr_H100_v5", "capacity": "2"}),
        ("capacityReservationGroupName", "nobody"),
        "ParentResourceNotFound",
    ),
    Case("compute:CapacityReservationGroup", {**GROUP}, "resourceGroupName", ("zones", "1")),
    Case(
        "compute:Disk",
        {**GROUP, "creationData": {"createOption": "Empty"}, "diskSizeGB": 128},
        "creationData",
        ("diskSizeGB", "128"),
    ),
    Case(
        "compute:ProximityPlacementGroup",
        {**GROUP},
        "resourceGroupName",
        ("intent", {"vmSizes": "Standard_NC4as_T4_v3"}),
    ),
    Case(
        "compute:VirtualMachine",
        {
            **GROUP,
            "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
            "networkProfile": {"networkInterfaces": [{"id": "{nic}"}]},
            "osProfile": {"computerName": "vm", **LOGIN},
            "storageProfile": {
                "imageReference": IMAGE,
                "osDisk": {"createOption": "FromImage"},
            },
        },
        "resourceGroupName",
        ("networkProfile", {"networkInterfaces": "{nic}"}),
        (
            "networkProfile",
            {"networkInterfaces": [{"id": f"{TOWN}/Microsoft.Network/networkInterfaces/x"}]},
        ),
        "InvalidResourceReference",
    ),
    Case(
        "compute:VirtualMachineScaleSet",
        {
            **GROUP,
            "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
            "singlePlacementGroup": True,
            "identity": {"type": "UserAssigned", "userAssignedIdentities": ["{identity}"]},
            "virtualMachineProfile": {
                "osProfile": {"computerNamePrefix": "node", **LOGIN},
                "networkProfile": {
                    "networkInterfaceConfigurations": [
                        {
                            "name": "nic",
                            "ipConfigurations": [{"name": "ip", "subnet": {"id": "{subnet}"}}],
                        }
                    ]
                },
            },
        },
        "resourceGroupName",
        ("overprovision", "no"),
        (
            "identity",
            {
                "type": "UserAssigned",
                "userAssignedIdentities": [
                    f"{TOWN}/Microsoft.ManagedIdentity/userAssignedIdentities/nobody"
                ],
            },
        ),
        "FailedIdentityOperation",
    ),
    Case(
        "compute:VirtualMachineScaleSetExtension",
        {
            **GROUP,
            "vmScaleSetName": "pool",
            "publisher": "Microsoft.ManagedServices",
            "type": "ApplicationHealthLinux",
            "typeHandlerVersion": "1.0",
            "settings": {"protocol": "http", "port": 8000},
        },
        "vmScaleSetName",
        ("suppressFailures", "true"),
        ("vmScaleSetName", "nobody"),
        "ParentResourceNotFound",
    ),
    *(
        Case(
            f"{module}:Budget",
            {
                "scope": f"{BASE}/resourceGroups/town",
                "amount": 100,
                "category": "Cost",
                "timeGrain": "Monthly",
                "timePeriod": PERIOD,
            },
            "category",
            ("amount", "100"),
            ("scope", f"{BASE}/resourceGroups/nobody"),
            "ResourceGroupNotFound",
        )
        for module in ("consumption", "costmanagement")
    ),
    Case(
        "containerservice:AgentPool",
        {**GROUP, "resourceName": "aks", "agentPoolName": "gpu", "vmSize": "Standard_NC4as_T4_v3"},
        "resourceName",
        ("count", "two"),
        ("vnetSubnetID", NO_SUBNET),
        "ResourceNotFound",
    ),
    Case(
        "containerservice:ManagedCluster",
        {**GROUP, "dnsPrefix": "town"},
        "resourceGroupName",
        ("enableRBAC", "yes"),
    ),
    Case(
        "costmanagement:Export",
        {
            "scope": f"{BASE}/resourceGroups/town",
            "definition": {"type": "Usage", "timeframe": "MonthToDate"},
            "deliveryInfo": {"destination": {"container": "exports", "resourceId": "{account}"}},
        },
        "definition",
        ("partitionData", "yes"),
        (
            "deliveryInfo",
            {
                "destination": {
                    "container": "x",
                    "resourceId": f"{TOWN}/Microsoft.Storage/storageAccounts/nobody",
                }
            },
        ),
        "ResourceNotFound",
    ),
    Case(
        "keyvault:Key",
        {**GROUP, "vaultName": "townvault", "properties": {"kty": "RSA", "keySize": 2048}},
        "properties",
        ("properties", {"keySize": "2048"}),
        ("vaultName", "nobody"),
        "ParentResourceNotFound",
    ),
    Case(
        "keyvault:Vault",
        {
            **GROUP,
            "properties": {
                "sku": {"family": "A", "name": "standard"},
                "tenantId": SUBSCRIPTION,
            },
        },
        "properties",
        ("properties", {"sku": {"family": "A", "name": "standard"}, "tenantId": 7}),
    ),
    Case("managedidentity:UserAssignedIdentity", {**GROUP}, "resourceGroupName", ("tags", ["a"])),
    Case(
        "monitor:ActionGroup",
        {**GROUP, "groupShortName": "ops", "location": "global", "enabled": True},
        "groupShortName",
        ("enabled", "true"),
    ),
    Case(
        "monitor:AutoscaleSetting",
        {
            **GROUP,
            "enabled": True,
            "targetResourceUri": "{set}",
            "profiles": [
                {
                    "name": "all day",
                    "capacity": {"minimum": "1", "default": "1", "maximum": "20"},
                    "rules": [],
                }
            ],
        },
        "profiles",
        (
            "profiles",
            [
                {
                    "name": "all day",
                    "capacity": {"minimum": 1, "default": "1", "maximum": "20"},
                    "rules": [],
                }
            ],
        ),
        ("targetResourceUri", f"{TOWN}/Microsoft.Compute/virtualMachineScaleSets/nobody"),
        "ResourceNotFound",
    ),
    Case(
        "monitor:MetricAlert",
        {
            **GROUP,
            "location": "global",
            "criteria": criteria(),
            "enabled": True,
            "evaluationFrequency": "PT1M",
            "scopes": ["{set}"],
            "severity": 3,
            "windowSize": "PT5M",
            "actions": [{"actionGroupId": "{actions}"}],
        },
        "criteria",
        ("severity", "high"),
        ("actions", [{"actionGroupId": f"{TOWN}/Microsoft.Insights/actionGroups/nobody"}]),
        "ResourceNotFound",
    ),
    Case(
        "network:LoadBalancer",
        {
            **GROUP,
            "sku": {"name": "Standard"},
            "frontendIPConfigurations": [{"name": "front", "subnet": {"id": "{subnet}"}}],
            "backendAddressPools": [{"name": "machines"}],
        },
        "resourceGroupName",
        ("backendAddressPools", {"name": "machines"}),
        ("frontendIPConfigurations", [{"name": "front", "subnet": {"id": NO_SUBNET}}]),
        "InvalidResourceReference",
    ),
    Case(
        "network:NatGateway",
        {**GROUP, "sku": {"name": "Standard"}, "publicIpAddresses": [{"id": "{address}"}]},
        "resourceGroupName",
        ("idleTimeoutInMinutes", "4"),
        ("publicIpAddresses", [{"id": f"{TOWN}/Microsoft.Network/publicIPAddresses/nobody"}]),
        "InvalidResourceReference",
    ),
    Case(
        "network:NetworkInterface",
        {
            **GROUP,
            "ipConfigurations": [{"name": "main", "subnet": {"id": "{subnet}"}}],
            "networkSecurityGroup": {"id": "{nsg}"},
        },
        "resourceGroupName",
        ("enableIPForwarding", "on"),
        ("networkSecurityGroup", {"id": NOBODY}),
        "InvalidResourceReference",
    ),
    Case(
        "network:NetworkSecurityGroup",
        {**GROUP, "securityRules": []},
        "resourceGroupName",
        ("securityRules", [{"name": "ssh", "priority": "100"}]),
    ),
    Case(
        "network:PrivateDnsZoneGroup",
        {
            **GROUP,
            "privateEndpointName": "pe",
            "privateDnsZoneConfigs": [{"name": "blob", "privateDnsZoneId": "{zone}"}],
        },
        "privateEndpointName",
        ("privateDnsZoneConfigs", "{zone}"),
        ("privateEndpointName", "nobody"),
        "ParentResourceNotFound",
    ),
    Case(
        "network:PrivateEndpoint",
        {
            **GROUP,
            "subnet": {"id": "{subnet}"},
            "privateLinkServiceConnections": [
                {"name": "blob", "privateLinkServiceId": "{account}", "groupIds": ["blob"]}
            ],
        },
        "resourceGroupName",
        ("subnet", "{subnet}"),
        ("subnet", {"id": NO_SUBNET}),
        "InvalidResourceReference",
    ),
    Case(
        "network:PublicIPAddress",
        {**GROUP, "publicIPAllocationMethod": "Static", "sku": {"name": "Standard"}},
        "resourceGroupName",
        ("zones", "1"),
    ),
    Case(
        "network:Subnet",
        {
            **GROUP,
            "virtualNetworkName": "net",
            "addressPrefix": "10.0.9.0/24",
            "natGateway": {"id": "{nat}"},
        },
        "virtualNetworkName",
        ("addressPrefix", 10),
        ("natGateway", {"id": f"{TOWN}/Microsoft.Network/natGateways/nobody"}),
        "InvalidResourceReference",
    ),
    Case(
        "network:VirtualNetwork",
        {**GROUP, "addressSpace": {"addressPrefixes": ["10.7.0.0/16"]}},
        "resourceGroupName",
        ("addressSpace", {"addressPrefixes": "10.7.0.0/16"}),
    ),
    Case(
        "privatedns:PrivateZone",
        {**GROUP, "privateZoneName": "queue.town.net", "location": "global"},
        "resourceGroupName",
        ("tags", "none"),
    ),
    Case(
        "privatedns:VirtualNetworkLink",
        {
            **GROUP,
            "privateZoneName": "blob.town.net",
            "location": "global",
            "registrationEnabled": False,
            "virtualNetwork": {"id": "{vnet}"},
        },
        "privateZoneName",
        ("registrationEnabled", "no"),
        ("virtualNetwork", {"id": f"{TOWN}/Microsoft.Network/virtualNetworks/nobody"}),
        "InvalidResourceReference",
    ),
    Case(
        "storage:BlobContainer",
        {**GROUP, "accountName": "townaccount"},
        "accountName",
        ("metadata", ["a"]),
        ("accountName", "nobody"),
        "ParentResourceNotFound",
    ),
    Case(
        "storage:BlobServiceProperties",
        {
            **GROUP,
            "accountName": "townaccount",
            "blobServicesName": "default",
            "isVersioningEnabled": True,
        },
        "accountName",
        ("isVersioningEnabled", "yes"),
        ("accountName", "nobody"),
        "ParentResourceNotFound",
    ),
    Case(
        "storage:ManagementPolicy",
        {
            **GROUP,
            "accountName": "townaccount",
            "managementPolicyName": "default",
            "policy": {"rules": ACTION},
        },
        "policy",
        ("policy", {"rules": {}}),
        ("accountName", "nobody"),
        "ParentResourceNotFound",
    ),
    Case(
        "storage:StorageAccount",
        {**GROUP, "kind": "StorageV2", "sku": {"name": "Standard_LRS"}},
        "kind",
        ("allowBlobPublicAccess", "no"),
    ),
    Case(
        "storagecache:AmlFilesystem",
        {
            **GROUP,
            "filesystemSubnet": "{subnet}",
            "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "02:00"},
            "storageCapacityTiB": 16,
            "sku": {"name": "AMLFS-Durable-Premium-125"},
            "zones": ["1"],
        },
        "maintenanceWindow",
        ("storageCapacityTiB", "16"),
        ("filesystemSubnet", NO_SUBNET),
        "ResourceNotFound",
    ),
)
GROUPLESS = (
    Case("resources:ResourceGroup", {"managedBy": "me"}, "", ("tags", ["a"])),
    Case(
        "costmanagement:ScheduledAction",
        {
            "displayName": "daily",
            "notification": {"to": ["a@example.com"], "subject": "costs"},
            "schedule": {
                "frequency": "Daily",
                "startDate": "2026-11-01T00:00:00Z",
                "endDate": "2027-11-01T00:00:00Z",
            },
            "status": "Enabled",
            "viewId": "/providers/Microsoft.CostManagement/views/daily",
        },
        "viewId",
        ("notification", "a@example.com"),
    ),
)
ALL = (*CASES, *GROUPLESS)


def name_of(case: Case) -> str:
    return case.token


def filled(value: Any, town: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: filled(item, town) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, town) for item in value]
    if isinstance(value, str) and value.startswith("{") and value[1:-1] in town:
        return town[value[1:-1]]
    return value


def whole(case: Case) -> str:
    return f"azure-native:{case.token}"


def test_every_type_of_the_tables_has_a_case() -> None:
    assert {whole(case) for case in ALL} == set(ids.tables().tokens)


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_good_inputs_stand_and_are_read_back_unchanged(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    token = whole(case)
    inputs, failures = azure.check(token, filled(case.inputs, town), name="good")
    assert not failures
    resource_id, outputs = azure.create(token, filled(case.inputs, town), name="good")
    try:
        answer = azure.read(token, resource_id, "good", outputs=outputs, inputs=inputs)
        again = azure.diff(token, inputs, from_wire(answer.inputs))

        assert answer.id == resource_id
        assert list(again.diffs) == []
    finally:
        azure.delete(token, resource_id, outputs)
    gone = azure.read(token, resource_id, "good", outputs=outputs, inputs=inputs)
    assert gone.id == ""


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_ids_and_computed_outputs_look_like_azures(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    token = whole(case)
    kind = ids.tables().type(token)
    assert kind is not None
    resource_id, outputs = azure.create(token, filled(case.inputs, town), name="good")
    azure.delete(token, resource_id, outputs)

    form = re.sub(r"<\w+>", "[^<>]+", kind.id_form)
    known = ids.parse(resource_id)
    expected = {
        "name": known.name if known else "",
        "type": ids.api_type(token),
        "azureApiVersion": ids.tables().raw[token]["api_version"],
        "provisioningState": "Succeeded",
    }
    assert re.fullmatch(form, resource_id)
    for key in expected.keys() & set(kind.computed):
        assert outputs[key] == expected[key], key
    for key in {"etag", "eTag", "vmId", "resourceGuid", "principalId", "clientId"} & set(
        kind.computed
    ):
        assert outputs[key], key


@pytest.mark.parametrize("case", [case for case in ALL if case.required], ids=name_of)
def test_a_missing_required_input_is_refused(case: Case, azure: Any, town: dict[str, str]) -> None:
    inputs = filled(case.inputs, town)
    del inputs[case.required]

    _, failures = azure.check(whole(case), inputs)

    assert failures[case.required].startswith("missing required")


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_a_mistyped_input_is_refused(case: Case, azure: Any, town: dict[str, str]) -> None:
    key, value = case.mistyped

    _, failures = azure.check(whole(case), filled({**case.inputs, key: value}, town))

    assert failures
    assert all(path.startswith(key) for path in failures)
    assert any("expected" in reason for reason in failures.values())


@pytest.mark.parametrize("case", ALL, ids=name_of)
def test_an_unknown_input_is_refused_with_the_word_meant(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    key = next(iter(case.inputs))

    _, failures = azure.check(whole(case), filled({**case.inputs, f"{key}x": 1}, town))

    assert failures == {f"{key}x": f"unknown property '{key}x'; did you mean '{key}'? (sandbox)"}


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_broken_reference_is_refused_in_azures_words(
    case: Case, azure: Any, town: dict[str, str]
) -> None:
    key, value = case.broken

    refusal = azure.refusal(whole(case), filled({**case.inputs, key: value}, town))

    assert refusal.startswith(f"{case.code}: ")
    assert refusal.endswith("(sandbox)")


@pytest.mark.parametrize(
    "token", [token for token in ids.tables().tokens if ids.tables().raw[token]["inputs"]]
)
def test_a_value_outside_a_closed_list_is_refused_where_the_sdk_has_one(
    token: str, azure: Any
) -> None:
    kind = ids.tables().type(token)
    assert kind is not None
    closed = [key for key, prop in kind.inputs.items() if prop.enum and not prop.open]

    for key in closed:
        _, failures = azure.check(token, {key: "neither"})
        assert "is not one of" in failures[key]
