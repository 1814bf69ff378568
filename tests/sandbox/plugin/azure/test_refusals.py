"""What Azure refuses beyond the tables, over the wire: needs, ranges, use, names."""

from typing import Any

import pytest

NETWORK = "azure-native:network"
COMPUTE = "azure-native:compute"
SUBNET = f"{NETWORK}:Subnet"
SET = f"{COMPUTE}:VirtualMachineScaleSet"
MACHINE = f"{COMPUTE}:VirtualMachine"
ACCOUNT = "azure-native:storage:StorageAccount"
GROUP = {"resourceGroupName": "town"}
ROLE = "providers/Microsoft.Authorization/roleDefinitions/ba92f5b4-2d11-453d-a403-e96b0029c9fe"
KEY = {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA"}


def login(**linux: Any) -> dict[str, Any]:
    return {"adminUsername": "azureuser", "linuxConfiguration": linux}


def scale_set(profile: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    machine = {
        "osProfile": {
            "computerNamePrefix": "node",
            **login(disablePasswordAuthentication=True, ssh={"publicKeys": [KEY]}),
        },
        **(profile or {}),
    }
    return {
        **GROUP,
        "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
        "virtualMachineProfile": machine,
        **more,
    }


def machine(**more: Any) -> dict[str, Any]:
    return {
        **GROUP,
        "hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"},
        "networkProfile": {"networkInterfaces": []},
        "storageProfile": {"osDisk": {"createOption": "FromImage"}},
        **more,
    }


RESERVED = {"capacityReservation": {"capacityReservationGroup": {"id": "/subscriptions/s"}}}
NOTICE = {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True}}}
BUDGET = {
    "scope": "/subscriptions/s",
    "amount": 100,
    "category": "Cost",
    "timeGrain": "Monthly",
    "timePeriod": {"startDate": "2026-11-01"},
}


def budget(**more: Any) -> dict[str, Any]:
    return {**BUDGET, **more}


def notice(threshold: int) -> dict[str, Any]:
    return {
        "enabled": True,
        "operator": "GreaterThan",
        "threshold": threshold,
        "contactEmails": ["a@example.com"],
    }


def autoscale(**capacity: str) -> dict[str, Any]:
    values = {"minimum": "1", "default": "2", "maximum": "3", **capacity}
    return {
        **GROUP,
        "enabled": True,
        "profiles": [{"name": "all", "capacity": values, "rules": []}],
    }


def extension(**more: Any) -> dict[str, Any]:
    health = {
        "name": "health",
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "typeHandlerVersion": "1.0",
        "settings": {"protocol": "http", "port": 80, "requestPath": "/health"},
        **more,
    }
    kept = {key: value for key, value in health.items() if value is not None}
    return {"extensionProfile": {"extensions": [kept]}}


ADDRESS = {"name": "b", "subnet": {"id": "/subscriptions/s"}}


def carded(**more: Any) -> dict[str, Any]:
    return {"networkProfile": {"networkInterfaceConfigurations": [{"name": "a", **more}]}}


def opened(**more: Any) -> dict[str, Any]:
    rule = {
        "name": "in",
        "access": "Allow",
        "direction": "Inbound",
        "protocol": "Tcp",
        "priority": 100,
        "sourceAddressPrefix": "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": "80",
        **more,
    }
    return {key: value for key, value in rule.items() if value is not None}


