"""Who may try to log in to machines: security groups, subnets and addresses."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import safety
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import Cluster, cluster, interface, network
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.azure_stacks import open_rule
from tests.rules.cases.moments import both


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
