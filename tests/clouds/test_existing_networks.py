"""An existing network that a stack file names: what its ids tell, and what is declared in it."""

from typing import Any, Final

import pytest

from gpuinfra.errors import InputError
from gpuinfra.graph import Resource
from gpuinfra.planning import from_stack, stack_graph
from gpuinfra.stackfile import loads

PROJECT: Final = "projects/my-project"
VIRTUAL: Final = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/net"
    "/providers/Microsoft.Network/virtualNetworks/main"
)
IDS: Final = {
    "aws": ("vpc-0123456789abcdef0", "subnet-0123456789abcdef0"),
    "gcp": (f"{PROJECT}/global/networks/main", f"{PROJECT}/regions/us-central1/subnetworks/gpu"),
    "azure": (VIRTUAL, f"{VIRTUAL}/subnets/gpu"),
}
PLACES: Final = {
    "aws": ("us-east-1", "L4:1"),
    "gcp": ("us-central1", "L4:1"),
    "azure": ("eastus", "T4:1"),
}
TRAINS: Final = "training: {{tune: {{gpu: '{gpu}', duration: 8h}}}}\n"
SERVES: Final = (
    "inference: {{chat: {{gpu: '{gpu}', replicas: 1..2, image: 'a/b:1', port: 80, "
    "scale_on: {{gpu_utilization: 70%}}}}}}\n"
)


def text(cloud: str, network: str, work: str = TRAINS, region: str = "") -> str:
    here, gpu = PLACES[cloud]
    where = f"where: {{cloud: {cloud}, regions: [{region or here}]}}\n"
    head = f"version: 1\nname: lab\nowner: me\n{where}network: {network}\n"
    return f"{head}{work.format(gpu=gpu)}"


def named(cloud: str, *subnets: str, more: str = "") -> str:
    vpc, subnet = IDS[cloud]
    return f"{{vpc: '{vpc}', subnets: [{', '.join(subnets or (subnet,))}]{more}}}"


def declared(content: str) -> dict[str, Resource]:
    stack = loads(content).stack
    return dict(stack_graph(stack, from_stack(stack)).resources)


def faults(content: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        from_stack(loads(content).stack)
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("cloud", "own"),
    [
        ("gcp", {"compute/network:", "compute/subnetwork:", "compute/routerNat:"}),
        ("azure", {"network:VirtualNetwork", "network:Subnet", "network:NatGateway"}),
    ],
)
@pytest.mark.parametrize("work", [TRAINS, SERVES])
def test_nothing_of_a_network_is_created_beside_one_that_is_named(
    cloud: str, own: set[str], work: str
) -> None:
    def networks(content: str) -> set[str]:
        types = {resource.type for resource in declared(content).values()}
        return {part for part in own for type_ in types if part in f"{type_}:"}

    assert networks(text(cloud, named(cloud, more=", cidr: 10.20.0.0/16"), work)) == set()
    assert networks(text(cloud, "{}", work)) == own


def test_machines_of_google_cloud_start_in_the_subnet_and_only_they_are_opened() -> None:
    made = declared(text("gcp", named("gcp", more=", cidr: 10.20.0.0/16"), SERVES))
    template, clients = (
        made["pool.chat/template"].inputs,
        made["pool.chat/clients_firewall"].inputs,
    )

    assert [nic["subnetwork"] for nic in template["networkInterfaces"]] == [IDS["gcp"][1]]
    assert clients["network"] == IDS["gcp"][0]
    assert clients["sourceRanges"] == ["10.20.0.0/16"]
    assert clients["targetServiceAccounts"]


def test_machines_of_azure_start_in_the_subnet_and_answer_the_range() -> None:
    made = declared(text("azure", named("azure", more=", cidr: 10.20.0.0/16"), SERVES))
    profile: Any = made["pool.chat/group"].inputs["virtualMachineProfile"]
    (card,) = profile["networkProfile"]["networkInterfaceConfigurations"]
    rules = made["pool.chat/firewall"].inputs["securityRules"]

    assert card["ipConfigurations"][0]["subnet"] == {"id": IDS["azure"][1]}
    assert rules[0]["sourceAddressPrefix"] == "10.20.0.0/16"


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_the_callers_of_a_pool_are_stated(cloud: str) -> None:
    assert faults(text(cloud, named(cloud), SERVES)) == [
        "network has no cidr, so the pool's callers are unknown"
    ]


@pytest.mark.parametrize(("cloud", "other"), [("aws", "gcp"), ("gcp", "azure"), ("azure", "aws")])
def test_an_id_is_of_the_cloud_that_builds(cloud: str, other: str) -> None:
    assert faults(text(cloud, named(other))) == [f"network.vpc is no id of {cloud}"]
    mixed = f"{{vpc: '{IDS[cloud][0]}', subnets: ['{IDS[other][1]}']}}"
    assert faults(text(cloud, mixed)) == [f"network.subnets is no id of {cloud}"]


@pytest.mark.parametrize(
    ("cloud", "subnets", "message"),
    [
        (
            "gcp",
            (f"{PROJECT}/regions/europe-west4/subnetworks/gpu",),
            "the subnet is in europe-west4, and the workload in us-central1",
        ),
        ("gcp", (IDS["gcp"][1], f"{IDS['gcp'][1]}2"), "network.subnets has 2 subnets"),
        ("azure", (f"{VIRTUAL}2/subnets/gpu",), f"the subnet is not in the network {VIRTUAL}"),
        ("azure", (IDS["azure"][1], f"{IDS['azure'][1]}2"), "network.subnets has 2 subnets"),
    ],
)
def test_subnets_fit_the_network_and_the_workload(
    cloud: str, subnets: tuple[str, ...], message: str
) -> None:
    assert faults(text(cloud, named(cloud, *subnets))) == [message]


def test_a_network_is_in_one_region() -> None:
    (message,) = faults(text("azure", named("azure"), region="eastus, westeurope"))

    assert message == "a network is in one region, and the workload may be in eastus, westeurope"


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_the_settings_of_a_new_network_are_never_ignored(cloud: str) -> None:
    message = f"on {cloud} the range of a network that is created can't be set"

    assert faults(text(cloud, "{cidr: 10.1.0.0/16}")) == [message]
    for key in ("nat: false", "flow_logs: true", "shared: true"):
        name = key.partition(":")[0]
        (fault,) = faults(text(cloud, f"{{{key}}}"))
        assert fault.startswith(f"{name} is not supported on {cloud}: ")