PROFILE = "virtualMachineProfile"
ROLLING = {"upgradePolicy": {"mode": "Rolling"}}
FIREWALL = f"{NETWORK}:NetworkSecurityGroup"
BALANCER = f"{NETWORK}:LoadBalancer"
HEALTHY = [
    (SET, scale_set(**ROLLING), f"{PROFILE}.extensionProfile", "Rolling Upgrade mode is not"),
    (
        SET,
        scale_set(extension(type="ApplicationHealthLinuq"), **ROLLING),
        f"{PROFILE}.extensionProfile",
        "health extension was not provided",
    ),
    (
        SET,
        scale_set(automaticRepairsPolicy={"enabled": True}),
        f"{PROFILE}.extensionProfile",
        "Automatic repairs not supported",
    ),
    (
        SET,
        scale_set(extension(typeHandlerVersion=None)),
        f"{PROFILE}.extensionProfile.extensions",
        "typeHandlerVersion",
    ),
    (
        SET,
        scale_set(extension(settings={"protocol": "httq", "port": 80, "requestPath": "/"})),
        f"{PROFILE}.extensionProfile",
        "tcp, http or https",
    ),
    (
        SET,
        scale_set(extension(settings={"protocol": "http", "requestPath": "/"})),
        f"{PROFILE}.extensionProfile.settings.port",
        "missing",
    ),
    (SET, scale_set(platformFaultDomainCount=0), "platformFaultDomainCount", "range 1 to 5"),
    (
        SET,
        scale_set(carded(ipConfigurations=[{"name": "b"}])),
        f"{PROFILE}.networkProfile.ipConfigurations.subnet",
        "missing",
    ),
    (
        SET,
        scale_set(carded(primary=False, ipConfigurations=[ADDRESS])),
        f"{PROFILE}.networkProfile",
        "primary",
    ),
    (SET, scale_set(identity={"type": "UserAssigned"}), "identity.userAssignedIdentities", "null"),
    (
        SET,
        scale_set({"osProfile": {"linuxConfiguration": {"ssh": {"publicKeys": [KEY]}}}}),
        f"{PROFILE}.osProfile.adminUsername",
        "missing",
    ),
    (
        SET,
        scale_set({"storageProfile": {"imageReference": {"publisher": "p", "offer": "o"}}}),
        f"{PROFILE}.storageProfile.imageReference.sku",
        "missing",
    ),
    (
        FIREWALL,
        {**GROUP, "securityRules": [opened(sourceAddressPrefix=None)]},
        "securityRules[0].sourceAddressPrefix",
        "SecurityRuleParametersMissing",
    ),
    (
        FIREWALL,
        {**GROUP, "securityRules": [opened(), opened(name="other")]},
        "securityRules[1].priority",
        "SecurityRuleConflict",
    ),
    (FIREWALL, {**GROUP, "securityRules": [opened(name=None)]}, "securityRules[0].name", "a name"),
    (
        BALANCER,
        {**GROUP, "loadBalancingRules": [{"name": "r", "protocol": "Tcp", "frontendPort": 80}]},
        "loadBalancingRules[0].backendPort",
        "backend port",
    ),
    (
        BALANCER,
        {**GROUP, "probes": [{"name": "p", "protocol": "Http", "port": 80}]},
        "probes[0].requestPath",
        "Path is required",
    ),
    (
        f"{NETWORK}:VirtualNetwork",
        {**GROUP, "enableDdosProtection": True, "addressSpace": {"addressPrefixes": []}},
        "ddosProtectionPlan",
        "plan",
    ),
]

