"""The look-ups that a normal program needs, answered; any other refused by name."""

import json
from typing import Any

import grpc
import pytest

from gpuinfra.sandbox.plugin import settings
from gpuinfra.sandbox.plugin.cloud import LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.gcp.cloud import cloud
from gpuinfra.sandbox.plugin.gcp.lookups import INVOKES
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings


def ask(resources: Resources, name: str, /, **arguments: Any) -> dict[str, Any]:
    module, _, noun = name.partition(".")
    return INVOKES[f"gcp:{module}/{noun}:{noun}"](resources.lookup_context, arguments)


def test_zones_are_those_of_the_region(resources: Resources) -> None:
    here = ask(resources, "compute.getZones")
    there = ask(resources, "compute.getZones", region="europe-west4")

    assert here["names"] == [f"us-central1-{letter}" for letter in "abcf"]
    assert there["names"][0] == "europe-west4-a"
    assert "europe-west4" in ask(resources, "compute.getRegions")["names"]
    with pytest.raises(CloudRefusalError, match="Unknown region 'mars-north1'"):
        ask(resources, "compute.getZones", region="mars-north1")


def test_an_image_family_gives_a_pinned_image(resources: Resources) -> None:
    image = ask(resources, "compute.getImage", family="debian-12", project="debian-cloud")

    assert image["selfLink"].endswith("projects/debian-cloud/global/images/debian-12-v20260801")
    assert image["family"] == "debian-12"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "debian-12"}, "projects/town/global/images/family/debian-12' was not found"),
        ({"name": "Debian", "project": "debian-cloud"}, "global/images/Debian' was not found"),
        ({"project": "debian-cloud"}, "one of image family or name must be set"),
        ({"filter": "name=x", "project": "debian-cloud"}, "not by filter"),
    ],
)
def test_an_image_that_nobody_publishes(
    arguments: dict[str, str], message: str, resources: Resources
) -> None:
    with pytest.raises(CloudRefusalError, match=message):
        ask(resources, "compute.getImage", **arguments)


def test_who_and_where(resources: Resources) -> None:
    config = ask(resources, "organizations.getClientConfig")
    project = ask(resources, "organizations.getProject")
    account = ask(resources, "compute.getDefaultServiceAccount")
    storage = ask(resources, "storage.getProjectServiceAccount")

    assert (config["project"], config["region"], config["zone"]) == (
        "town",
        "us-central1",
        "us-central1-a",
    )
    assert (project["projectId"], project["number"]) == ("town", "123456789012")
    assert account["email"] == "123456789012-compute@developer.gserviceaccount.com"
    assert storage["emailAddress"].startswith("service-123456789012@gs-project-accounts")


def test_a_project_must_be_named(resources: Resources) -> None:
    look = LookupContext(ProviderSettings(), resources.ledger.records_of_type, lambda *_: None)

    with pytest.raises(CloudRefusalError, match="project: required field is not set"):
        INVOKES["gcp:organizations/getProject:getProject"](look, {})


def test_networks_that_stand_are_found(resources: Resources, make: Any) -> None:
    network, values = make("compute.Network", "main", autoCreateSubnetworks=False)
    subnet, inside = make("compute.Subnetwork", "sub", network=network, ipCidrRange="10.0.0.0/24")

    answer = ask(resources, "compute.getNetwork", name="main")
    under = ask(resources, "compute.getSubnetwork", selfLink=inside["selfLink"])

    assert (answer["id"], answer["selfLink"]) == (network, values["selfLink"])
    assert answer["subnetworksSelfLinks"] == [inside["selfLink"]]
    assert (under["id"], under["region"], under["ipCidrRange"]) == (
        subnet,
        "us-central1",
        "10.0.0.0/24",
    )
    with pytest.raises(CloudRefusalError, match="global/networks/absent' was not found"):
        ask(resources, "compute.getNetwork", name="absent")


def test_every_project_has_a_default_network(resources: Resources, make: Any) -> None:
    network = ask(resources, "compute.getNetwork", name="default")
    subnet = ask(resources, "compute.getSubnetwork", name="default")

    assert network["selfLink"].endswith("projects/town/global/networks/default")
    assert subnet["ipCidrRange"].startswith("10.1")
    make("compute.Router", "r", network=network["id"])


def test_another_look_up_is_refused_by_name(gcp: Any) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        gcp.invoke("gcp:compute/getMachineTypes:getMachineTypes")

    assert "does not answer gcp:compute/getMachineTypes:getMachineTypes" in str(
        caught.value.details()
    )


def test_every_provider_setting_of_the_sdk_is_known() -> None:
    known = cloud().provider.known_settings

    assert {"project", "region", "zone", "credentials", "defaultLabels", "billingProject"} <= known
    assert settings.unknown({"projct": "x", "version": "10.2.0"}, known)[0].path == "projct"


def test_a_policy_is_the_json_of_its_bindings(resources: Resources) -> None:
    everyone = {"role": "roles/run.invoker", "members": ["allUsers"]}
    policy = ask(resources, "organizations.getIAMPolicy", bindings=[everyone])

    assert json.loads(policy["policyData"]) == {"bindings": [everyone]}
    assert policy["bindings"] == [everyone]
