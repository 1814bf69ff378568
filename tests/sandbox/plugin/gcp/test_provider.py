"""What the provider's own settings do: project, place, labels, and ids as a person spells them."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin import provider
from gpuinfra.sandbox.plugin.contract import OperationTarget
from gpuinfra.sandbox.plugin.gcp.cloud import cloud
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings
from gpuinfra.sandbox.plugin.wire import UNKNOWN

NETWORK = "gcp:compute/network:Network"
DISK = "gcp:compute/disk:Disk"
VARIABLES = ("GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GOOGLE_REGION", "GOOGLE_ZONE")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def target_of(token: str) -> OperationTarget:
    return OperationTarget(f"urn:pulumi:dev::town::{token}::x", token, "x")


def test_settings_come_from_the_program_and_then_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "theirs")
    monkeypatch.setenv("GOOGLE_REGION", "europe-west4")
    read = cloud().provider.read_settings

    assert read({}).account["project"] == "theirs"
    assert (read({}).place, read({"region": "us-east1"}).place) == ("europe-west4", "us-east1")
    assert read({"project": "mine"}).account["project"] == "mine"


def test_a_zone_gives_its_region() -> None:
    assert cloud().provider.read_settings({"zone": "asia-east1-b"}).place == "asia-east1"


@pytest.mark.parametrize(
    ("given", "path"),
    [({"region": "mars"}, "region"), ({"zone": "a"}, ""), ({}, "")],
)
def test_a_region_that_does_not_exist_is_refused(given: dict[str, str], path: str) -> None:
    assert [failure.path for failure in cloud().provider.problems(given)] == (
        [path] if path else []
    )


@pytest.mark.parametrize(("own", "refused"), [({}, ["zone"]), ({"zone": "us-east1-b"}, [])])
def test_the_zone_of_the_provider_is_checked_where_it_is_used(
    own: dict[str, str], refused: list[str], resources: Resources
) -> None:
    read = cloud().provider.read_settings({"project": "town", "zone": "a"})
    resources.settings = ProviderSettings(read.place, read.account, read.tags)

    _, failures = provider.check_inputs(
        resources, target_of(DISK), {"name": "data", **own}, {}, b"", None
    )

    assert [failure.path for failure in failures] == refused


def test_labels_of_all_come_together_with_its_own(make: Any, resources: Resources) -> None:
    read = cloud().provider.read_settings(
        {"project": "town", "defaultLabels": '{"team": "ml", "a": "0"}'}
    )
    resources.settings = ProviderSettings(read.place, read.account, read.tags)

    _, bucket = make("storage.Bucket", "data", location="eu", labels={"a": "1"})

    everything = {"team": "ml", "a": "1", "goog-pulumi-provisioned": "true"}
    assert bucket["pulumiLabels"] == bucket["effectiveLabels"] == everything
    assert bucket["labels"] == {"a": "1"}
    assert bucket["location"] == "EU"


def test_the_attribution_label_can_be_turned_off() -> None:
    assert cloud().provider.read_settings({"addPulumiAttributionLabel": "false"}).tags == {}


def test_a_preview_knows_project_place_and_labels(resources: Resources) -> None:
    seen = provider.preview_outputs(resources, target_of(DISK), {"labels": {"a": "b"}}, None)

    assert (seen["project"], seen["zone"]) == ("town", "us-central1-a")
    assert seen["effectiveLabels"] == {"a": "b"}
    assert seen["selfLink"] is UNKNOWN


def test_a_preview_does_not_know_labels_that_are_unknown(resources: Resources) -> None:
    seen = provider.preview_outputs(resources, target_of(DISK), {"labels": {"a": UNKNOWN}}, None)

    assert seen["effectiveLabels"] is UNKNOWN


@pytest.mark.parametrize(
    "spelling",
    [
        "projects/town/zones/us-central1-a/disks/data",
        "https://www.googleapis.com/compute/v1/projects/town/zones/us-central1-a/disks/data",
        "town/us-central1-a/data",
        "us-central1-a/data",
    ],
)
def test_an_import_takes_every_spelling_of_an_id(
    spelling: str, make: Any, resources: Resources
) -> None:
    disk, _ = make("compute.Disk", "data", size=10, labels={"a": "b"})
    make("compute.Disk", "data", zone="us-central1-b")

    imported = resources.read(target_of(DISK), spelling, {})

    assert imported is not None
    assert imported[0] == disk
    inputs = provider.inputs_read(resources, target_of(DISK), imported[1], {}, {})
    assert inputs == {"name": "data", "size": 10, "labels": {"a": "b"}}


def test_a_name_that_fits_two_is_not_guessed(make: Any, resources: Resources) -> None:
    make("compute.Disk", "data")
    make("compute.Disk", "data", zone="us-central1-b")

    assert resources.read(target_of(DISK), "data", {}) is None
    assert resources.read(target_of(NETWORK), "data", {}) is None


def test_an_update_keeps_what_was_computed(make: Any, resources: Resources) -> None:
    disk, old = make("compute.Disk", "data", size=10)

    new = resources.update(target_of(DISK), disk, {"name": "data", "size": 20}, old)

    changed = {key for key in old if old[key] != new.get(key)}
    assert changed == {"size", "labelFingerprint"}
    assert resources.read(target_of(DISK), disk, {}) == (disk, new)


def test_another_name_of_the_server_changes_nothing_here(resources: Resources, make: Any) -> None:
    """What stood in moto and is lost does not keep Google Cloud's resources from living."""
    from gpuinfra.sandbox.ledger import Record

    resources.ledger.put(
        Record(
            type="aws:ec2/vpc:Vpc",
            id="vpc-1",
            urn="urn:pulumi:dev::town::aws:ec2/vpc:Vpc::x",
            region="us-east-1",
            backend="moto",
            server="gone",
            properties={},
        )
    )
    network, values = make("compute.Network", "x")

    assert resources.read(target_of(NETWORK), network, {}) == (network, values)
    resources.update(target_of(NETWORK), network, {"name": "x", "mtu": 8896}, values)
    resources.delete(target_of(NETWORK), network, values)
    assert [record.id for record in resources.ledger.all()] == ["vpc-1"]


def test_a_made_up_role_id_is_refused(gcp: Any) -> None:
    """https://github.com/pulumi/pulumi-gcp/issues/3328"""
    role = {"title": "peers", "permissions": ["compute.instanceGroupManagers.get"]}
    _, failures = gcp.check("gcp:projects/iAMCustomRole:IAMCustomRole", role)
    _, none = gcp.check("gcp:projects/iAMCustomRole:IAMCustomRole", {**role, "roleId": "a_b.c"})

    assert "letters, digits, _ and ." in failures["roleId"]
    assert not none
