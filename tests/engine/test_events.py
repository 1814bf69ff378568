"""What the engine's events become, where no run of the suite shows it."""

from types import SimpleNamespace
from typing import Any

import pytest

from gpuinfra.engine import differences
from gpuinfra.engine.events import RunRecord, step_of


def replacement(old: dict[str, Any], new: dict[str, Any], **more: Any) -> Any:
    message = {"keys": None, "diffs": None, "detailed_diff": None, **more}
    return SimpleNamespace(
        op=SimpleNamespace(value="create-replacement"),
        urn="urn:pulumi:sandbox::demo::gcp:compute/instanceGroupManager:InstanceGroupManager::g",
        type="gcp:compute/instanceGroupManager:InstanceGroupManager",
        old=SimpleNamespace(inputs=old, outputs={}),
        new=SimpleNamespace(inputs=new, outputs={}),
        **message,
    )


def test_a_triggered_replacement_names_what_differs() -> None:
    step = step_of(
        replacement({"size": 2, "sku": {"name": "a"}}, {"size": 2, "sku": {"name": "b"}})
    )

    assert (step.operation, step.differences) == ("replace", ("sku.name",))


def test_the_provider_s_own_word_goes_first() -> None:
    step = step_of(
        replacement({"zone": "a", "n": 1}, {"zone": "b", "n": 2}, keys=["zone"], diffs=["zone"])
    )

    assert (step.causes, step.differences) == (("zone",), ("zone",))


def test_a_step_has_the_short_values_of_what_differs_and_no_secret() -> None:
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
    old = {"most": 2, "on": True, "disks": [{"size": 1}], "key": {**secret, "plaintext": "a"}}
    new = {"most": 6, "on": None, "disks": [{"size": 2}], "key": {**secret, "plaintext": "b"}}
    long = {"script": "a" * 41, "tags": {"a.b": "x"}}
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    paths = ["most", "on", "disks[0].size", "key", "script", 'tags["a.b"]', "id", "gone[3].x"]

    step = step_of(
        replacement(
            {**old, **long, "id": "a"},
            {**new, "script": "b", "tags": {"a.b": "y"}, "id": unknown},
            detailed_diff=dict.fromkeys(paths),
        )
    )

    assert set(step.values) == {
        ("most", 2, 6),
        ("on", True, None),
        ("disks[0].size", 1, 2),
        ('tags["a.b"]', "x", "y"),
    }


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"b": 1}, ["a", "b"]),
        ({"a": [{"b": 1}, 2]}, {"a": [{"b": 3}, 2]}, ["a[0].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": {"b": 1}}, {"a": None}, ["a"]),
    ],
)
def test_differences_are_the_deepest_paths_both_have(
    old: Any, new: Any, expected: list[str]
) -> None:
    assert list(differences.paths(old, new)) == expected


@pytest.mark.parametrize(
    ("plugin", "local", "told"),
    [
        ("resource-gcp", True, 0),
        ("resource-gcp", False, 1),
        ("analyzer-policy-python", True, 0),
        ("analyzer-policy-python", False, 0),
    ],
)
def test_a_plugin_that_we_put_on_path_is_no_warning(plugin: str, local: bool, told: int) -> None:
    record = RunRecord(None, local_plugins=local)
    message = f"using pulumi-{plugin} from $PATH at /somewhere/pulumi-{plugin}"
    kinds = ("resource_pre", "res_outputs", "res_op_failed", "policy", "cancel")

    record.read(
        SimpleNamespace(
            diagnostic_event=SimpleNamespace(
                severity="warning", ephemeral=False, message=message, urn="urn:of:something"
            ),
            **{f"{kind}_event": None for kind in kinds},
        )
    )

    assert record.broken is None
    assert len(record.diagnostics) == told


def begins(kind: str, name: str, *, custom: bool | None) -> Any:
    """The event before a resource is created; the engine leaves `custom` out of a component's."""
    metadata = SimpleNamespace(
        op=SimpleNamespace(value="create"),
        urn=f"urn:pulumi:sandbox::demo::{kind}::{name}",
        type=kind,
        old=None,
        new=SimpleNamespace(inputs={}, outputs={}, custom=custom),
        keys=None,
        diffs=None,
        detailed_diff=None,
    )
    return SimpleNamespace(resource_pre_event=SimpleNamespace(metadata=metadata))


def test_a_component_counts_that_a_failed_program_registered_without_outputs() -> None:
    record = RunRecord(None)

    record.read(begins("gpuinfra:index:TrainingCluster", "trainer", custom=None))
    record.read(begins("aws:autoscaling/group:Group", "trainer-group", custom=True))
    record.read(begins("pulumi:pulumi:Stack", "demo", custom=None))

    assert record.broken is None
    assert [step.urn.rpartition("::")[2] for step in record.resource_steps] == ["trainer"]
    assert record.changes == {"create": 1}
