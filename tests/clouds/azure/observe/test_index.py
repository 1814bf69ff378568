from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import Index, observe, resource_types
from gpuinfra.clouds.azure.observe.arm_ids import ArmId, last_part, parent_id, parse_arm_id
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.azure_cluster import cluster
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.azure_stacks import open_rule
from tests.rules.cases.moments import both

NETWORK = "/subscriptions/S/resourceGroups/G/providers/Microsoft.Network"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name", None),
        ("/somewhere/else", None),
        ("/", ArmId(None, "", (), wide=True)),
        ("/subscriptions/S", ArmId(None, "", (), wide=True, subscription="s")),
        (
            "/Subscriptions/S/resourcegroups/G/",
            ArmId("g", "", ("g",), wide=True, subscription="s"),
        ),
        (
            f"{NETWORK}/virtualNetworks/V/subnets/A",
            ArmId("g", "subnets", ("v", "a"), wide=False, subscription="s"),
        ),
        (
            "/providers/Microsoft.Management/managementGroups/M",
            ArmId(None, "managementgroups", ("m",), wide=True),
        ),
        (
            f"{NETWORK}/natGateways/N/providers/Microsoft.Authorization/roleAssignments/R",
            ArmId("g", "roleassignments", ("r",), wide=False, subscription="s"),
        ),
    ],
)
def test_an_id_and_its_parts(text, expected):
    assert parse_arm_id(text) == expected


def test_what_holds_a_resource_and_how_its_id_ends():
    assert parent_id(f"{NETWORK}/virtualNetworks/V/subnets/A/") == f"{NETWORK}/virtualNetworks/V"
    assert last_part("/a/B/") == "b"


@pytest.mark.parametrize(
    "token",
    [
        "azure-native:compute:VirtualMachine",
        "azure-native:compute/v20240301:VirtualMachine",
        "azure-native_compute_v20240301:compute:VirtualMachine",
    ],
)
def test_a_token_of_any_version(token):
    assert resource_types.canonical(token) == resource_types.MACHINE


def test_the_tables_of_kinds_fit_each_other():
    assert set(resource_types.NAMES) == set(resource_types.SEGMENTS)
    assert set(resource_types.PARENTS) <= set(resource_types.NAMES)


def firewall(program: AzureProgram, name: str, **inputs: Any) -> Any:
    return program.add(
        "azure-native:network:NetworkSecurityGroup",
        name,
        networkSecurityGroupName="nsg",
        **inputs,
    )


def rule(program: AzureProgram, name: str, **inputs: Any) -> Any:
    return program.add(
        "azure-native:network:SecurityRule", name, networkSecurityGroupName="nsg", **inputs
    )


def meant(program: AzureProgram, resource: Any, moment: Any) -> Targets:
    seen = {resource.urn: resource for resource in program.resources(moment)}
    return Index(seen.values()).targets(
        seen[resource.urn], "networkSecurityGroupName", resource_types.FIREWALL
    )


@both
def test_a_name_is_told_apart_by_its_resource_group(moment):
    program = AzureProgram()
    other = program.add("azure-native:resources:ResourceGroup", "other", location="westus")
    first = firewall(program, "first")
    second = firewall(program, "second", resourceGroupName=other.out("name"))
    for group, expected in ((program.group, first), (other, second)):
        own_rule = rule(program, f"rule-{group.name}", resourceGroupName=group.out("name"))
        targets = meant(program, own_rule, moment)
        assert [target.urn for target in targets.certain] == [expected.urn]
        assert targets.exact


def test_a_name_in_a_group_that_nobody_knows_stays_ambiguous():
    program = AzureProgram()
    firewall(program, "first", resourceGroupName="one")
    firewall(program, "second", resourceGroupName="two")
    own_rule = rule(program, "rule", resourceGroupName=UNKNOWN)
    targets = meant(program, own_rule, "created")
    assert (targets.certain, targets.complete) == ((), False)