DEMANDS = [
    *HEALTHY,
    (
        SET,
        scale_set({"evictionPolicy": "Delete"}),
        "virtualMachineProfile.evictionPolicy",
        "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines: Eviction policy can be set only",
    ),
    (
        MACHINE,
        machine(evictionPolicy="Deallocate"),
        "evictionPolicy",
        "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines",
    ),
    (
        SET,
        scale_set({"billingProfile": {"maxPrice": 3}}),
        "virtualMachineProfile.billingProfile.maxPrice",
        "MaxPriceIsSupportedOnlyForAzureSpotVirtualMachines",
    ),
    (
        SET,
        scale_set({"priority": "Spot", "billingProfile": {"maxPrice": 0}}),
        "virtualMachineProfile.billingProfile.maxPrice",
        "MaxPriceValueInvalid",
    ),
    (
        SET,
        scale_set({"priority": "Spot", **NOTICE}),
        "virtualMachineProfile.scheduledEventsProfile.terminateNotificationProfile.enable",
        "Terminate notification works with regular machines only",
    ),
    (
        MACHINE,
        machine(priority="Spot", availabilitySet={"id": "/subscriptions/s"}),
        "availabilitySet",
        "AzureSpotVMNotSupportedInAvailabilitySet",
    ),
    (
        SET,
        scale_set(sku={"name": "a", "capacity": 101}, singlePlacementGroup=True),
        "sku.capacity",
        "exceeds the total limit of '100'",
    ),
    (
        SET,
        scale_set(sku={"name": "a", "capacity": 101}),
        "sku.capacity",
        "exceeds the total limit of '100'",
    ),
    (
        SET,
        scale_set(RESERVED, singlePlacementGroup=True),
        "virtualMachineProfile.capacityReservation",
        "needs singlePlacementGroup set to false",
    ),
    (
        SET,
        scale_set(
            {"networkProfile": {}}, orchestrationMode="Flexible", platformFaultDomainCount=1
        ),
        "virtualMachineProfile.networkProfile.networkApiVersion",
        "Required parameter 'networkApiVersion' is missing",
    ),
    (
        SET,
        scale_set(orchestrationMode="Flexible"),
        "platformFaultDomainCount",
        "Required parameter 'platformFaultDomainCount' is missing",
    ),
    (
        SET,
        {**GROUP, "sku": {"name": "a", "capacity": 1}},
        "virtualMachineProfile",
        "Required parameter 'virtualMachineProfile' is missing",
    ),
    (
        MACHINE,
        {**machine(), "hardwareProfile": {}},
        "hardwareProfile.vmSize",
        "Required parameter 'vmSize' is missing",
    ),
    (
        SET,
        scale_set({"osProfile": login(disablePasswordAuthentication=True)}),
        "virtualMachineProfile.osProfile.linuxConfiguration",
        "Authentication using either SSH or by user name and password",
    ),
    (
        MACHINE,
        machine(osProfile={**login(disablePasswordAuthentication=True), "adminPassword": "x"}),
        "osProfile.linuxConfiguration",
        "Authentication using either SSH",
    ),
    (
        MACHINE,
        machine(
            storageProfile={
                "imageReference": {
                    "publisher": "almalinux",
                    "offer": "almalinux-hpc",
                    "sku": "8_10-hpc-gen2",
                }
            }
        ),
        "plan",
        "VMMarketplaceInvalidInput",
    ),
    (
        f"{NETWORK}:PublicIPAddress",
        {**GROUP, "sku": {"name": "Standard"}},
        "publicIPAllocationMethod",
        "StandardSkuPublicIPAddressesMustBeStatic",
    ),
    (f"{NETWORK}:NetworkInterface", {**GROUP}, "ipConfigurations", "needs an IP configuration"),
    (
        SUBNET,
        {**GROUP, "virtualNetworkName": "net"},
        "addressPrefix",
        "set exactly one of addressPrefix",
    ),
    (
        "azure-native:authorization:RoleAssignment",
        {
            "scope": "/subscriptions/s",
            "principalId": "me",
            "roleDefinitionId": f"/subscriptions/s/{ROLE}",
        },
        "principalId",
        "InvalidPrincipalId",
    ),
    (
        "azure-native:authorization:RoleAssignment",
        {
            "scope": "/subscriptions/s",
            "principalId": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
            "roleDefinitionId": "Reader",
        },
        "roleDefinitionId",
        "InvalidRoleDefinitionId",
    ),
    (
        "azure-native:consumption:Budget",
        budget(timePeriod={"startDate": "2026-11-21"}),
        "timePeriod.startDate",
        "must be the first of a month, not '2026-11-21'",
    ),
    (
        "azure-native:consumption:Budget",
        budget(notifications={f"n{i}": notice(80) for i in range(6)}),
        "notifications",
        "at most 5 notifications, not 6",
    ),
    (
        "azure-native:consumption:Budget",
        budget(notifications={"n": notice(1001)}),
        'notifications["n"].threshold',
        "1001 is outside 0-1000",
    ),
    (
        "azure-native:monitor:AutoscaleSetting",
        autoscale(minimum="one"),
        "profiles[0].capacity",
        "'one' is not a number of instances",
    ),
    (
        "azure-native:monitor:AutoscaleSetting",
        autoscale(default="9"),
        "profiles[0].capacity",
        "minimum 1, default 9 and maximum 3 must be in ascending order",
    ),
    (
        "azure-native:monitor:ActionGroup",
        {**GROUP, "groupShortName": "far-too-long-for-it"},
        "groupShortName",
        "1 to 12 are allowed",
    ),
    (
        "azure-native:containerservice:AgentPool",
        {
            **GROUP,
            "resourceName": "aks",
            "agentPoolName": "gpu",
            "scaleSetEvictionPolicy": "Delete",
        },
        "scaleSetEvictionPolicy",
        "cannot be set unless scaleSetPriority is 'Spot'",
    ),
    (
        "azure-native:storagecache:AmlFilesystem",
        {
            **GROUP,
            "filesystemSubnet": "/s",
            "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "02:00"},
            "storageCapacityTiB": 16,
            "zones": ["1", "2"],
        },
        "zones",
        "a managed Lustre file system is in one zone, not in 2",
    ),
]


