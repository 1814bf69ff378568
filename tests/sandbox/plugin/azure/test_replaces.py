"""Replacement exactly where the tables say, by azure-native's own way of comparing."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin import diff
from gpuinfra.sandbox.plugin.azure import ids, naming, replaces
from gpuinfra.sandbox.plugin.diff import InputChange

TABLES = ids.tables()
SAMPLES: dict[str, tuple[Any, Any]] = {
    "string": ("one", "two"),
    "boolean": (True, False),
    "integer": (1, 2),
    "number": (1.5, 2.5),
    "any": ({"a": 1}, {"a": 2}),
}


def values(form: str) -> tuple[Any, Any]:
    """Two values of a type that differ."""
    form = form if form.startswith(("array<", "map<")) else form.split("|", maxsplit=1)[0]
    if form.startswith("array<"):
        return tuple([value] for value in values(form[6:-1]))
    if form.startswith("map<"):
        return tuple({"key": value} for value in values(form[4:-1]))
    if form.startswith("object:"):
        return {"sample": "one"}, {"sample": "two"}
    return SAMPLES[form]


def compared(token: str, old: dict[str, Any], new: dict[str, Any]) -> list[InputChange]:
    return diff.compare(
        TABLES.type(token),
        old,
        new,
        {},
        lambda path, first, other: replaces.is_spelled_alike(token, path, first, other),
        replaces.hits,
    )


@pytest.mark.parametrize("token", TABLES.tokens)
def test_an_input_replaces_if_and_only_if_the_tables_list_it(token: str) -> None:
    kind = TABLES.type(token)
    assert kind is not None
    replacing = set()
    for key, prop in kind.inputs.items():
        value, other = values(prop.type)
        changes = compared(token, {key: value}, {key: other})
        assert changes, key
        if any(change.replaces for change in changes):
            replacing.add(key)

    assert replacing == {path for path in kind.immutable if "." not in path and "#" not in path}


@pytest.mark.parametrize(
    ("token", "path"),
    [
        (token, path)
        for token in TABLES.tokens
        for path in TABLES.raw[token]["immutable"]
        if "." in path and "#" not in path
    ],
)
def test_a_nested_input_replaces_and_its_neighbour_does_not(token: str, path: str) -> None:
    block, key = path.split(".")

    changed = compared(token, {block: {key: "one"}}, {block: {key: "two"}})
    added = compared(token, {block: {"other": 1}}, {block: {"other": 1, key: "two"}})
    neighbour = compared(token, {block: {"neighbour": 1}}, {block: {"neighbour": 2}})
    whole = compared(token, {}, {block: {key: "two"}})

    assert [change.replaces for change in changed] == [True]
    assert [change.replaces for change in added] == [True]
    assert [change.replaces for change in neighbour] == [False]
    assert [change.replaces for change in whole] == [False]


@pytest.mark.parametrize(
    ("token", "path"),
    [
        (token, path)
        for token in TABLES.tokens
        for path in TABLES.raw[token]["immutable"]
        if path.endswith("#")
    ],
)
def test_a_flagged_list_replaces_as_a_whole_and_not_by_its_items(token: str, path: str) -> None:
    steps = path[:-1].split(".")

    def nested(value: Any) -> dict[str, Any]:
        for step in reversed(steps):
            value = {step: value}
        return dict(value)

    other = nested(None) if len(steps) == 1 else {steps[0]: {"other": 1}}
    kept = {**nested(["1"])[steps[0]], "other": 1} if len(steps) > 1 else ["1"]

    assert [c.replaces for c in compared(token, nested(["1"]), nested(["2"]))] == [False]
    assert [c.replaces for c in compared(token, nested(["1"]), nested(["1", "2"]))] == [False]
    assert [c.replaces for c in compared(token, other, {steps[0]: kept})] == [True]


def test_below_a_flagged_object_changed_values_replace_and_added_ones_do_not() -> None:
    token = "azure-native:containerservice:ManagedCluster"
    key = {"keyData": "ssh-ed25519 A"}
    old = {"linuxProfile": {"adminUsername": "me", "ssh": {"publicKeys": [key]}}}
    renamed = {"linuxProfile": {"adminUsername": "you", "ssh": {"publicKeys": [key]}}}
    rekeyed = {
        "linuxProfile": {
            "adminUsername": "me",
            "ssh": {"publicKeys": [{"keyData": "ssh-ed25519 B"}]},
        }
    }
    longer = {"linuxProfile": {**old["linuxProfile"], "more": 1}}

    assert [change.replaces for change in compared(token, old, renamed)] == [True]
    assert [change.replaces for change in compared(token, old, rekeyed)] == [True]
    assert [change.replaces for change in compared(token, old, longer)] == [False]


def test_a_location_in_other_spelling_and_a_group_in_other_case_are_no_change() -> None:
    token = "azure-native:network:VirtualNetwork"
    old = {"location": "East US 2", "resourceGroupName": "Town", "virtualNetworkName": "net"}

    same = compared(token, old, {**old, "location": "eastus2", "resourceGroupName": "town"})
    other = compared(token, old, {**old, "location": "eastus", "virtualNetworkName": "Net"})

    assert same == []
    assert [(change.text, change.replaces) for change in other] == [
        ("location", True),
        ("virtualNetworkName", True),
    ]


@pytest.mark.parametrize(
    ("old", "first"),
    [
        ({"virtualNetworkName": "net1a2b3c4d", "__defaults": ["virtualNetworkName"]}, False),
        ({"virtualNetworkName": "net"}, True),
    ],
    ids=["made up", "given"],
)
def test_a_replacement_deletes_first_unless_the_old_name_was_made_up(
    old: dict[str, Any], first: bool
) -> None:
    rule = naming.naming("azure-native:network:VirtualNetwork")

    assert replaces.deletes_first(rule, old, {}) is first


EXCEPT = {("azure-native:compute:CapacityReservation", "sku.capacity")}


@pytest.mark.parametrize(
    ("token", "path"),
    [
        (token, path)
        for token in TABLES.tokens
        for path in TABLES.raw[token].get("rejected_update", ())
        if (token, path) not in EXCEPT
    ],
)
def test_a_rejected_update_plans_no_replacement_and_is_refused_with_azures_code(
    token: str, path: str
) -> None:
    kind = TABLES.type(token)
    assert kind is not None
    before, other = ("2026-10-01", "2026-11-01") if path.endswith("Date") else ("eastus", "westus")
    if path == "singlePlacementGroup":
        before, other = False, True
    old, new = nested(path, before), nested(path, other)
    changes = compared(token, old, new)

    refusal = replaces.update_refusal(kind, old, new, changes)

    assert [change.replaces for change in changes] == [False]
    assert refusal is not None
    codes = {"location": "InvalidResourceLocation", "timePeriod.startDate": "400"}
    assert refusal.code == codes.get(path, "PropertyChangeNotAllowed")
    named = path.rsplit(".", maxsplit=1)[-1]
    assert named in refusal.message or refusal.code == "400"


def nested(path: str, value: Any) -> dict[str, Any]:
    for step in reversed(path.split(".")):
        value = {step: value}
    return dict(value)


@pytest.mark.parametrize(
    ("token", "old", "new"),
    [
        (
            "azure-native:compute:VirtualMachineScaleSet",
            {"singlePlacementGroup": True},
            {"singlePlacementGroup": False},
        ),
        (
            "azure-native:compute:VirtualMachineScaleSet",
            {"sku": {"name": "a", "capacity": 2}},
            {"sku": {"name": "a", "capacity": 4}},
        ),
        (
            "azure-native:compute:CapacityReservation",
            {"sku": {"name": "a", "capacity": 2}},
            {"sku": {"name": "a", "capacity": 4}},
        ),
        (
            "azure-native:compute:VirtualMachine",
            {"osProfile": {"computerName": "a", "secrets": []}},
            {"osProfile": {"computerName": "a", "secrets": [{"sourceVault": {"id": "x"}}]}},
        ),
        (
            "azure-native:consumption:Budget",
            {"timePeriod": {"startDate": "2026-11-01"}},
            {"timePeriod": {"startDate": "2026-11-01T00:00:00Z", "endDate": "2027-11-01"}},
        ),
        ("azure-native:network:LoadBalancer", {"location": "East US"}, {"location": "eastus"}),
    ],
)
def test_what_azure_does_update_is_not_refused(
    token: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    kind = TABLES.type(token)
    assert kind is not None

    assert replaces.update_refusal(kind, old, new, compared(token, old, new)) is None
