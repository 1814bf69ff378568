import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pulumi
import pytest

from gpuinfra.clouds.azure.declare import placeholder_ssh_key
from gpuinfra.clouds.azure.declare.machine import custom_data
from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.azure.payload import MAX_CUSTOM_DATA
from gpuinfra.components.messages import show_plain_errors
from gpuinfra.errors import InputError
from gpuinfra.model import Resource, Usage
from tests.components.mocked.azure import SUBSCRIPTION

Trained = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Network:
    vpc_id: str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v"
    subnet_ids: tuple[str, ...] = ("/…/virtualNetworks/v/subnets/gpu",)
    cidr_block: str | None = None


def scale_set(seen: Any) -> dict[str, Any]:
    return seen.of("trainer-group").inputs


def profile(seen: Any) -> dict[str, Any]:
    return scale_set(seen)["virtualMachineProfile"]


def script(seen: Any) -> str:
    return base64.b64decode(profile(seen)["osProfile"]["customData"]).decode()


def rules(seen: Any) -> dict[str, dict[str, Any]]:
    return {
        security_rule["name"]: security_rule
        for security_rule in seen.of("trainer-firewall").inputs["securityRules"]
    }


def test_cluster_is_the_golden_one(trained: Trained, golden: Callable[..., None]) -> None:
    golden("azure-training-cluster", trained(capacity="spot", max_price=Decimal(30)).golden())


def test_node_is_the_golden_one(trained: Trained, golden: Callable[..., None]) -> None:
    seen = trained(
        "Standard_NC4as_T4_v3",
        fabric=False,
        words={"nodes": 1, "data": [], "checkpoints": None, "command": None},
        given={"buckets": {}},
        zones=("eastus-2",),
    )
    golden("azure-training-node", seen.golden())


def test_who_declines_infiniband_is_not_taken_for_who_forgot_it(trained: Trained) -> None:
    made = trained(fabric=False).of("trainer-group")
    seen = Resource(urn=made.urn, type=made.type, name=made.name, inputs=made.inputs)
    forgot = replace(seen, inputs={**made.inputs, "orchestrationMode": "Flexible"})
    usage = Usage(purpose={made.name: "training"})

    assert observe([seen], usage).groups[0].fabric is None
    fabric = observe([forgot], usage).groups[0].fabric
    assert fabric is not None
    assert fabric.placement is None


def test_every_child_stands_under_the_component_and_in_its_own_group(trained: Trained) -> None:
    seen = trained()
    (component,) = [resource for resource in seen.resources if resource.type.startswith("tests:")]
    others = [resource for resource in seen.resources if resource is not component]
    groups = {other.inputs.get("resourceGroupName") for other in others}

    assert {other.parent for other in others} == {component.urn}
    assert groups - {None} == {seen.of("trainer-resource-group").outputs["name"]}


def test_infiniband_joins_one_uniform_set_in_a_single_placement_group(trained: Trained) -> None:
    made = scale_set(trained())

    assert made["orchestrationMode"] == "Uniform"
    assert made["singlePlacementGroup"] is True
    assert made["overprovision"] is False
    assert made["platformFaultDomainCount"] == 1
    assert made["upgradePolicy"] == {"mode": "Manual"}
    assert made["sku"] == {
        "name": "Standard_ND96isr_H100_v5",
        "tier": "Standard",
        "capacity": 2,
    }


def test_a_gang_without_infiniband_stands_in_a_uniform_set_of_any_placement(
    trained: Trained,
) -> None:
    seen = trained("Standard_NC24ads_A100_v4", fabric=False)

    assert scale_set(seen)["orchestrationMode"] == "Uniform"
    assert scale_set(seen)["singlePlacementGroup"] is False
    assert scale_set(seen)["overprovision"] is False
    assert "networkApiVersion" not in profile(seen)["networkProfile"]


def test_a_lone_machine_stands_in_a_flexible_set(trained: Trained) -> None:
    seen = trained("Standard_NC24ads_A100_v4", fabric=False, words={"nodes": 1})

    assert scale_set(seen)["orchestrationMode"] == "Flexible"
    assert "overprovision" not in scale_set(seen)
    assert profile(seen)["networkProfile"]["networkApiVersion"] == "2022-11-01"


def test_spot_writes_its_ceiling_and_tries_to_come_back(trained: Trained) -> None:
    seen = trained(capacity="spot", max_price=Decimal("30.5"))

    assert profile(seen)["priority"] == "Spot"
    assert profile(seen)["evictionPolicy"] == "Delete"
    assert profile(seen)["billingProfile"] == {"maxPrice": 30.5}
    assert "scheduledEventsProfile" not in profile(seen)
    assert scale_set(seen)["spotRestorePolicy"] == {"enabled": True, "restoreTimeout": "PT1H"}


def test_spot_without_a_ceiling_pays_up_to_the_price_on_demand(trained: Trained) -> None:
    assert profile(trained(capacity="spot"))["billingProfile"] == {"maxPrice": -1}


