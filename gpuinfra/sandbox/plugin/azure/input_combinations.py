"""The combinations of inputs that Azure requires or forbids, beyond the types' tables.

All of it can be read off one resource's inputs, so `Check` already refuses it; Azure itself says
it at the create, with the code that the message begins with. Unknown values are let through.
"""

import re
from collections.abc import Iterator

from gpuinfra.sandbox.plugin.azure import ids, machine_needs, network_needs, set_needs
from gpuinfra.sandbox.plugin.azure.input_requirement import (
    InputRequirements,
    failure_of,
    items_at,
    value_at,
)
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_validation import Failure

_NIC = ("network:NetworkInterface",)
_ADDRESS = ("network:PublicIPAddress",)
_SUBNET = ("network:Subnet",)
_ROLE = ("authorization:RoleAssignment",)
_BUDGETS = ("consumption:Budget", "costmanagement:Budget")
_AUTOSCALE = ("monitor:AutoscaleSetting",)
_ACTIONS = ("monitor:ActionGroup",)
_LUSTRE = ("storagecache:AmlFilesystem",)
_POOLS = ("containerservice:AgentPool",)

_GUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_PLACEHOLDER = re.compile(r"<[a-z]+>")
"""The placeholder of an unknown id in a preview: `<preview>`."""
_MOST_NOTIFICATIONS = 5
_MOST_PERCENT = 1000
_LONGEST_SHORT_NAME = 12
_BUDGET_API = "https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update"

REQUIREMENTS = InputRequirements(
    [*machine_needs.REQUIREMENTS, *set_needs.REQUIREMENTS, *network_needs.REQUIREMENTS]
)


def problems(token: str, inputs: Inputs) -> list[Failure]:
    """Return the problems of the combined inputs; each message names its source."""
    short = token.removeprefix(f"{ids.PACKAGE}:")
    return [
        Failure(failure.path, f"{failure.reason} [{requirement.source}]")
        for requirement in REQUIREMENTS
        if short in requirement.types
        for failure in requirement.check(inputs)
    ]


@REQUIREMENTS.register(
    _NIC, "https://learn.microsoft.com/azure/virtual-network/virtual-network-network-interface"
)
def _ip_configuration_failures(inputs: Inputs) -> Iterator[Failure]:
    if value_at(inputs, "ipConfigurations") in (None, []):
        yield Failure("ipConfigurations", "a network interface needs an IP configuration")


@REQUIREMENTS.register(_ADDRESS, "https://github.com/pulumi/pulumi-azure-native/issues/1597")
def _static_address_failures(inputs: Inputs) -> Iterator[Failure]:
    is_standard = value_at(inputs, "sku.name") == "Standard"
    if is_standard and value_at(inputs, "publicIPAllocationMethod") in (None, "Dynamic"):
        yield failure_of(
            "publicIPAllocationMethod",
            "StandardSkuPublicIPAddressesMustBeStatic",
            "Standard sku publicIp must have AllocationMethod set to Static.",
        )


@REQUIREMENTS.register(_SUBNET, "https://learn.microsoft.com/rest/api/virtualnetwork/subnets")
def _subnet_range_failures(inputs: Inputs) -> Iterator[Failure]:
    range_keys = ("addressPrefix", "addressPrefixes", "ipamPoolPrefixAllocations")
    if sum(bool(inputs.get(key)) for key in range_keys) != 1:
        yield Failure("addressPrefix", f"set exactly one of {', '.join(range_keys)}")


@REQUIREMENTS.register(
    _ROLE, "https://learn.microsoft.com/azure/role-based-access-control/troubleshooting"
)
def _principal_id_failures(inputs: Inputs) -> Iterator[Failure]:
    principal = value_at(inputs, "principalId")
    if isinstance(principal, str) and not (
        _GUID.fullmatch(principal) or _PLACEHOLDER.fullmatch(principal)
    ):
        yield failure_of(
            "principalId",
            "InvalidPrincipalId",
            "A valid principal ID must be provided for role assignment: the id of the principal's "
            f"object in the directory, a GUID, not '{principal}'.",
        )