@pytest.mark.parametrize(("token", "inputs", "path", "said"), DEMANDS)
def test_a_demand_is_refused_at_the_check_with_its_source(
    token: str, inputs: dict[str, Any], path: str, said: str, azure: Any
) -> None:
    _, failures = azure.check(token, inputs)

    assert said in failures[path]
    assert " [" in failures[path]
    assert failures[path].endswith("] (sandbox)")


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (
            SET,
            scale_set(
                {
                    "priority": "Spot",
                    "evictionPolicy": "Delete",
                    "billingProfile": {"maxPrice": -1},
                }
            ),
        ),
        (SET, scale_set(NOTICE)),
        (SET, scale_set(extension(), **ROLLING)),
        (FIREWALL, {**GROUP, "securityRules": [opened(), opened(direction="Outbound")]}),
        (SET, scale_set(sku={"name": "a", "capacity": 300}, singlePlacementGroup=False)),
        (SET, scale_set(sku={"name": "a", "capacity": 300}, zones=["1"])),
        (SET, scale_set(RESERVED, singlePlacementGroup=False)),
        (SET, {**GROUP, "orchestrationMode": "Flexible", "platformFaultDomainCount": 1}),
        (MACHINE, machine(osProfile={"adminUsername": "a", "adminPassword": "b"})),
        (
            MACHINE,
            machine(osProfile={"adminUsername": "a", "windowsConfiguration": {"timeZone": "UTC"}}),
        ),
        ("azure-native:monitor:AutoscaleSetting", autoscale()),
        ("azure-native:consumption:Budget", budget(notifications={"n": notice(80)})),
    ],
)
def test_what_azure_takes_passes_the_check(token: str, inputs: dict[str, Any], azure: Any) -> None:
    _, failures = azure.check(token, inputs)

    assert failures == {}


@pytest.fixture(scope="module", autouse=True)
def standing(town: dict[str, str]) -> dict[str, str]:
    return town


def test_a_made_up_name_is_the_logical_name_and_eight_digits(azure: Any) -> None:
    net, _ = azure.check(
        f"{NETWORK}:VirtualNetwork", {**GROUP, "addressSpace": {"addressPrefixes": []}}, name="net"
    )
    subnet, _ = azure.check(
        SUBNET, {**GROUP, "virtualNetworkName": "net", "addressPrefix": "10.0.0.0/24"}, name="web"
    )

    made = net["virtualNetworkName"]
    assert made.startswith("net")
    assert len(made) == len("net") + 8
    assert "-" not in made
    assert net["__defaults"] == ["virtualNetworkName"]
    assert subnet["subnetName"] == "web"
    assert "__defaults" not in subnet


@pytest.mark.parametrize(
    ("token", "inputs", "name", "said"),
    [
        (ACCOUNT, {}, "My-data", "'My-data"),
        (ACCOUNT, {}, "muchtoolongforanaccount", "is longer than the 24 characters allowed"),
        (ACCOUNT, {"accountName": "ab"}, "x", "3-24 characters, lower-case letters and digits"),
        ("azure-native:storage:BlobServiceProperties", {}, "blobs", "always 'default'"),
        ("azure-native:storage:BlobContainer", {}, "Data_Sets", "lower-case letters"),
        (
            f"{NETWORK}:VirtualNetwork",
            {"virtualNetworkName": "-net"},
            "x",
            "first a letter or digit",
        ),
        (f"{NETWORK}:VirtualNetwork", {"virtualNetworkName": "n"}, "x", "2-64 characters"),
        (
            "azure-native:resources:ResourceGroup",
            {"resourceGroupName": "a."},
            "x",
            "no period at the end",
        ),
        (
            "azure-native:containerservice:AgentPool",
            {},
            "gpupool-h100",
            "lower-case letters and digits, a letter first",
        ),
    ],
)
def test_a_name_that_azure_does_not_take_is_refused(
    token: str, inputs: dict[str, Any], name: str, said: str, azure: Any
) -> None:
    required = {
        ACCOUNT: {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **GROUP},
        f"{NETWORK}:VirtualNetwork": {**GROUP},
        "azure-native:resources:ResourceGroup": {},
        "azure-native:containerservice:AgentPool": {**GROUP, "resourceName": "aks"},
    }.get(token, {**GROUP, "accountName": "townaccount"})

    _, failures = azure.check(token, {**required, **inputs}, name=name)

    [reason] = failures.values()
    assert said in reason


def test_an_account_name_is_taken_in_all_of_azure(azure: Any, make: Any) -> None:
    make("resources:ResourceGroup", resourceGroupName="elsewhere")
    account = {"kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "accountName": "townaccount"}

    said = azure.refusal(ACCOUNT, {**account, "resourceGroupName": "elsewhere"})

    assert said.startswith(
        "StorageAccountAlreadyTaken: The storage account named townaccount is already taken."
    )


def test_what_stands_is_not_created_again_however_it_is_spelled(azure: Any) -> None:
    said = azure.refusal(
        f"{NETWORK}:VirtualNetwork",
        {
            "resourceGroupName": "TOWN",
            "virtualNetworkName": "NET",
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
        },
    )

    assert "cannot create already existing resource" in said


def test_ids_are_compared_without_case(azure: Any, make: Any, town: dict[str, str]) -> None:
    shouted = town["subnet"].upper().replace("/SUBSCRIPTIONS/", "/subscriptions/")

    _, outputs = make(
        "network:NetworkInterface",
        **GROUP,
        ipConfigurations=[{"name": "main", "subnet": {"id": shouted}}],
    )
    read = azure.read(f"{NETWORK}:VirtualNetwork", town["vnet"].lower())

    assert outputs["ipConfigurations"][0]["privateIPAddress"].startswith("10.0.0.")
    assert read.id == town["vnet"]


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        ("192.168.0.0/24", "NetcfgSubnetRangeOutsideVnet"),
        ("10.0.0.128/25", "NetcfgSubnetRangesOverlap"),
    ],
)
def test_a_subnet_lies_in_its_network_and_beside_the_others(
    prefix: str, code: str, azure: Any
) -> None:
    said = azure.refusal(SUBNET, {**GROUP, "virtualNetworkName": "net", "addressPrefix": prefix})

    assert said.startswith(f"{code}: Subnet 'refused' is not valid because its IP address range")