def test_a_name_in_another_group_is_another_resource():
    program = AzureProgram()
    firewall(program, "first", resourceGroupName="one")
    own_rule = rule(program, "rule", resourceGroupName="TWO")
    assert meant(program, own_rule, "created").certain == ()
    program.change(own_rule, resourceGroupName="ONE")
    assert len(meant(program, own_rule, "created").certain) == 1


def closed_by_id(subscription):
    """A cluster whose subnet names its open security group by an id that is written out."""
    case = cluster()
    program = case.program
    program.change(program.group, resourceGroupName="rg")
    program.change(case.firewall, networkSecurityGroupName="Closed", securityRules=[open_rule()])
    path = "PROVIDERS/microsoft.network/networkSecurityGroups/closed"
    program.change(
        case.subnet, networkSecurityGroup={"id": f"{subscription}/resourceGroups/RG/{path}"}
    )
    return program


def login(resources):
    (group,) = observe(resources).groups
    return group.safety.open_login


@both
def test_an_id_that_is_written_out_finds_what_is_still_to_be_made(moment):
    program = closed_by_id(SUBSCRIPTION)
    account = SUBSCRIPTION.rpartition("/")[2].upper()
    assert login([replace(each, account=account) for each in program.resources(moment)]) is True
    planned = [replace(each, account="other") for each in program.resources("preview")]
    assert login(planned) is UNKNOWN


def test_an_id_tells_the_subscription_of_what_it_means():
    here, elsewhere = closed_by_id(SUBSCRIPTION), closed_by_id("/subscriptions/OTHER")
    assert login(here.resources("created")) is True
    assert login(elsewhere.resources("created")) is UNKNOWN
    for program in (here, elsewhere):
        assert login(program.resources("preview")) is UNKNOWN


def test_a_resource_is_in_the_subscription_of_those_of_equal_credentials():
    program = closed_by_id(SUBSCRIPTION)
    made = next(
        each for each in program.resources("created") if each.type == resource_types.RESOURCE_GROUP
    )
    planned = [each for each in program.resources("preview") if each.urn != made.urn]
    assert login([made, *planned]) is True
    assert login([replace(made, credentials="of another provider"), *planned]) is UNKNOWN
    account = next(
        each for each in program.resources("created") if each.type == resource_types.ACCOUNT
    )
    elsewhere = {"id": "/subscriptions/other/resourceGroups/a/providers/b/c/d"}
    second = replace(account, urn="second", outputs=elsewhere)
    assert login([made, second, *planned]) is UNKNOWN
    by_scope = replace(second, inputs={"scope": "/subscriptions/other"})
    assert login([made, by_scope, *planned]) is True


def test_what_may_be_in_another_subscription_is_a_namesake():
    program = closed_by_id(SUBSCRIPTION)
    seen = {each.urn: each for each in program.resources("preview")}
    subnet = next(each for each in seen.values() if each.type == resource_types.SUBNET)
    written = subnet.inputs["networkSecurityGroup"]["id"]
    index = Index(seen.values())
    targets = index.targets(subnet, "networkSecurityGroup", resource_types.FIREWALL, [written])
    assert ([each.name for each in targets.namesakes], targets.exact) == (["closed"], False)
    (firewall,) = index.of_kind(resource_types.FIREWALL)
    told = replace(subnet, relations={"networkSecurityGroup": (firewall.urn,)})
    targets = index.targets(told, "networkSecurityGroup", resource_types.FIREWALL, [written])
    assert (targets.certain, targets.exact) == ((firewall,), True)


def test_an_id_of_another_kind_with_the_same_name_is_somebody_else():
    program = AzureProgram()
    program.add("azure-native:storage:StorageAccount", "a", accountName="data")
    grant = program.add(
        "azure-native:authorization:RoleAssignment",
        "g",
        scope=f"{SUBSCRIPTION}/resourceGroups/x/providers/Microsoft.Any/things/data",
    )
    seen = {resource.urn: resource for resource in program.resources()}
    targets = Index(seen.values()).targets(seen[grant.urn], "scope", resource_types.ACCOUNT)
    assert targets.certain == ()


