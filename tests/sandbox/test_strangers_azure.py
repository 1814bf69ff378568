"""Programs for Azure written the way strangers write them come up, change, drift and go away."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi import automation

from gpuinfra import sandbox

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

FOLDER = Path(__file__).parent / "strangers"


def changes(result: Any) -> set[str]:
    return set(result.summary.resource_changes)


@pytest.mark.parametrize(
    ("program", "setting", "drifted", "values"),
    [
        (
            "azure_gpu_machine",
            {"town:vmSize": "Standard_NC8as_T4_v3"},
            "gpu-vm",
            {"tags.team": "somebody"},
        ),
        ("azure_scaled_site", {"town:max": "5"}, "site-set", {"sku.capacity": 7}),
    ],
)
def test_a_strangers_program_lives_and_goes(
    program: str,
    setting: dict[str, str],
    drifted: str,
    values: dict[str, Any],
    stack: Callable[..., automation.Stack],
) -> None:
    def run() -> None:
        runpy.run_path(str(FOLDER / f"{program}.py"))

    town = stack(run)
    town.set_config("azure-native:location", automation.ConfigValue("eastus"))
    up = town.up()
    assert changes(up) == {"create"}
    assert all(output.value for output in up.outputs.values())
    assert changes(town.up()) == {"same"}
    assert changes(town.refresh()) == {"same"}

    for key, value in setting.items():
        town.set_config(key, automation.ConfigValue(value))
    assert "update" in changes(town.up())

    sandbox.change(drifted, values)
    assert changes(town.refresh()) == {"same", "update"}
    mended = town.up()
    assert mended.summary.resource_changes["update"] == 1
    assert changes(town.refresh()) == {"same"}

    town.destroy()
    assert sandbox.existing_resources() == []


def test_what_stands_can_be_imported_into_another_stack(
    stack: Callable[..., automation.Stack],
) -> None:
    from pulumi_azure_native import network, resources, storage

    imported: dict[str, str] = {}
    standing = sandbox.existing_resources

    def options(name: str) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(import_=imported.get(name), retain_on_delete=True)

    def run() -> None:
        group = resources.ResourceGroup(
            "group", resource_group_name="shared", location="eastus", opts=options("group")
        )
        network.VirtualNetwork(
            "net",
            virtual_network_name="net",
            resource_group_name=group.name,
            location="eastus",
            address_space={"address_prefixes": ["10.0.0.0/16"]},
            opts=options("net"),
        )
        network.LoadBalancer(
            "front",
            load_balancer_name="front",
            resource_group_name=group.name,
            location="eastus",
            sku={"name": "Standard"},
            backend_address_pools=[{"name": "machines"}],
            opts=options("front"),
        )
        storage.StorageAccount(
            "data",
            account_name="shareddata",
            resource_group_name=group.name,
            location="eastus",
            kind="StorageV2",
            sku={"name": "Standard_LRS"},
            opts=options("data"),
        )

    first = stack(run)
    first.up()
    imported |= {record.name: record.id.replace("/shared", "/SHARED") for record in standing()}
    second = stack(run, name="other")

    adopted = second.up()

    assert adopted.summary.resource_changes == {"create": 1, "import": 4}
    imported.clear()
    assert changes(second.up()) == {"same"}


def test_a_replacement_deletes_first_where_the_program_gives_the_name(
    stack: Callable[..., automation.Stack],
) -> None:
    from pulumi_azure_native import network, resources

    place = {"location": "eastus"}

    def run() -> None:
        group = resources.ResourceGroup("group", location="eastus")
        network.PublicIPAddress(
            "given", resource_group_name=group.name, public_ip_address_name="given", **place
        )
        network.PublicIPAddress("made", resource_group_name=group.name, **place)

    town = stack(run)
    town.up()
    before = {record.name: record for record in sandbox.existing_resources()}
    place["location"] = "westus"
    town.up()
    after = {record.name: record for record in sandbox.existing_resources()}

    assert after["given"].id == before["given"].id
    assert after["made"].id != before["made"].id
    assert {after[name].region for name in ("given", "made")} == {"westus"}