def test_inline_subnets_must_not_overlap_either(azure: Any) -> None:
    subnets = [{"name": name, "addressPrefix": "10.9.0.0/24"} for name in "ab"]

    said = azure.refusal(
        f"{NETWORK}:VirtualNetwork",
        {**GROUP, "addressSpace": {"addressPrefixes": ["10.9.0.0/16"]}, "subnets": subnets},
    )

    assert said.startswith("NetcfgSubnetRangesOverlap: Subnet 'b'")


def test_an_inline_subnet_can_be_referred_to(make: Any) -> None:
    vnet, outputs = make(
        "network:VirtualNetwork",
        **GROUP,
        addressSpace={"addressPrefixes": ["10.8.0.0/16"]},
        subnets=[{"name": "inner", "addressPrefix": "10.8.1.0/24"}],
    )
    subnet = outputs["subnets"][0]["id"]

    _, nic = make(
        "network:NetworkInterface",
        **GROUP,
        ipConfigurations=[{"name": "main", "subnet": {"id": subnet}}],
    )

    assert subnet == f"{vnet}/subnets/inner"
    assert nic["ipConfigurations"][0]["privateIPAddress"] == "10.8.1.4"


def test_machines_find_room_in_the_subnet(azure: Any, make: Any) -> None:
    small, _ = make(
        "network:Subnet", **GROUP, virtualNetworkName="net", addressPrefix="10.0.200.0/28"
    )
    nic = {"name": "nic", "ipConfigurations": [{"name": "ip", "subnet": {"id": small}}]}
    network = {"networkProfile": {"networkInterfaceConfigurations": [nic]}}

    said = azure.refusal(SET, scale_set(network, sku={"name": "a", "capacity": 12}))
    make("compute:VirtualMachineScaleSet", **scale_set(network, sku={"name": "a", "capacity": 11}))

    assert said.startswith("SubnetIsFull: Subnet ")
    assert "10.0.200.0/28 does not have enough capacity for 12 IP addresses" in said


def test_a_reference_to_another_region_is_not_found(azure: Any, town: dict[str, str]) -> None:
    said = azure.refusal(
        f"{NETWORK}:NetworkInterface",
        {
            **GROUP,
            "location": "westeurope",
            "ipConfigurations": [{"name": "main", "subnet": {"id": town["subnet"]}}],
        },
    )

    assert said.startswith("InvalidResourceReference: ")
    assert "both resources are in the same region" in said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("net/subnets/nodes", "LinkedInvalidPropertyId: Property id 'net/subnets/nodes' at path"),
        ("{nsg}", "is a Microsoft.Network/networkSecurityGroups; property"),
    ],
)
def test_a_reference_must_be_an_id_of_the_right_type(
    value: str, said: str, azure: Any, town: dict[str, str]
) -> None:
    subnet = {"id": value.format(**town)}

    refusal = azure.refusal(
        f"{NETWORK}:NetworkInterface",
        {**GROUP, "ipConfigurations": [{"name": "main", "subnet": subnet}]},
    )

    assert said in refusal


def balancer(own: str, pool: str) -> dict[str, Any]:
    return {
        **GROUP,
        "loadBalancerName": "lb",
        "sku": {"name": "Standard"},
        "frontendIPConfigurations": [{"name": "front"}],
        "backendAddressPools": [{"name": "machines"}],
        "probes": [{"name": "alive", "port": 8000, "protocol": "Tcp"}],
        "loadBalancingRules": [
            {
                "name": "http",
                "protocol": "Tcp",
                "frontendPort": 80,
                "backendPort": 8000,
                "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/front"},
                "backendAddressPool": {"id": f"{own}/backendAddressPools/{pool}"},
                "probe": {"id": f"{own}/probes/alive"},
            }
        ],
    }


