import base64
import gzip
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Safety
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import Cluster, cluster, interface, network, role
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.azure_stacks import open_rule

both = pytest.mark.parametrize("moment", ["preview", "created"])


def safety(program: AzureProgram, moment: Any = "created") -> Safety:
    return observe(program.resources(moment)).groups[0].safety


def rules(case: Cluster, *written: Any) -> Cluster:
    case.program.change(case.firewall, securityRules=list(written))
    return case


DENY = {"access": "Deny", "name": "deny"}


@both
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([open_rule()], True),
        ([open_rule("3389", "Internet")], True),
        ([open_rule("20-30", "0.0.0.0/0")], True),
        ([open_rule("*", "::/0", protocol="*")], True),
        ([open_rule(destinationPortRange=None, destinationPortRanges=["80", "22"])], True),
        ([open_rule(sourceAddressPrefix=None, sourceAddressPrefixes=["10.0.0.0/8", "*"])], True),
        ([open_rule("443")], False),
        ([open_rule("22", "VirtualNetwork")], False),
        ([open_rule("22", "203.0.113.0/24")], False),
        ([open_rule(protocol="Udp")], False),
        ([open_rule(direction="Outbound")], False),
        ([open_rule(priority=200), open_rule(priority=100, **DENY)], False),
        ([open_rule(priority=100), open_rule(priority=200, **DENY)], True),
        ([open_rule(priority=200), open_rule("22", "10.0.0.0/8", priority=100, **DENY)], True),
        ([open_rule("22", UNKNOWN)], UNKNOWN),
        ([open_rule("22", UNKNOWN, priority=200), open_rule(priority=100, **DENY)], False),
        ([open_rule("22", UNKNOWN, priority=100), open_rule(priority=200, **DENY)], UNKNOWN),
        ([open_rule(priority=200), open_rule("22", UNKNOWN, priority=100, **DENY)], UNKNOWN),
        ([open_rule(priority=UNKNOWN), open_rule(priority=100, **DENY)], UNKNOWN),
        ([open_rule(priority=UNKNOWN)], True),
        ([open_rule(priority=100, access=UNKNOWN)], UNKNOWN),
        ([open_rule("ssh")], UNKNOWN),
        ([UNKNOWN], UNKNOWN),
        ([], False),
    ],
    ids=str,
)
def test_who_may_try_to_log_in(written, expected, moment):
    assert safety(rules(cluster(), *written).program, moment).open_login is expected


@both
def test_a_rule_of_its_own_belongs_to_the_group_that_it_names(moment):
    case = cluster()
    rule = {key: value for key, value in open_rule().items() if key != "name"}
    own = case.program.add(
        "azure-native:network:SecurityRule",
        "ssh",
        networkSecurityGroupName=case.firewall.out("name"),
        **rule,
    )
    assert safety(case.program, moment).open_login is True
    case.program.change(own, networkSecurityGroupName="another")
    assert safety(case.program, moment).open_login is False
    case.program.change(own, networkSecurityGroupName=UNKNOWN)
    assert safety(case.program, moment).open_login is UNKNOWN


@both
def test_every_group_on_the_way_has_to_let_it_in(moment):
    case = rules(cluster(), open_rule())
    second = case.program.add(
        "azure-native:network:NetworkSecurityGroup", "second", securityRules=[]
    )
    nic = interface(case.subnet.id, second.id)
    case.profile(networkProfile=network(nic))
    assert safety(case.program, moment).open_login is False
    case.program.change(second, securityRules=[open_rule()])
    assert safety(case.program, moment).open_login is True


def test_the_group_of_a_subnet_that_stands_elsewhere_is_not_known():
    case = cluster()
    elsewhere = f"{SUBSCRIPTION}/resourceGroups/hub/providers/Microsoft.Network"
    subnet = f"{elsewhere}/virtualNetworks/hub/subnets/a"
    closed = case.program.add("azure-native:network:NetworkSecurityGroup", "own")
    case.profile(networkProfile=network(interface(subnet)))
    assert safety(case.program).open_login is UNKNOWN
    case.profile(networkProfile=network(interface(subnet, closed.id)))
    assert safety(case.program).open_login is False


@both
@pytest.mark.parametrize(("subnet", "expected"), [("a", True), ("b", False)])
def test_subnets_inside_their_network(subnet, expected, moment):
    program = AzureProgram()
    closed = program.add("azure-native:network:NetworkSecurityGroup", "no", securityRules=[])
    ssh = program.add(
        "azure-native:network:NetworkSecurityGroup", "ssh", securityRules=[open_rule()]
    )
    program.add(
        "azure-native:network:VirtualNetwork",
        "net",
        virtualNetworkName="net",
        subnets=[
            {"name": "a", "networkSecurityGroup": {"id": ssh.id}},
            {"name": "b", "networkSecurityGroup": {"id": closed.id}},
        ],
    )
    path = "providers/Microsoft.Network/virtualNetworks/NET/subnets"
    program.change(program.group, resourceGroupName="rg")
    written = f"{SUBSCRIPTION}/resourcegroups/RG/{path}/{subnet}"
    stacks.scale_set(program, profile={"networkProfile": network(interface(written))})
    known = moment == "created"
    assert safety(program, moment).open_login is (expected if known else UNKNOWN)