def test_a_regular_machine_is_warned_and_has_no_settings_of_spot(trained: Trained) -> None:
    seen = trained()

    assert profile(seen)["priority"] == "Regular"
    assert {"evictionPolicy", "billingProfile"}.isdisjoint(profile(seen))
    assert "spotRestorePolicy" not in scale_set(seen)
    assert profile(seen)["scheduledEventsProfile"] == {
        "terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT5M"}
    }


def test_another_machine_market_mode_or_zone_makes_the_set_anew_and_deletes_first(
    trained: Trained,
) -> None:
    seen = trained(capacity="spot", zones=("eastus-2",))

    assert seen.of("trainer-group").options == {
        "deleteBeforeReplace": True,
        "replacementTrigger": [
            "Standard_ND96isr_H100_v5",
            "spot",
            "Uniform",
            "one group",
            "eastus-2",
        ],
    }
    assert scale_set(seen)["zones"] == ["2"]


def test_without_a_wish_azure_finds_the_place(trained: Trained) -> None:
    assert "zones" not in scale_set(trained())


def test_no_address_is_public_but_that_of_the_way_out(trained: Trained) -> None:
    seen = trained()
    (interface,) = profile(seen)["networkProfile"]["networkInterfaceConfigurations"]
    (address,) = interface["ipConfigurations"]
    subnet = seen.of("trainer-subnet").inputs

    assert "publicIPAddressConfiguration" not in address
    assert interface["enableAcceleratedNetworking"] is True
    assert subnet["defaultOutboundAccess"] is False
    assert subnet["natGateway"] == {"id": seen.of("trainer-nat-gateway").outputs["id"]}
    assert subnet["serviceEndpoints"] == [{"service": "Microsoft.Storage"}]


def test_nobody_logs_in(trained: Trained) -> None:
    system = profile(trained())["osProfile"]["linuxConfiguration"]

    assert system["disablePasswordAuthentication"] is True
    assert [public_key["keyData"] for public_key in system["ssh"]["publicKeys"]] == [
        placeholder_ssh_key.public_key()
    ]


def test_machines_reach_each_other_and_the_web_and_nothing_else(trained: Trained) -> None:
    by_name = rules(trained())
    opened = {name for name, rule in by_name.items() if rule["access"] == "Allow"}

    assert opened == {"peers-in", "peers-out", "out-443", "out-80"}
    assert by_name["peers-in"]["sourceAddressPrefix"] == "10.0.0.0/20"
    assert by_name["peers-out"]["destinationAddressPrefix"] == "10.0.0.0/20"
    for name in ("nothing-else-in", "nothing-else-out"):
        assert (by_name[name]["access"], by_name[name]["priority"]) == ("Deny", 4096)
    assert len({(rule["direction"], rule["priority"]) for rule in by_name.values()}) == len(
        by_name
    )


def test_a_lone_machine_is_opened_to_nobody(trained: Trained) -> None:
    by_name = rules(trained(words={"nodes": 1}, fabric=False))

    assert not [
        rule
        for rule in by_name.values()
        if (rule["direction"], rule["access"]) == ("Inbound", "Allow")
    ]


def test_rights_are_for_parts_of_containers_once_for_each_way(trained: Trained) -> None:
    seen = trained()
    rights = {
        resource.inputs.get("description", resource.name): resource.inputs
        for resource in seen.resources
        if resource.type == "azure-native:authorization:RoleAssignment"
    }
    reads, writes = (
        rights["trainer reads the bucket data"],
        rights["trainer writes the bucket data"],
    )
    container = (
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/llamadata0123456789ab/providers"
        "/Microsoft.Storage/storageAccounts/llamadata0123456789ab"
        "/blobServices/default/containers/data"
    )

    assert len(rights) == 3
    assert {right["principalType"] for right in rights.values()} == {"ServicePrincipal"}
    assert reads["scope"] == writes["scope"] == container
    assert reads["roleDefinitionId"].endswith("/2a2b9908-6ea1-4ae2-8e65-a410df84e7d1")
    assert writes["roleDefinitionId"].endswith("/ba92f5b4-2d11-453d-a403-e96b0029c9fe")
    assert "blobs:path] StringStartsWith 'tokens/'" in reads["condition"]
    assert "blobs:path] StringStartsWith 'checkpoints/'" in writes["condition"]
    assert rights["trainer-peers"]["scope"] == seen.of("trainer-resource-group").outputs["id"]


def test_start_script_names_the_buckets_of_the_cloud(trained: Trained) -> None:
    text = script(trained())

    assert "mount_bucket /data/data-tokens llamadata0123456789ab/data tokens/ read" in text
    assert "mount_bucket /checkpoints llamadata0123456789ab/data checkpoints/ write" in text
    assert "GPUINFRA_NODES=2" in text
    assert "gpuinfra-torchrun train.py" in text


def test_a_script_that_azure_would_refuse_ends_the_program_in_words() -> None:
    with (
        pytest.raises(pulumi.RunError, match=r"trainer: the start-up script is too long.*shorten"),
        show_plain_errors(),
    ):
        custom_data("trainer", "#" * (MAX_CUSTOM_DATA + 1))