def test_a_balancer_refers_to_its_own_parts_and_gives_them_ids(
    azure: Any, make: Any, town: dict[str, str]
) -> None:
    own = town["vnet"].replace("virtualNetworks/net", "loadBalancers/lb")

    said = azure.refusal(f"{NETWORK}:LoadBalancer", balancer(own, "nobody"))
    resource_id, outputs = make("network:LoadBalancer", **balancer(own, "machines"))

    assert said.startswith("InvalidResourceReference: ")
    assert resource_id == own
    assert outputs["backendAddressPools"][0]["id"] == f"{own}/backendAddressPools/machines"
    assert outputs["probes"][0]["id"] == f"{own}/probes/alive"


def test_a_standard_balancer_takes_no_basic_address(azure: Any, make: Any) -> None:
    address, _ = make("network:PublicIPAddress", **GROUP)

    said = azure.refusal(
        f"{NETWORK}:LoadBalancer",
        {
            **GROUP,
            "sku": {"name": "Standard"},
            "frontendIPConfigurations": [{"name": "f", "publicIPAddress": {"id": address}}],
        },
    )

    assert said.startswith("PublicIPAndLBSkuDoNotMatch: Standard sku load balancer ")


def test_a_role_is_granted_once(azure: Any, make: Any, town: dict[str, str]) -> None:
    subscription = town["vnet"].split("/resourceGroups/")[0]
    grant = {
        "scope": town["account"],
        "principalId": "00000000-1111-4222-8333-777777777777",
        "roleDefinitionId": f"{subscription}/{ROLE}",
    }
    make("authorization:RoleAssignment", **grant)

    said = azure.refusal("azure-native:authorization:RoleAssignment", grant)

    assert said.startswith("RoleAssignmentExists: The role assignment already exists.")


def test_a_public_container_needs_an_account_that_allows_it(azure: Any) -> None:
    said = azure.refusal(
        "azure-native:storage:BlobContainer",
        {**GROUP, "accountName": "townaccount", "publicAccess": "Blob"},
    )

    assert said.startswith("PublicAccessNotPermitted: ")


@pytest.mark.parametrize(
    ("token", "key", "code"),
    [
        (SUBNET, "subnet", "InUseSubnetCannotBeDeleted"),
        (f"{NETWORK}:VirtualNetwork", "vnet", "InUseSubnetCannotBeDeleted"),
        (f"{NETWORK}:PublicIPAddress", "address", "PublicIPAddressCannotBeDeleted"),
    ],
)
def test_what_is_in_use_is_not_deleted(
    token: str, key: str, code: str, azure: Any, town: dict[str, str]
) -> None:
    said = refusal_of_delete(azure, token, town[key])

    assert said.startswith(f"{code}: ")
    assert "/networkInterfaces/nic" in said or "/natGateways/nat" in said


def refusal_of_delete(azure: Any, token: str, resource_id: str) -> str:
    import grpc

    read = azure.read(token, resource_id)
    assert read.id == resource_id
    with pytest.raises(grpc.RpcError) as caught:
        azure.delete(token, resource_id, {})
    assert azure.read(token, resource_id).id == resource_id
    return str(caught.value.details())


def test_guards_name_what_uses_a_thing(azure: Any, make: Any, town: dict[str, str]) -> None:
    nsg, _ = make("network:NetworkSecurityGroup", **GROUP)
    disk, _ = make("compute:Disk", **GROUP, creationData={"createOption": "Empty"})
    nic, _ = make(
        "network:NetworkInterface",
        **GROUP,
        networkSecurityGroup={"id": nsg},
        ipConfigurations=[{"name": "main", "subnet": {"id": town["subnet"]}}],
    )
    data = {"createOption": "Attach", "lun": 0, "managedDisk": {"id": disk}}
    vm, _ = make(
        "compute:VirtualMachine",
        **machine(
            networkProfile={"networkInterfaces": [{"id": nic}]},
            storageProfile={"dataDisks": [data]},
        ),
    )

    assert nic in refusal_of_delete(azure, f"{NETWORK}:NetworkSecurityGroup", nsg)
    assert refusal_of_delete(azure, f"{NETWORK}:NetworkInterface", nic).startswith(
        f"NicInUse: Network Interface {nic} is used by existing resource {vm}."
    )
    assert f"is attached to VM {vm}" in refusal_of_delete(azure, f"{COMPUTE}:Disk", disk)


def test_a_zone_with_links_stays_until_they_are_gone(
    azure: Any, make: Any, town: dict[str, str]
) -> None:
    link, _ = make(
        "privatedns:VirtualNetworkLink",
        **GROUP,
        privateZoneName="blob.town.net",
        location="global",
        virtualNetwork={"id": town["vnet"]},
    )

    said = refusal_of_delete(azure, "azure-native:privatedns:PrivateZone", town["zone"])

    assert said.startswith("CannotDeleteResource: Cannot delete resource while nested resources")
    assert link in said