@both
@pytest.mark.parametrize(
    ("sku", "expected"), [("Standard", False), ("Basic", True), (UNKNOWN, UNKNOWN)]
)
def test_an_address_without_any_group(sku, expected, moment):
    case = cluster()
    case.program.change(case.subnet, networkSecurityGroup=None)
    assert safety(case.program, moment).open_login is False
    address = {"publicIPAddressConfiguration": {"name": "out", "sku": {"name": sku}}}
    case.profile(networkProfile=network(interface(case.subnet.id, **address)))
    shown = safety(case.program, moment)
    assert (shown.public_ip, shown.open_login) == (True, expected)


def test_a_network_interface_that_nobody_shows():
    program = AzureProgram()
    program.add(
        "azure-native:compute:VirtualMachine",
        "one",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        networkProfile={"networkInterfaces": [{"id": "/subscriptions/s/by-hand"}]},
    )
    shown = safety(program)
    assert (shown.public_ip, shown.open_login) == (UNKNOWN, UNKNOWN)


CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
GROUP = f"{SUBSCRIPTION}/resourceGroups/rg"


@both
@pytest.mark.parametrize(
    ("which", "scope", "expected"),
    [
        (CONTRIBUTOR, SUBSCRIPTION, True),
        (CONTRIBUTOR.upper(), GROUP, True),
        ("18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", GROUP, True),
        (stacks.OWNER, "/providers/Microsoft.Management/managementGroups/all", True),
        (stacks.OWNER, "/", True),
        (stacks.OWNER, f"{GROUP}/providers/Microsoft.Storage/storageAccounts/a", False),
        (READER, SUBSCRIPTION, False),
        (READER, UNKNOWN, False),
        ("7F951DDA-4ED3-4680-A7CA-43FE172D538D", SUBSCRIPTION, False),
        ("11111111-2222-3333-4444-555555555555", SUBSCRIPTION, UNKNOWN),
        (
            "11111111-2222-3333-4444-555555555555",
            f"{GROUP}/providers/Microsoft.Storage/storageAccounts/a",
            False,
        ),
        (stacks.OWNER, UNKNOWN, UNKNOWN),
        (stacks.OWNER, "everything", UNKNOWN),
    ],
)
def test_who_is_an_administrator(which, scope, expected, moment):
    case = cluster()
    case.program.change(case.grant, roleDefinitionId=role(which), scope=scope)
    assert safety(case.program, moment).administrator is expected


def test_a_role_on_a_single_resource_is_narrow_before_anything_is_known():
    case = cluster()
    case.program.change(case.grant, roleDefinitionId=UNKNOWN)
    assert safety(case.program, "preview").administrator is False


@both
def test_a_role_of_one_s_own(moment):
    case = cluster()
    own = case.program.add(
        "azure-native:authorization:RoleDefinition",
        "god",
        permissions=[{"actions": ["*"]}],
    )
    case.program.change(case.grant, roleDefinitionId=own.id, scope=SUBSCRIPTION)
    assert safety(case.program, moment).administrator is True
    case.program.change(own, permissions=[{"actions": ["Microsoft.Storage/*/read"]}])
    assert safety(case.program, moment).administrator is False


@both
def test_an_assignment_to_someone_else(moment):
    case = cluster()
    case.program.change(
        case.grant, principalId="aaaa", roleDefinitionId=role(stacks.OWNER), scope=SUBSCRIPTION
    )
    expected = {"created": False, "preview": UNKNOWN}[moment]
    assert safety(case.program, moment).administrator is expected
    case.program.change(case.grant, principalType="User")
    assert safety(case.program, moment).administrator is False


def test_an_assignment_to_nobody_knows_whom():
    case = cluster()
    case.program.change(case.grant, principalId=UNKNOWN)
    assert safety(case.program).administrator is UNKNOWN


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        (None, False),
        ({"type": "None"}, False),
        (UNKNOWN, UNKNOWN),
        ({"type": "UserAssigned", "userAssignedIdentities": ["/by/hand"]}, UNKNOWN),
        ({"type": "UserAssigned", "userAssignedIdentities": {"/by/hand": {}}}, UNKNOWN),
        ({"type": "UserAssigned", "userAssignedIdentities": UNKNOWN}, UNKNOWN),
    ],
    ids=str,
)
def test_an_identity_that_is_not_there_or_not_seen(identity, expected):
    case = cluster()
    case.program.change(case.scaling, identity=identity)
    assert safety(case.program).administrator is expected


@both
def test_a_machine_s_own_identity(moment):
    program = stacks.open_machine()
    assert safety(program, moment).administrator is True
    grant = next(handle for handle in program.handles.values() if handle.name == "god")
    program.change(grant, roleDefinitionId=role(READER))
    assert safety(program, moment).administrator is False


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def compressed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode())).decode()


