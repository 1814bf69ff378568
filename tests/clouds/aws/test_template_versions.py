"""A group is priced by a launch template only where it starts the version that is known."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, Resource

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
MACHINE = {"instanceType": "g6.xlarge"}
LARGE = {"instanceType": "p5.48xlarge"}

SIZES = {"minSize": 1, "maxSize": 1}
NODES = {"scalingConfig": SIZES, "instanceTypes": ["g6.xlarge"]}


def pinned(kind: str, spec: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The input that refers to a template, and all inputs of a resource that does."""
    config = {"launchTemplateSpecification": spec}
    by_override = {**config, "overrides": [{"instanceType": "g6.xlarge", **config}]}
    fleet = {"launchTemplateConfigs": [config]}
    target = {"totalTargetCapacity": 1, "defaultTargetCapacityType": "on-demand"}
    by_kind: dict[str, dict[str, Any]] = {
        "aws:ec2/instance:Instance": {"launchTemplate": spec},
        GROUP: {**SIZES, "launchTemplate": spec},
        "aws:eks/nodeGroup:NodeGroup": {**NODES, "launchTemplate": spec},
        "aws:ec2/fleet:Fleet": {**fleet, "targetCapacitySpecification": target},
        "aws:ec2/spotFleetRequest:SpotFleetRequest": {**fleet, "targetCapacity": 1},
        "mixed": {**SIZES, "mixedInstancesPolicy": {"launchTemplate": by_override}},
    }
    inputs = by_kind[kind]
    refers = {"launchTemplate", "launchTemplateConfigs", "mixedInstancesPolicy"}
    (prop,) = refers & inputs.keys()
    return prop, inputs


KINDS = (
    "aws:ec2/instance:Instance",
    GROUP,
    "aws:eks/nodeGroup:NodeGroup",
    "aws:ec2/fleet:Fleet",
    "aws:ec2/spotFleetRequest:SpotFleetRequest",
    "mixed",
)


def template(inputs: dict[str, Any] = MACHINE, **more: Any) -> Resource:
    return Resource(urn="lt", type=TEMPLATE, name="lt", inputs=inputs, **more)


def group(spec: dict[str, Any], kind: str = GROUP, **relations: tuple[str, ...]) -> Resource:
    """What refers to the template by a specification."""
    return Resource(
        urn="group",
        type=GROUP if kind == "mixed" else kind,
        name="group",
        inputs=pinned(kind, spec)[1],
        relations=relations,
        region="us-east-1",
    )


def reasons(
    version: Any,
    *,
    kind: str = GROUP,
    before: dict[str, Any] | None = None,
    related: bool = False,
    inputs: dict[str, Any] = MACHINE,
    **outputs: Any,
) -> list[str]:
    """Why the group's machines are not known; the template is in the stack."""
    made = {"id": "lt-1", "latestVersion": 2, "defaultVersion": 2, **outputs}
    spec = {"id": "lt-1", "version": version}
    relations = {pinned(kind, spec)[0]: ("lt",)} if related else {}
    plan = observe([template(inputs, outputs=made, before=before), group(spec, kind, **relations)])
    return [row.reason for row in plan.not_judged if row.subject == "group"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_older_version_hides_what_machines_start_with_in_every_kind(kind):
    assert reasons("2", kind=kind) == []
    assert any(
        "starts version 1 of its launch template" in reason for reason in reasons("1", kind=kind)
    )


@pytest.mark.parametrize("version", ["$Latest", "2", 2, 2.0, "$Default", "", None], ids=repr)
def test_the_latest_version_is_known_however_it_is_spelled(version):
    assert reasons(version) == []


@pytest.mark.parametrize("version", ["1", 1, "3", "$latest", "two", ["2"], UNKNOWN], ids=repr)
def test_any_other_version_is_not_known(version):
    assert reasons(version)


@pytest.mark.parametrize("version", [None, "$Default"])
def test_a_default_version_that_is_not_the_latest_is_not_known(version):
    assert reasons(version, defaultVersion=1)
    assert reasons(version, defaultVersion=UNKNOWN)
    assert reasons(version, defaultVersion=UNKNOWN, inputs={**MACHINE, "defaultVersion": 1})


@pytest.mark.parametrize(
    ("before", "now", "known"),
    [
        (LARGE, MACHINE, {"2", "3", None}),
        ({**MACHINE, "tags": {"a": "b"}}, MACHINE, {"2", None}),
        ({**MACHINE, "userData": UNKNOWN}, {**MACHINE, "userData": "IyEK"}, {"2", "3", None}),
        ({**LARGE, "userData": UNKNOWN}, {**MACHINE, "userData": "IyEK"}, {"2", "3", None}),
        (LARGE, {**MACHINE, "updateDefaultVersion": True}, {"2", "3", None}),
        (LARGE, {**MACHINE, "defaultVersion": 3}, {"2", "3", None}),
        (LARGE, {**MACHINE, "defaultVersion": 1}, {"2", "3"}),
    ],
)
def test_a_changed_template_has_one_version_more(before, now, known):
    versions = ("1", "2", "3", None)
    fine = {version for version in versions if not reasons(version, before=before, inputs=now)}
    assert fine == known


def test_the_version_before_an_update_starts_what_the_template_said_then():
    made = {"id": "lt-1", "latestVersion": 2, "defaultVersion": 2}
    changed = template(outputs=made, before=LARGE)
    for version, machine in [("2", LARGE), ("3", MACHINE), ("$Latest", MACHINE), (None, LARGE)]:
        starting = group({"id": "lt-1", "version": version})
        (seen,) = observe([changed, starting]).groups
        assert seen.rung.machine == machine["instanceType"]


def test_a_version_that_only_the_update_tells_is_the_one_that_it_makes():
    assert reasons(UNKNOWN, related=True)
    assert reasons(UNKNOWN, related=True, before=LARGE) == []
    assert reasons(UNKNOWN, before=LARGE)
    assert reasons(UNKNOWN, related=True, latestVersion=UNKNOWN) == []
    assert reasons("2", latestVersion=UNKNOWN)
    assert reasons(None, latestVersion=UNKNOWN, defaultVersion=UNKNOWN)
    updates = {**MACHINE, "updateDefaultVersion": True}
    versions = {"latestVersion": UNKNOWN, "defaultVersion": UNKNOWN}
    assert reasons(None, inputs=updates, **versions) == []


def test_a_template_that_is_made_now_has_one_version():
    new = template({**MACHINE, "name": "node"})
    for version, known in [(None, True), ("$Default", True), ("1", True), ("2", False)]:
        starting = group({"name": "node", "version": version})
        assert (not observe([new, starting]).not_judged) is known
