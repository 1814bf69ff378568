"""A change replaces exactly where the tables say, for every input of every type."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin import provider, schema
from gpuinfra.sandbox.plugin.contract import OperationTarget
from gpuinfra.sandbox.plugin.gcp.cloud import cloud
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings

GCP = schema.load("gcp")
RESOURCES = Resources(
    cloud(),
    None,  # no diff looks at what stands
    ProviderSettings(place="us-central1", account={"project": "town", "zone": "us-central1-a"}),
)
MAPS = ("labels", "metadata")


def replaced(token: str, old: Any, new: Any) -> list[str]:
    target = OperationTarget(f"urn:pulumi:dev::town::{token}::x", token, "x")
    difference = provider.difference(RESOURCES, target, old, new, old)
    return [change.text for change in difference.changes if change.replaces]


def at(path: str, value: Any) -> dict[str, Any]:
    """Inputs that hold a value at a path of the tables."""
    step, _, rest = path.partition(".")
    inner = at(rest, value) if rest else value
    key = step.removesuffix("[]")
    if key in MAPS and not rest:
        inner = {"key": value}
    return {key: [inner] if step.endswith("[]") else inner}


def first(path: str) -> str:
    return path.split(".", 1)[0].removesuffix("#").removesuffix("[]")


@pytest.mark.parametrize("token", GCP.tokens)
def test_an_immutable_input_replaces(token: str) -> None:
    kind = GCP.type(token)
    assert kind is not None
    for path in kind.immutable:
        if not path.endswith("#"):
            assert replaced(token, at(path, "one"), at(path, "other")), path
            continue
        block = path[:-1]
        single, more = at(block, [{"a": 1}]), at(block, [{"a": 1}, {"a": 2}])
        assert replaced(token, single, more), path
        assert bool(replaced(token, single, {})) is (first(path) not in kind.provider_fills), path
        assert not replaced(token, single, at(block, [{"a": 2}])), path


@pytest.mark.parametrize("token", GCP.tokens)
def test_any_other_input_is_changed_in_place(token: str) -> None:
    kind = GCP.type(token)
    assert kind is not None
    conditional = GCP.raw[token].get("immutable_if", ())
    fixed = {first(path) for path in (*kind.immutable, *conditional)}
    for key in kind.inputs.keys() - fixed - {"metadata"}:
        assert replaced(token, at(key, "one"), at(key, "other")) == [], key


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        ("disk:Disk", {"size": 100}, {"size": 200}, False),
        ("disk:Disk", {"size": 200}, {"size": 100}, True),
        (
            "disk:Disk",
            {"type": "hyperdisk-extreme", "provisionedIops": 1},
            {"type": "hyperdisk-extreme", "provisionedIops": 2},
            False,
        ),
        (
            "subnetwork:Subnetwork",
            {"ipCidrRange": "10.0.0.0/24"},
            {"ipCidrRange": "10.0.0.0/20"},
            False,
        ),
        (
            "subnetwork:Subnetwork",
            {"ipCidrRange": "10.0.0.0/20"},
            {"ipCidrRange": "10.0.0.0/24"},
            True,
        ),
        (
            "forwardingRule:ForwardingRule",
            {"loadBalancingScheme": "INTERNAL", "allowGlobalAccess": False},
            {"loadBalancingScheme": "INTERNAL", "allowGlobalAccess": True},
            False,
        ),
        (
            "instance:Instance",
            {"metadataStartupScript": "a"},
            {"metadata": {"startup-script": "a"}},
            False,
        ),
        (
            "instance:Instance",
            {"metadataStartupScript": "a"},
            {"metadataStartupScript": "b"},
            True,
        ),
        (
            "instance:Instance",
            {"networkInterfaces": [{"subnetwork": "a", "networkIp": "10.0.0.2"}]},
            {"networkInterfaces": [{"subnetwork": "b", "networkIp": "10.1.0.2"}]},
            False,
        ),
        (
            "instanceGroupManager:InstanceGroupManager",
            {"resourcePolicies": {"workloadPolicy": "p"}},
            {},
            True,
        ),
    ],
)
def test_a_condition_decides(kind: str, old: Any, new: Any, expected: bool) -> None:
    assert bool(replaced(f"gcp:compute/{kind}", old, new)) is expected


LINK = "https://www.googleapis.com/compute/v1/projects/town/global/networks/main"


@pytest.mark.parametrize(
    "spelling",
    ["main", "global/networks/main", "projects/town/global/networks/main", LINK],
)
def test_another_spelling_of_a_reference_is_no_change(spelling: str) -> None:
    token = "gcp:compute/subnetwork:Subnetwork"

    assert replaced(token, {"network": LINK}, {"network": spelling}) == []
    assert replaced(token, {"network": spelling}, {"network": LINK}) == []
    assert replaced(token, {"network": LINK}, {"network": "other"}) == ["network"]


def test_a_location_in_capitals_is_no_change() -> None:
    token = "gcp:storage/bucket:Bucket"

    assert replaced(token, {"location": "us"}, {"location": "US"}) == []


def test_another_project_of_the_provider_replaces() -> None:
    token = "gcp:compute/network:Network"
    target = OperationTarget(f"urn:pulumi:dev::town::{token}::x", token, "x")

    difference = provider.difference(
        RESOURCES, target, {"name": "n"}, {"name": "n"}, {"project": "old"}
    )

    assert [(change.text, change.replaces) for change in difference.changes] == [("project", True)]
    assert difference.delete_first


def test_another_default_label_replaces_a_template() -> None:
    token = "gcp:compute/instanceTemplate:InstanceTemplate"
    target = OperationTarget(f"urn:pulumi:dev::town::{token}::x", token, "x")
    state = {"effectiveLabels": {"team": "a"}}

    difference = provider.difference(RESOURCES, target, {"name": "n"}, {"name": "n"}, state)

    assert [change.text for change in difference.changes if change.replaces] == [
        "effectiveLabels.team"
    ]