def test_a_resource_that_grows_is_known_anew():
    program = AzureProgram()
    account = program.add("azure-native:storage:StorageAccount", "a", kind="StorageV2")
    index = Index(program.resources("preview"))
    for resource in program.resources("created"):
        index.add(resource)
    assert len(index) == 2
    holder_ = Resource(
        urn="u", type=resource_types.CONTAINER, name="c", inputs={"accountName": "A1A2B3C4D"}
    )
    targets = index.targets(holder_, "accountName", resource_types.ACCOUNT)
    assert [target.urn for target in targets.certain] == [account.urn]


def test_a_subnet_is_told_apart_by_its_network():
    program = AzureProgram()
    for network in ("one", "two"):
        program.add(
            "azure-native:network:Subnet", network, subnetName="a", virtualNetworkName=network
        )
    seen = program.resources("preview")
    written = f"{SUBSCRIPTION}/resourceGroups/x/providers/Microsoft.Network/virtualNetworks"
    targets = Index(seen).targets(
        seen[0], "subnet", resource_types.SUBNET, [f"{written}/TWO/subnets/A"]
    )
    assert targets.certain == ()
    nowhere = Resource(urn="u", type=resource_types.MACHINE, name="m", inputs={})
    program.change(program.group, resourceGroupName="x")
    targets = Index(program.resources("created")).targets(
        nowhere, "subnet", resource_types.SUBNET, [f"{written}/TWO/subnets/A"]
    )
    assert [target.name for target in targets.certain] == ["two"]


@pytest.mark.parametrize("reference", ["G/id", "net", "urn:pulumi:dev::p::T::old"])
def test_a_renamed_resource_is_whom_the_former_one_was_called(reference):
    network, subnet = "azure-native:network:VirtualNetwork", "azure-native:network:Subnet"
    old = Resource(
        urn="urn:pulumi:dev::p::T::old",
        type=network,
        name="old",
        inputs={"virtualNetworkName": "net"},
        outputs={"id": "G/id", "principalId": "P"},
    )
    new = replace(old, urn="urn:pulumi:dev::p::T::new", outputs={})
    part = Resource(
        urn="urn:pulumi:dev::p::S::s",
        type=subnet,
        name="s",
        inputs={"virtualNetworkName": reference},
    )
    index = Index([old, part])
    index.add(new, former_urn=old.urn)

    assert tuple(index) == (part, new)
    assert index.of_kind(network) == (new,)
    assert index.targets(part, "virtualNetworkName", network) == Targets((new,))
    assert index.principal("p") == new.urn


@pytest.mark.parametrize(
    ("group", "name", "is_found"),
    [
        ("g", "workers5f8e6c6c", True),
        ("g", "workersc8a1c371", True),
        ("other", "workersc8a1c371", False),
        ("g", "servers1c8a1c371", False),
        ("g", "workers-of-others", False),
    ],
)
def test_a_replaced_set_is_found_under_the_name_that_it_gets(group, name, is_found):
    """A policy is shown the name that it had."""
    start = "/subscriptions/s/resourceGroups"
    sets = "providers/Microsoft.Compute/virtualMachineScaleSets"
    scaled = Resource(
        urn="urn:set",
        type=resource_types.SCALE_SET,
        name="workers",
        inputs={"resourceGroupName": "g", "vmScaleSetName": "workers5f8e6c6c"},
        outputs={"id": f"{start}/g/{sets}/workers5f8e6c6c", "name": "workers5f8e6c6c"},
    )
    setting = Resource(
        urn="urn:setting",
        type=resource_types.AUTOSCALE,
        name="size",
        inputs={"targetResourceUri": f"{start}/{group}/{sets}/{name}"},
    )

    targets = Index([scaled, setting]).targets(
        setting, "targetResourceUri", resource_types.SCALE_SET
    )

    assert (targets.exact and targets.certain == (scaled,)) is is_found
