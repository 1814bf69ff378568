"""What stands in the ledger can be changed behind Pulumi's back, and nothing else can."""

from pathlib import Path
from typing import Any

import pytest

from gpuinfra import sandbox
from gpuinfra.errors import InputError
from gpuinfra.sandbox.ledger import Ledger, Record

GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
ID = "projects/p/zones/z/instanceGroupManagers/trainer"
URN = f"urn:pulumi:dev::town::{GROUP}::trainer-group"


def record(**changes: Any) -> Record:
    given: dict[str, Any] = {
        "type": GROUP,
        "id": ID,
        "urn": URN,
        "region": "z",
        "backend": "ledger",
        "properties": {"targetSize": 4, "labels": {"a": "1"}, "versions": [{"name": "x"}]},
    }
    return Record(**{**given, **changes})


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("GPUINFRA_SANDBOX_HOME", str(tmp_path))
    made = Ledger(tmp_path / "ledger.db")
    made.put(record())
    return made


@pytest.mark.parametrize("which", [URN, ID, "trainer-group"])
def test_properties_are_set_by_path(which: str, ledger: Ledger) -> None:
    changed = sandbox.change(
        which, {"targetSize": 3, "labels.team": "ml", "versions[0].name": "y", "labels.a": None}
    )

    assert changed.properties == {
        "targetSize": 3,
        "labels": {"team": "ml"},
        "versions": [{"name": "y"}],
    }
    assert ledger.get(GROUP, "z", ID) == changed


def test_a_key_with_dots_in_it_is_quoted(ledger: Ledger) -> None:
    assert sandbox.change(ID, {'labels["a.b"]': "c"}).properties["labels"]["a.b"] == "c"


def test_a_resource_is_removed(ledger: Ledger) -> None:
    assert sandbox.remove("trainer-group").id == ID
    assert ledger.all() == []


@pytest.mark.parametrize(
    ("which", "values", "message"),
    [
        ("absent", {}, "no resource has this URN, id or name"),
        (ID, {"versions[3].name": "y"}, "the path does not exist"),
        (ID, {"targetSize.x": "y"}, "the path does not exist"),
    ],
)
def test_what_is_not_there_is_not_changed(
    which: str, values: dict[str, Any], message: str, ledger: Ledger
) -> None:
    with pytest.raises(InputError, match=message):
        sandbox.change(which, values)
    assert ledger.get(GROUP, "z", ID) is not None


def test_a_name_that_two_have_is_not_guessed(ledger: Ledger) -> None:
    ledger.put(record(id="other", urn=URN.replace("dev", "prod")))

    with pytest.raises(InputError, match="2 resources have this name: use the URN"):
        sandbox.remove("trainer-group")


def test_what_stands_in_moto_is_changed_there(ledger: Ledger) -> None:
    ledger.put(record(id="vpc-1", backend="moto", server="s"))

    with pytest.raises(InputError, match="change it there"):
        sandbox.change("vpc-1", {"cidrBlock": "10.0.0.0/8"})