def test_a_group_takes_all_that_it_holds_along(azure: Any, town: dict[str, str]) -> None:
    group = "azure-native:resources:ResourceGroup"
    made = [azure.create(group, {"resourceGroupName": "doomed"})]
    doomed = {"resourceGroupName": "doomed"}
    net = {"addressSpace": {"addressPrefixes": ["10.3.0.0/16"]}, "virtualNetworkName": "net"}
    vnet, _ = azure.create(f"{NETWORK}:VirtualNetwork", {**doomed, **net})
    subnet, _ = azure.create(
        SUBNET, {**doomed, "virtualNetworkName": "net", "addressPrefix": "10.3.0.0/24"}
    )
    azure.create(
        f"{NETWORK}:NetworkInterface",
        {**doomed, "ipConfigurations": [{"name": "main", "subnet": {"id": subnet}}]},
    )

    azure.delete(group, *made[0])

    assert azure.read(f"{NETWORK}:VirtualNetwork", vnet).id == ""
    assert azure.read(SUBNET, subnet).id == ""
    assert azure.read(f"{NETWORK}:VirtualNetwork", town["vnet"]).id == town["vnet"]


def test_a_group_of_which_others_use_a_part_stays(azure: Any) -> None:
    group = "azure-native:resources:ResourceGroup"
    held, outputs = azure.create(group, {"resourceGroupName": "held"}, name="held")
    net = {"addressSpace": {"addressPrefixes": ["10.4.0.0/16"]}, "virtualNetworkName": "net"}
    azure.create(f"{NETWORK}:VirtualNetwork", {"resourceGroupName": "held", **net}, name="heldnet")
    subnet, _ = azure.create(
        SUBNET,
        {"resourceGroupName": "held", "virtualNetworkName": "net", "addressPrefix": "10.4.0.0/24"},
        name="heldsubnet",
    )
    nic, nic_outputs = azure.create(
        f"{NETWORK}:NetworkInterface",
        {**GROUP, "ipConfigurations": [{"name": "main", "subnet": {"id": subnet}}]},
        name="outside",
    )

    assert nic in refusal_of_delete(azure, group, held)
    azure.delete(f"{NETWORK}:NetworkInterface", nic, nic_outputs)
    azure.delete(group, held, outputs)
    assert azure.read(SUBNET, subnet).id == ""


def updated(
    azure: Any, token: str, made: tuple[str, dict[str, Any]], old: dict[str, Any], **new: Any
) -> dict[str, Any]:
    """Update what was made under the name `kept`, as the engine does."""
    from pulumi.runtime.proto import provider_pb2 as proto

    from gpuinfra.sandbox.plugin.wire import from_wire, to_wire

    answer = azure.stub.Update(
        proto.UpdateRequest(
            id=made[0],
            urn=f"urn:pulumi:dev::town::{token}::kept",
            olds=to_wire(made[1]),
            old_inputs=to_wire(old),
            news=to_wire({**old, **new}),
        )
    )
    return from_wire(answer.properties)


def test_a_rejected_update_is_refused_over_the_wire(azure: Any, make: Any) -> None:
    import grpc

    token = f"{NETWORK}:NetworkSecurityGroup"
    inputs = {**GROUP, "networkSecurityGroupName": "stays", "location": "eastus"}
    made = make("network:NetworkSecurityGroup", name="kept", **inputs)

    planned = azure.diff(token, inputs, {**inputs, "location": "West US"})
    with pytest.raises(grpc.RpcError) as caught:
        updated(azure, token, made, inputs, location="West US")

    assert list(planned.replaces) == []
    assert list(planned.diffs) == ["location"]
    assert str(caught.value.details()).startswith(
        "InvalidResourceLocation: The resource 'stays' already exists in location 'eastus' in "
        "resource group 'town'. A resource with the same name cannot be created in location "
        "'West US'."
    )


def test_what_azure_made_up_stays_through_an_update(azure: Any, make: Any) -> None:
    token = "azure-native:managedidentity:UserAssignedIdentity"
    inputs = {**GROUP, "resourceName": "kept", "location": "eastus"}
    made = make("managedidentity:UserAssignedIdentity", name="kept", **inputs)

    outputs = updated(azure, token, made, inputs, tags={"a": "b"})

    assert outputs["tags"] == {"a": "b"}
    assert outputs["principalId"] == made[1]["principalId"]


