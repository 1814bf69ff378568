"""What machines of raw resources reach on Azure: what a stack shows of it, and what it can't."""

from dataclasses import dataclass
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_cluster import Cluster, cluster, interface, network, role
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.azure_stacks import open_rule
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle

READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"


@dataclass
class Seen:
    ways: tuple[str, ...]
    faults: tuple[str, ...]


def reach(program: AzureProgram, moment: Any = "created") -> Seen:
    shown = observe(program.resources(moment)).groups[0].reach
    assert shown is not None
    return Seen(shown.open_paths, tuple(fault.message for fault in shown.faults))


def with_nat(case: Cluster, **address: Any) -> tuple[Handle, Handle]:
    given = {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static", **address}
    kept = {key: value for key, value in given.items() if value is not None}
    ip = case.program.add("azure-native:network:PublicIPAddress", "ip", **kept)
    nat = case.program.add(
        "azure-native:network:NatGateway",
        "nat",
        sku={"name": "Standard"},
        publicIpAddresses=[{"id": ip.id}],
    )
    case.program.change(case.subnet, natGateway={"id": nat.id})
    return nat, ip


def rule(access: str, direction: str, far: str, priority: int, port: str = "*") -> dict[str, Any]:
    near = "sourceAddressPrefix" if direction == "Inbound" else "destinationAddressPrefix"
    more = {"access": access, "direction": direction, "priority": priority, near: far}
    return open_rule(port, protocol="*", **{"name": f"r{priority}", **more})


def guarded(case: Cluster, *rules: dict[str, Any]) -> Cluster:
    case.program.change(case.firewall, securityRules=list(rules))
    return case


@both
def test_a_private_subnet_has_a_way_out_by_its_gateway_alone(moment):
    case = cluster()
    assert "inner has no outbound route" in reach(case.program, moment).faults[0]

    with_nat(case)

    assert "a NAT gateway (Standard) out" in reach(case.program, moment).ways
    assert not [fault for fault in reach(case.program, moment).faults if "way out" in fault]


@both
def test_without_a_word_azure_gives_a_way_out(moment):
    case = cluster()
    case.program.change(case.subnet, defaultOutboundAccess=None)

    assert "Azure's default outbound access of inner" in reach(case.program, moment).ways


@both
@pytest.mark.parametrize("sku", [None, {"name": "Basic"}])
def test_a_nat_gateway_takes_no_basic_address(sku, moment):
    case = cluster()
    with_nat(case, sku=sku)

    assert (
        "the NAT gateway nat does not support a basic address (ip)"
        in reach(case.program, moment).faults
    )


def test_what_is_not_known_of_a_gateway_is_no_fault():
    case = cluster()
    nat, ip = with_nat(case)
    case.program.change(ip, sku=UNKNOWN)
    case.program.change(case.subnet, serviceEndpoints=UNKNOWN)
    assert reach(case.program).faults == ()
    case.program.change(nat, publicIpAddresses=UNKNOWN)
    assert reach(case.program).faults == ()
    case.program.change(nat, publicIpAddresses=None)
    assert "the NAT gateway nat has no public address" in reach(case.program).faults


@both
def test_storage_by_the_nat_gateway_is_billed_by_the_byte(moment):
    case = cluster()
    with_nat(case)
    assert "by the byte" in reach(case.program, moment).faults[0]

    case.program.change(case.subnet, serviceEndpoints=[{"service": "Microsoft.Storage"}])

    assert reach(case.program, moment).faults == ()
    assert "Microsoft.Storage direct" in reach(case.program, moment).ways


@both
def test_groups_that_keep_everything_keep_https_and_the_other_machines(moment):
    case = guarded(
        cluster(),
        rule("Deny", "Outbound", "*", 4096),
        rule("Deny", "Inbound", "*", 4096),
    )
    faults = reach(case.program, moment).faults

    assert "closed allows no outbound HTTPS (TCP 443)" in faults
    assert "the network security groups do not allow the other machines' traffic in" in faults
    assert "the network security groups do not allow the other machines' traffic out" in faults

    guarded(
        case,
        rule("Allow", "Outbound", "10.0.0.0/20", 100),
        rule("Allow", "Outbound", "*", 110, "443"),
        rule("Allow", "Inbound", "VirtualNetwork", 100),
        rule("Deny", "Outbound", "*", 4096),
        rule("Deny", "Inbound", "*", 4096),
    )
    shown = reach(case.program, moment)

    assert "connections out to TCP 443 alone, past closed" in shown.ways
    assert "the other machines" in shown.ways
    assert not [fault for fault in shown.faults if "security" in fault or "HTTPS" in fault]


@pytest.mark.parametrize(
    "hidden",
    [
        rule("Allow", "Outbound", UNKNOWN, 100),
        rule("Allow", "Outbound", "Storage", 100),
        rule("Allow", UNKNOWN, "*", 100),
    ],
)
def test_a_rule_that_may_let_https_out_is_no_fault(hidden):
    case = guarded(cluster(), hidden, rule("Deny", "Outbound", "*", 4096))

    assert not [fault for fault in reach(case.program).faults if "HTTPS" in fault]


def balanced(case: Cluster, **more: Any) -> Handle:
    own = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/loadBalancers/front"
    given = {
        "loadBalancerName": "front",
        "frontendIPConfigurations": [{"name": "front", "subnet": {"id": case.subnet.id}}],
        "backendAddressPools": [{"name": "servers"}],
        "probes": [{"name": "ask", "protocol": "Tcp", "port": 8000}],
        "loadBalancingRules": [
            {
                "name": "serve",
                "protocol": "Tcp",
                "frontendPort": 80,
                "backendPort": 8000,
                "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/front"},
                "backendAddressPool": {"id": f"{own}/backendAddressPools/servers"},
                "probe": {"id": f"{own}/probes/ask"},
            }
        ],
    }
    balancer = case.program.add("azure-native:network:LoadBalancer", "front", **{**given, **more})
    pool = [{"id": balancer.out("backendAddressPools/servers")}]
    address = interface(case.subnet.id, loadBalancerBackendAddressPools=pool)
    case.profile(networkProfile=network(address))
    return balancer