@REQUIREMENTS.register(
    _ROLE, "https://learn.microsoft.com/azure/role-based-access-control/troubleshooting"
)
def _role_id_failures(inputs: Inputs) -> Iterator[Failure]:
    role = value_at(inputs, "roleDefinitionId")
    if not isinstance(role, str):
        return
    _, separator, name = role.rpartition("/providers/Microsoft.Authorization/roleDefinitions/")
    if not separator or not _GUID.fullmatch(name):
        yield failure_of(
            "roleDefinitionId",
            "InvalidRoleDefinitionId",
            f"The role definition ID '{role}' is not valid. The role definition ID must be a "
            "path like /subscriptions/…/providers/Microsoft.Authorization/roleDefinitions/"
            "<GUID>.",
        )


@REQUIREMENTS.register(
    _BUDGETS, "https://github.com/hashicorp/terraform-provider-azurerm/issues/15467"
)
def _budget_start_failures(inputs: Inputs) -> Iterator[Failure]:
    start = value_at(inputs, "timePeriod.startDate")
    if isinstance(start, str) and not re.match(r"\d{4}-\d{2}-01($|T)", start):
        yield Failure(
            "timePeriod.startDate",
            f"the start date of a budget must be the first of a month, not '{start}'",
        )


@REQUIREMENTS.register(_BUDGETS, _BUDGET_API)
def _notification_failures(inputs: Inputs) -> Iterator[Failure]:
    notifications = value_at(inputs, "notifications")
    if not isinstance(notifications, dict):
        return
    if len(notifications) > _MOST_NOTIFICATIONS:
        reason = f"a budget has at most {_MOST_NOTIFICATIONS} notifications"
        yield Failure("notifications", f"{reason}, not {len(notifications)}")
    for name, item in notifications.items():
        threshold = value_at(item, "threshold") if isinstance(item, dict) else None
        if isinstance(threshold, int | float) and not 0 <= threshold <= _MOST_PERCENT:
            path = f'notifications["{name}"].threshold'
            reason = f"{threshold} is outside 0-{_MOST_PERCENT}: it is percent of the amount"
            yield Failure(path, reason)


@REQUIREMENTS.register(
    _AUTOSCALE, "https://learn.microsoft.com/rest/api/monitor/autoscale-settings/create-or-update"
)
def _autoscale_capacity_failures(inputs: Inputs) -> Iterator[Failure]:
    for index, profile in enumerate(items_at(inputs, "profiles")):
        capacity = value_at(profile, "capacity") if isinstance(profile, dict) else None
        path = f"profiles[{index}].capacity"
        values = [value_at(capacity or {}, key) for key in ("minimum", "default", "maximum")]
        if not all(isinstance(value, str) for value in values):
            continue
        wrong = [value for value in values if not value.isdecimal()]
        if wrong:
            yield Failure(path, f"'{wrong[0]}' is not a number of instances")
        elif not int(values[0]) <= int(values[1]) <= int(values[2]):
            reason = (
                f"minimum {values[0]}, default {values[1]} and maximum {values[2]} must be "
                "in ascending order"
            )
            yield Failure(path, reason)


@REQUIREMENTS.register(
    _ACTIONS, "https://learn.microsoft.com/rest/api/monitor/action-groups/create-or-update"
)
def _short_name_failures(inputs: Inputs) -> Iterator[Failure]:
    name = value_at(inputs, "groupShortName")
    if isinstance(name, str) and not 1 <= len(name) <= _LONGEST_SHORT_NAME:
        reason = f"'{name}' has {len(name)} characters; 1 to {_LONGEST_SHORT_NAME} are allowed"
        yield Failure("groupShortName", reason)


@REQUIREMENTS.register(
    _LUSTRE, "https://learn.microsoft.com/azure/azure-managed-lustre/create-file-system-portal"
)
def _lustre_zone_failures(inputs: Inputs) -> Iterator[Failure]:
    zones = value_at(inputs, "zones")
    if isinstance(zones, list) and len(zones) != 1:
        reason = f"a managed Lustre file system is in one zone, not in {len(zones)}"
        yield Failure("zones", reason)


@REQUIREMENTS.register(_POOLS, "pulumi_azure_native 3.29.0, containerservice.AgentPool")
def _spot_setting_failures(inputs: Inputs) -> Iterator[Failure]:
    if value_at(inputs, "scaleSetPriority") in (None, "Regular"):
        for key in ("scaleSetEvictionPolicy", "spotMaxPrice"):
            if value_at(inputs, key) is not None:
                yield Failure(key, f"{key} cannot be set unless scaleSetPriority is 'Spot'")