def test_an_address_stays_through_an_update(azure: Any, make: Any, town: dict[str, str]) -> None:
    token = f"{NETWORK}:NetworkInterface"
    one = {"name": "main", "subnet": {"id": town["subnet"]}}
    inputs = {**GROUP, "networkInterfaceName": "kept", "ipConfigurations": [one]}
    made = make("network:NetworkInterface", name="kept", **inputs)

    outputs = updated(azure, token, made, inputs, ipConfigurations=[one, {**one, "name": "more"}])

    before = made[1]["ipConfigurations"][0]["privateIPAddress"]
    addresses = [item["privateIPAddress"] for item in outputs["ipConfigurations"]]
    assert addresses[0] == before
    assert addresses[1] not in ("", before)


def test_a_location_comes_from_the_group_where_no_config_gives_one(
    azure: Any, make: Any, start_plugin: Any, shared_home: Any
) -> None:
    make("resources:ResourceGroup", resourceGroupName="west", location="West Europe")
    bare = start_plugin(
        package="azure-native", subscriptionId="00000000-1111-4222-8333-444444444444"
    )
    identity = "azure-native:managedidentity:UserAssignedIdentity"

    inputs, failures = bare.check(identity, {"resourceGroupName": "west"})
    none, _ = bare.check(identity, {"resourceGroupName": "nobody"})
    kept, _ = bare.check(
        identity, {"resourceGroupName": "nobody"}, old={"location": "eastus", "__defaults": []}
    )

    assert failures == {}
    assert inputs["location"] == "West Europe"
    assert "location" not in none
    assert kept["location"] == "eastus"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("no-capacity", "ZonalAllocationFailed"),
        ("quota", "OperationNotAllowed"),
    ],
)
def test_a_fault_strikes_machines_in_azures_words_until_it_is_spent(
    kind: Any, code: str, azure: Any, shared_home: Any
) -> None:
    from gpuinfra.sandbox import faults

    machine_type = "Standard_ND96isr_H100_v5"
    faults.add(faults.Fault(kind=kind, instance_type=machine_type, zone="eastus-1", times=1))

    said = azure.refusal(SET, scale_set(zones=["1"]))
    made = azure.create(SET, scale_set(zones=["1"]), name=f"after-{kind}")
    azure.delete(SET, *made)

    assert said.startswith(f"{code}: ")


def test_a_versioned_type_is_the_same_type(azure: Any, town: dict[str, str]) -> None:
    inputs, failures = azure.check(
        f"{NETWORK}/v20240501:NetworkSecurityGroup", {**GROUP, "securityRule": []}
    )

    assert failures == {
        "securityRule": "unknown property 'securityRule'; did you mean 'securityRules'? (sandbox)"
    }
    assert inputs["location"] == "eastus"
    read = azure.read(f"{NETWORK}/v20240501:VirtualNetwork", town["vnet"])
    assert read.id == town["vnet"]


def test_the_providers_own_settings_are_judged(azure: Any) -> None:
    from pulumi.runtime.proto import provider_pb2 as proto

    from gpuinfra.sandbox.plugin.wire import to_wire

    answer = azure.stub.CheckConfig(
        proto.CheckRequest(news=to_wire({"subscriptionID": "x", "useMsi": True}))
    )

    [failure] = answer.failures
    assert failure.property == "subscriptionID"


def test_a_preview_knows_that_ids_of_parts_are_not_known(azure: Any, town: dict[str, str]) -> None:
    from gpuinfra.sandbox.plugin.wire import Unknown

    _, nic = azure.create(
        f"{NETWORK}:NetworkInterface",
        {**GROUP, "ipConfigurations": [{"name": "main", "subnet": {"id": town["subnet"]}}]},
        preview=True,
    )
    _, address = azure.create(f"{NETWORK}:PublicIPAddress", {**GROUP}, preview=True)
    users = {"type": "UserAssigned", "userAssignedIdentities": [town["identity"]]}
    _, machines = azure.create(SET, scale_set(identity=users), preview=True)

    assert isinstance(nic["ipConfigurations"][0]["id"], Unknown)
    assert isinstance(nic["ipConfigurations"][0]["privateIPAddress"], Unknown)
    assert isinstance(address["ipAddress"], Unknown)
    assert isinstance(machines["identity"]["userAssignedIdentities"], Unknown)
    assert address["resourceGroupName"] == "town"


def test_identities_are_answered_as_azure_does(make: Any, town: dict[str, str]) -> None:
    identity = {
        "type": "SystemAssigned, UserAssigned",
        "userAssignedIdentities": [town["identity"]],
    }

    _, outputs = make("compute:VirtualMachineScaleSet", **scale_set(identity=identity))

    assert outputs["identity"]["principalId"]
    assert outputs["identity"]["tenantId"]
    assert outputs["identity"]["userAssignedIdentities"][town["identity"]].keys() == {
        "clientId",
        "principalId",
    }
