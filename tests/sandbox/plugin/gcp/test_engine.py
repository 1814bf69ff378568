"""Google Cloud on the real engine: import by a person's id, replacement, refusal, loss of moto."""

from collections.abc import Callable

import pulumi
import pytest
from pulumi import automation

from gpuinfra import sandbox
from gpuinfra.sandbox.faults import InjectedFault

pytestmark = [
    pytest.mark.e2e,
    # pulumi_gcp warns of its own old names when it is imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
Stacks = Callable[..., automation.Stack]


def test_what_one_stack_made_another_imports(stack: Stacks) -> None:
    import pulumi_gcp as gcp

    def maker() -> None:
        gcp.compute.Disk("data", name="data", size=100, zone="us-central1-a")

    def importer() -> None:
        options = pulumi.ResourceOptions(import_="us-central1-a/data")
        disk = gcp.compute.Disk("mine", name="data", size=100, zone="us-central1-a", opts=options)
        pulumi.export("id", disk.id)

    stack(maker, "maker").up()
    taker = stack(importer, "taker")
    up = taker.up()

    assert up.summary.resource_changes == {"create": 1, "import": 1}
    assert up.outputs["id"].value == "projects/sandbox-project/zones/us-central1-a/disks/data"
    assert set(taker.up().summary.resource_changes or {}) == {"same"}


def test_a_refusal_is_the_clouds_and_the_rest_goes_on_without_moto(stack: Stacks) -> None:
    import pulumi_gcp as gcp

    sandbox.faults.add(InjectedFault(kind="no-capacity", zone="us-central1-a", times=1))
    size = {"gb": 100}

    def program() -> None:
        gcp.compute.Disk("data", size=size["gb"], zone="us-central1-a")
        gcp.compute.Instance(
            "box",
            machine_type="g2-standard-4",
            zone="us-central1-a",
            scheduling={"on_host_maintenance": "TERMINATE"},
            boot_disk={"initialize_params": {"image": "debian-cloud/debian-12"}},
            network_interfaces=[{"network": "default"}],
        )

    town = stack(program)
    with pytest.raises(automation.CommandError, match=r"ZONE_RESOURCE_POOL_EXHAUSTED.*central1"):
        town.up()
    sandbox.stop()
    assert (town.up().summary.resource_changes or {})["create"] == 1
    size["gb"] = 50
    assert (town.up().summary.resource_changes or {})["replace"] == 1
    town.destroy()

    assert sandbox.existing_resources() == []