SAS = f"curl 'https://a.blob.core.windows.net/c?sp=r&se=2030-01-01&sig={'aB9' * 14}x%3D'"
SSH = f"ssh-rsa {'B' * 370}== me"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"osProfile": {"customData": encoded(f"KEY={stacks.KEY}\n")}}, True),
        ({"userData": f"KEY={stacks.KEY}"}, True),
        ({"userData": encoded("#!/bin/sh\n")}, False),
        ({"userData": SSH}, False),
        ({"userData": UNKNOWN}, UNKNOWN),
        ({"userData": compressed(f"KEY={stacks.KEY}")}, True),
        ({"userData": base64.encodebytes(f"KEY={stacks.KEY}".encode()).decode()}, True),
        ({"userData": compressed("#!/bin/sh\n")}, False),
        ({"userData": base64.b64encode(gzip.compress(b"#!/bin/sh\n")[:-6]).decode()}, UNKNOWN),
        ({"userData": base64.b64encode(b"\xff\xfe\x00k").decode()}, UNKNOWN),
        ({"userData": SAS}, True),
        ({"osProfile": {"customData": encoded(SAS.replace("%3D", "="))}}, True),
        ({"userData": "curl 'https://a/c?sig=$SIGNATURE'"}, False),
        (
            {"extensionProfile": {"extensions": [{"settings": {"script": compressed(SAS)}}]}},
            True,
        ),
        (
            {"extensionProfile": {"extensions": [{"settings": {"script": "/////w=="}}]}},
            UNKNOWN,
        ),
        ({"extensionProfile": {"extensions": [{"settings": {"name": "/////w=="}}]}}, False),
        ({"userData": 7}, UNKNOWN),
        ({"osProfile": {"adminPassword": UNKNOWN}}, False),
        (
            {
                "osProfile": {
                    "adminPassword": "p",
                    "linuxConfiguration": {"disablePasswordAuthentication": True},
                }
            },
            False,
        ),
        (
            {
                "osProfile": {
                    "adminPassword": "p",
                    "linuxConfiguration": {"disablePasswordAuthentication": UNKNOWN},
                }
            },
            False,
        ),
        (
            {"extensionProfile": {"extensions": [{"protectedSettings": UNKNOWN}]}},
            UNKNOWN,
        ),
        (
            {
                "extensionProfile": {
                    "extensions": [{"protectedSettings": {"storageAccountKey": "k"}}]
                }
            },
            True,
        ),
        (
            {"extensionProfile": {"extensions": [{"settings": {"ports": [80], "x": "y"}}]}},
            False,
        ),
    ],
    ids=range(23),
)
def test_keys_that_outlive_a_machine(parts, expected):
    case = cluster()
    case.profile(**{"osProfile": None, **parts})
    assert safety(case.program).long_lived_key is expected


@both
@pytest.mark.parametrize(
    ("settings", "expected"), [({"storageAccountKey": "k"}, True), ({"a": ["b"]}, False)]
)
def test_an_extension_of_its_own(settings, expected, moment):
    case = cluster()
    case.program.add(
        "azure-native:compute:VirtualMachineScaleSetExtension",
        "script",
        vmScaleSetName=case.scaling.out("name"),
        protectedSettings=settings,
    )
    assert safety(case.program, moment).long_lived_key is expected


OPENED = ("tokens",)


@both
@pytest.mark.parametrize(
    ("allowed", "expected"), [(None, OPENED), (True, OPENED), (False, ()), (UNKNOWN, UNKNOWN)]
)
def test_data_that_keys_open(allowed, expected, moment):
    case = cluster()
    case.program.change(case.account, allowSharedKeyAccess=allowed)
    container = case.program.add(
        "azure-native:storage:BlobContainer", "data", accountName=case.account.out("name")
    )
    assert safety(case.program, moment).opened_by_keys == expected
    case.program.change(case.grant, scope=container.id)
    assert safety(case.program, moment).opened_by_keys == expected
    case.program.change(case.grant, scope=GROUP)
    assert safety(case.program, moment).opened_by_keys == ()


@pytest.mark.parametrize(("allowed", "expected"), [(None, UNKNOWN), (False, ())])
def test_data_at_an_id_that_may_be_in_another_subscription_may_be_its_own(allowed, expected):
    case = cluster()
    case.program.change(case.program.group, resourceGroupName="rg")
    case.program.change(case.account, accountName="own", allowSharedKeyAccess=allowed)
    written = f"{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/own"
    case.program.change(case.grant, scope=written)
    assert safety(case.program, "preview").opened_by_keys == expected


@pytest.mark.parametrize(("allowed", "expected"), [(None, UNKNOWN), (False, ())])
def test_data_at_a_scope_that_nobody_knows_may_be_any(allowed, expected):
    case = cluster()
    case.program.change(case.account, allowSharedKeyAccess=allowed)
    case.program.change(case.grant, scope=UNKNOWN)
    assert safety(case.program).opened_by_keys == expected
    case.program.change(case.grant, principalId=UNKNOWN)
    assert safety(case.program).opened_by_keys == expected
