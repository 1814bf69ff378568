"""Launch template versions: machines run what their version says, not what is declared now."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.program import Program

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
STANDS = {"id": "lt-1", "name": "node", "latestVersion": 2, "defaultVersion": 1}


def template(outputs: dict[str, Any], **inputs: Any) -> Resource:
    """A template of small machines, as it stands in the cloud or will."""
    return Resource(
        urn=f"urn:pulumi:dev::shop::{TEMPLATE}::node",
        type=TEMPLATE,
        name="node",
        inputs={"instanceType": "g6.xlarge", "name": "node", **inputs},
        outputs=outputs,
        region="us-east-1",
    )


def machines(token: str, **inputs: Any) -> Resource:
    return Resource(
        urn=f"urn:pulumi:dev::shop::{token}::m",
        type=token,
        name="m",
        inputs=inputs,
        region="us-east-1",
    )


def spec(version: Any) -> dict[str, Any]:
    return {"name": "node"} | ({} if version is None else {"version": version})


def of_group(version: Any) -> Resource:
    return machines("aws:autoscaling/group:Group", maxSize=2, launchTemplate=spec(version))


def of_instance(version: Any) -> Resource:
    return machines("aws:ec2/instance:Instance", launchTemplate=spec(version))


def of_nodes(version: Any) -> Resource:
    return machines(
        "aws:eks/nodeGroup:NodeGroup", scalingConfig={"maxSize": 2}, launchTemplate=spec(version)
    )


def of_fleet(version: Any) -> Resource:
    return machines(
        "aws:ec2/fleet:Fleet",
        targetCapacitySpecification={
            "totalTargetCapacity": 2,
            "defaultTargetCapacityType": "on-demand",
        },
        launchTemplateConfigs=[{"launchTemplateSpecification": spec(version)}],
    )


def of_spot_fleet(version: Any) -> Resource:
    return machines(
        "aws:ec2/spotFleetRequest:SpotFleetRequest",
        targetCapacity=2,
        launchTemplateConfigs=[{"launchTemplateSpecification": spec(version)}],
    )


def of_mixed(version: Any) -> Resource:
    return machines(
        "aws:autoscaling/group:Group",
        maxSize=2,
        mixedInstancesPolicy={"launchTemplate": {"launchTemplateSpecification": spec(version)}},
    )


def of_override(version: Any) -> Resource:
    override = {"launchTemplateSpecification": spec(version)}
    return machines(
        "aws:autoscaling/group:Group",
        maxSize=2,
        mixedInstancesPolicy={
            "launchTemplate": {
                "launchTemplateSpecification": spec("$Latest"),
                "overrides": [override],
            }
        },
    )


USERS = (of_group, of_instance, of_nodes, of_fleet, of_spot_fleet, of_mixed, of_override)
users = pytest.mark.parametrize("user", USERS)


def reason(*resources: Resource) -> str:
    """Why the machines are not judged; empty where they are."""
    rows = observe(resources)
    assert bool(rows.groups) != any(one.subject.endswith("::m") for one in rows.not_judged)
    return "; ".join(one.reason for one in rows.not_judged if one.subject.endswith("::m"))


@users
@pytest.mark.parametrize("version", ["1", 1.0, "$Default", None, "3", "", "one"])
def test_another_version_than_the_declared_one_is_not_known(user, version):
    said = reason(template(STANDS), user(version))

    assert "version" in said
    assert "launch template node" in said


@users
@pytest.mark.parametrize("version", ["2", 2.0, "$Latest"])
def test_the_newest_version_is_what_is_declared(user, version):
    assert not reason(template(STANDS), user(version))


@users
@pytest.mark.parametrize("version", ["1", "$Default", None, "$Latest"])
@pytest.mark.parametrize("outputs", [{}, {"id": UNKNOWN, "latestVersion": UNKNOWN}])
def test_a_template_that_is_not_made_yet_has_its_first_version(user, version, outputs):
    assert not reason(template(outputs), user(version))


def test_a_later_version_of_a_template_that_is_not_made_yet_is_not_known():
    assert "version 2" in reason(template({}), of_group("2"))


@pytest.mark.parametrize(
    ("outputs", "inputs"),
    [
        (STANDS, {"updateDefaultVersion": True}),
        (STANDS, {"defaultVersion": 2}),
        (STANDS | {"defaultVersion": 2}, {}),
    ],
)
def test_a_default_version_that_is_the_newest_is_what_is_declared(outputs, inputs):
    assert not reason(template(outputs, **inputs), of_group(None))


def test_a_default_version_that_was_set_to_an_older_one_is_not():
    standing = STANDS | {"defaultVersion": 2}

    assert "default version" in reason(template(standing, defaultVersion=1), of_group("$Default"))


@pytest.mark.parametrize(
    "before",
    [
        {"instanceType": "p5.48xlarge"},
        {"instanceType": UNKNOWN},
        {"instanceType": "g6.xlarge", "instanceMarketOptions": {"marketType": "spot"}},
    ],
)
def test_a_change_makes_the_next_version_and_the_newest_so_far_is_not_declared(before):
    changed = template(STANDS | {"defaultVersion": 2} | before)

    assert "version 2" in reason(changed, of_group("2"))
    assert "default version" in reason(changed, of_group(None))
    assert not reason(changed, of_group("3"))


def test_what_a_cloud_adds_to_the_inputs_is_no_change():
    shown = {"instanceType": "g6.xlarge", "metadataOptions": {"httpTokens": "required", "x": "y"}}
    same = template(STANDS | shown, metadataOptions={"httpTokens": "required"}, tags={"a": "b"})

    assert not reason(same, of_group("2"))


def test_a_version_that_only_the_update_knows_is_the_template_s_where_nothing_else_gives_it():
    made = template(STANDS)
    group = of_group(UNKNOWN)
    ours = replace(group, relations={"launchTemplate": (made.urn,)})
    other = "urn:pulumi:dev::shop::random:index/randomInteger:RandomInteger::n"
    mixed = replace(group, relations={"launchTemplate": (made.urn, other)})

    assert not reason(made, ours)
    assert "not known yet" in reason(made, mixed)
    assert "not known yet" in reason(made, group)


@pytest.mark.parametrize("moment", ["preview", "created"])
def test_a_reference_to_the_newest_version_is_what_is_declared(moment):
    program = Program()
    made = program.add(TEMPLATE, "node", instanceType="g6.xlarge")
    program.add(
        "aws:autoscaling/group:Group",
        "m",
        maxSize=2,
        launchTemplate={"id": made.id, "version": made.out("latestVersion")},
    )

    assert not observe(program.resources(moment)).not_judged