def test_a_bucket_of_the_callers_is_known_by_its_resource_id(trained: Trained) -> None:
    container = (
        "/subscriptions/other/resourceGroups/team/providers/Microsoft.Storage"
        "/storageAccounts/teamtokens/blobServices/default/containers/tokens"
    )
    seen = trained(given={"buckets": {"data": pulumi.Output.from_input(container)}})
    scopes = {
        resource.inputs["scope"]
        for resource in seen.resources
        if "blob" in resource.inputs.get("condition", "")
    }

    assert scopes == {container}
    assert "mount_bucket /checkpoints teamtokens/tokens checkpoints/ write" in script(seen)


@pytest.mark.parametrize("bucket", ["s3://tokens", "Account/data", "tokens", "abc/x--y"])
def test_what_is_no_bucket_of_azure_is_refused(trained: Trained, bucket: str) -> None:
    with pytest.raises(InputError) as refused:
        trained(given={"buckets": {"data": bucket}})

    (problem,) = refused.value.problems
    assert "is not a valid bucket name on Azure" in problem.message
    assert "resource id" in problem.allowed


def test_the_public_image_is_pinned(trained: Trained) -> None:
    seen = trained()
    image = profile(seen)["storageProfile"]["imageReference"]

    assert (image["publisher"], image["offer"]) == ("microsoft-dsvm", "ubuntu-hpc")
    assert image["version"] != "latest"
    assert seen.outputs["image_id"] == ":".join(
        image[key] for key in ("publisher", "offer", "sku", "version")
    )


@pytest.mark.parametrize(
    ("wish", "reference"),
    [
        (
            "team:gpu:2404:1.0.7",
            {"publisher": "team", "offer": "gpu", "sku": "2404", "version": "1.0.7"},
        ),
        (
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/gpu",
            {"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/gpu"},
        ),
        (
            "/CommunityGalleries/team/Images/gpu/Versions/1.0.7",
            {"communityGalleryImageId": "/CommunityGalleries/team/Images/gpu/Versions/1.0.7"},
        ),
    ],
)
def test_own_images(trained: Trained, wish: str, reference: dict[str, str]) -> None:
    seen = trained(words={"machine_image": wish})

    assert profile(seen)["storageProfile"]["imageReference"] == reference


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("ami-0123456789abcdef0", "is not an Azure image"),
        ("microsoft-dsvm:ubuntu-hpc:2204:latest", "names no version"),
        ("/CommunityGalleries/team/Images/gpu/Versions/latest", "names no version"),
    ],
)
def test_what_is_no_image_or_moves_is_refused(trained: Trained, wish: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        trained(words={"machine_image": wish})

    (problem,) = refused.value.problems
    assert message in problem.message


def test_the_callers_network_is_taken_as_it_is(trained: Trained) -> None:
    seen = trained(given={"network": Network()})
    made = {resource.type.rpartition(":")[2] for resource in seen.resources}
    (interface,) = profile(seen)["networkProfile"]["networkInterfaceConfigurations"]

    assert made.isdisjoint({"VirtualNetwork", "Subnet", "NatGateway", "PublicIPAddress"})
    assert interface["ipConfigurations"][0]["subnet"] == {"id": Network().subnet_ids[0]}
    assert rules(seen)["peers-in"]["sourceAddressPrefix"] == "VirtualNetwork"


def test_a_network_with_two_subnets_is_refused(trained: Trained) -> None:
    with pytest.raises(InputError) as refused:
        trained(given={"network": Network(subnet_ids=("a", "b"))})

    assert refused.value.problems[0].allowed.startswith("one subnet")


def test_tags_are_on_all_that_takes_some(trained: Trained) -> None:
    seen = trained(tags={"team": "red"})
    tagged = [resource for resource in seen.resources if "tags" in resource.inputs]

    assert {resource.type.rpartition(":")[2] for resource in tagged} == {
        "NatGateway",
        "NetworkSecurityGroup",
        "PublicIPAddress",
        "ResourceGroup",
        "UserAssignedIdentity",
        "VirtualMachineScaleSet",
        "VirtualNetwork",
    }
    for resource in tagged:
        assert resource.inputs["tags"] == {
            "gpuinfra:stack": "llama",
            "gpuinfra:owner": "ml-platform",
            "gpuinfra:workload": "trainer",
            "team": "red",
        }


def test_a_block_keeps_what_the_caller_leaves_out(trained: Trained) -> None:
    key = [{"path": "/home/gpuinfra/.ssh/authorized_keys", "key_data": "ssh-ed25519 mine"}]
    own = {"os_profile": {"linux_configuration": {"ssh": {"public_keys": key}}}}
    seen = trained(given={"customize": {"group": {"virtual_machine_profile": own}}})
    system = profile(seen)["osProfile"]["linuxConfiguration"]

    assert system["disablePasswordAuthentication"] is True
    assert system["ssh"]["publicKeys"][0]["keyData"] == "ssh-ed25519 mine"