def changed(**more: Any) -> dict[str, Any]:
    own = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/loadBalancers/front"
    whole = {
        "name": "serve",
        "protocol": "Tcp",
        "frontendPort": 80,
        "backendPort": 8000,
        "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/front"},
        "backendAddressPool": {"id": f"{own}/backendAddressPools/servers"},
        "probe": {"id": f"{own}/probes/ask"},
        **more,
    }
    return {"loadBalancingRules": [whole]}


@both
def test_requests_reach_machines_through_a_balancer(moment):
    case = cluster()
    balanced(case)
    shown = reach(case.program, moment)

    assert "requests by Tcp 80 to 8000" in shown.ways
    assert "healthy where Tcp 8000 answers" in shown.ways
    assert not [fault for fault in shown.faults if "load balancer" in fault or "rule" in fault]


@both
@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"frontendIPConfigurations": [{"name": "front"}]}, "is in no subnet"),
        ({"frontendIPConfigurations": []}, "has no address"),
        ({"loadBalancingRules": []}, "no rule of the load balancer"),
        (changed(backendAddressPool=None), "no rule of the load balancer"),
        (changed(probe=None), "forwards requests without a health probe"),
        (changed(probe={"id": "/x/probes/other"}), "names a probe that it doesn't have"),
        (
            changed(frontendIPConfiguration={"id": "/x/front2"}),
            "names an address that it doesn't have",
        ),
    ],
)
def test_what_keeps_requests_away_is_said(more, says, moment):
    case = cluster()
    balanced(case, **more)

    assert [fault for fault in reach(case.program, moment).faults if says in fault]


def test_probes_come_to_their_own_port():
    case = cluster()
    balanced(case, probes=[{"name": "ask", "protocol": "Tcp", "port": 8001}])
    guarded(
        case,
        rule("Allow", "Inbound", "AzureLoadBalancer", 100, "8000"),
        rule("Allow", "Inbound", "VirtualNetwork", 110, "8000"),
        rule("Deny", "Inbound", "*", 4096),
    )
    message = "the network security groups allow no inbound probes on TCP 8001"

    assert message in reach(case.program).faults

    guarded(case, rule("Allow", "Inbound", "AzureLoadBalancer", 100, "8001"))
    assert message not in reach(case.program).faults


def test_a_pool_that_the_balancer_lacks_is_said():
    case = cluster()
    balanced(case, backendAddressPools=[{"name": "others"}])

    assert [fault for fault in reach(case.program).faults if "has no pool servers" in fault]


@both
@pytest.mark.parametrize(("port", "kept"), [("8000", 0), ("8001", 2)])
def test_groups_keep_requests_and_probes_from_another_port(port, kept, moment):
    case = guarded(
        cluster(),
        rule("Allow", "Inbound", "*", 100, port),
        rule("Deny", "Inbound", "*", 4096),
    )
    balanced(case)

    faults = [fault for fault in reach(case.program, moment).faults if "on TCP 8000" in fault]

    assert len(faults) == kept


@both
def test_roles_of_the_machines_are_told(moment):
    shown = reach(cluster().program, moment)

    assert [way for way in shown.ways if way.startswith("Storage Blob Data Contributor on tokens")]


def test_an_identity_that_machines_are_told_of_and_lack_is_said():
    case = cluster()
    other = case.program.add("azure-native:managedidentity:UserAssignedIdentity", "other")
    case.profile(osProfile={"adminUsername": "hpc", "customData": other.out("clientId")})

    assert reach(case.program, "preview").faults[-1] == (
        "the machines' script uses the identity other, which is not assigned to them"
    )


def test_a_network_of_another_region_is_said():
    case = cluster()
    case.program.change(case.firewall, location="westus")

    assert [
        fault for fault in reach(case.program, "preview").faults if "closed in westus" in fault
    ]


def test_a_network_of_the_caller_is_no_fault():
    case = cluster()
    case.profile(networkProfile=network(interface("/subscriptions/s/subnets/theirs")))

    assert reach(case.program).faults == ()


@both
@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 0),
        ({"grant": {"roleDefinitionId": role(READER)}}, 1),
        ({"grant": {"scope": SUBSCRIPTION}}, 0),
        ({"grant": {"roleDefinitionId": role("their-own")}}, 0),
        (
            {
                "grant": {"roleDefinitionId": role(READER)},
                "account": {"allowSharedKeyAccess": True},
            },
            0,
        ),
    ],
)
def test_a_container_that_machines_are_told_of_takes_a_role(changes, count, moment):
    case = cluster()
    named = {"accountName": case.account.out("name"), "containerName": "data"}
    data = case.program.add("azure-native:storage:BlobContainer", "data", **named)
    case.profile(osProfile={"adminUsername": "hpc", "customData": data.out("name")})
    for part, inputs in changes.items():
        case.program.change(getattr(case, part), **inputs)

    faults = [
        fault for fault in reach(case.program, moment).faults if "and no role allows it" in fault
    ]
    assert len(faults) == (count if moment == "preview" else 0)
