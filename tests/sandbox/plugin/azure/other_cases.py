"""The cases of Azure's grants, costs, keys, alarms and storage, and of what is in no group."""

from typing import Any

from tests.sandbox.plugin.azure.cases import (
    ACTION,
    BASE,
    GROUP,
    NO_SUBNET,
    PERIOD,
    ROLE,
    SUBSCRIPTION,
    TOWN,
    Case,
)


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


OTHERS = (
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
        ("scope", f"{TOWN}/Microsoft.Storage/storageAccounts/absent"),
        "ResourceNotFound",
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
            ("scope", f"{BASE}/resourceGroups/absent"),
            "ResourceGroupNotFound",
        )
        for module in ("consumption", "costmanagement")
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
                    "resourceId": f"{TOWN}/Microsoft.Storage/storageAccounts/absent",
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
        ("vaultName", "absent"),
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
        ("targetResourceUri", f"{TOWN}/Microsoft.Compute/virtualMachineScaleSets/absent"),
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
        ("actions", [{"actionGroupId": f"{TOWN}/Microsoft.Insights/actionGroups/absent"}]),
        "ResourceNotFound",
    ),
    Case(
        "storage:BlobContainer",
        {**GROUP, "accountName": "townaccount"},
        "accountName",
        ("metadata", ["a"]),
        ("accountName", "absent"),
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
        ("accountName", "absent"),
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
        ("accountName", "absent"),
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
