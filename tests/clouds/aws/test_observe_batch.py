"""Compute environments of AWS Batch hold as many machines as their vCPUs, and one more."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

TOKEN = "aws:batch/computeEnvironment:ComputeEnvironment"
OWN = {
    "type": "EC2",
    "instanceTypes": ["g6.xlarge"],
    "minVcpus": 4,
    "maxVcpus": 16,
    "subnets": ["subnet-1"],
    "securityGroupIds": ["sg-1"],
}


def environment(**changes: Any) -> Program:
    program = Program()
    resources = {**OWN, **changes}
    given = {key: value for key, value in resources.items() if value is not None}
    program.add(TOKEN, "e", type="MANAGED", computeResources=given)
    return program


@pytest.mark.parametrize(
    ("changes", "machines", "most"),
    [
        ({}, ("g6.xlarge",), 5),
        ({"maxVcpus": 17}, ("g6.xlarge",), 6),
        ({"instanceTypes": ["g6.2xlarge"]}, ("g6.2xlarge",), 3),
        ({"instanceTypes": ["g6.2xlarge", "g6.xlarge"]}, ("g6.2xlarge", "g6.xlarge"), 6),
        ({"maxVcpus": UNKNOWN}, ("g6.xlarge",), UNKNOWN),
    ],
)
def test_it_has_its_vcpus_and_one_machine_more(changes, machines, most):
    (group,) = observe(environment(**changes).resources()).groups

    assert group.machines == machines
    assert group.maximum == most
    assert group.minimum == 1


def test_spot_machines_are_bought_as_such_and_a_template_is_read():
    program = environment(type="SPOT")
    (group,) = observe(program.resources()).groups
    assert group.rung.capacity == "spot"

    program = Program()
    options = {"httpTokens": "required"}
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", imageId="ami-1", metadataOptions=options
    )
    spec = {"launchTemplateId": template.id}
    program.add(TOKEN, "e", computeResources={**OWN, "launchTemplate": spec})
    for moment in ("preview", "created"):
        (group,) = observe(program.resources(moment)).groups
        assert group.safety.metadata_v2 is True


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "FARGATE", "maxVcpus": None},
        {"type": UNKNOWN},
        {"instanceTypes": ["optimal"]},
        {"instanceTypes": ["g6"]},
        {"instanceTypes": UNKNOWN},
        {"instanceTypes": None},
    ],
)
def test_what_it_may_start_is_not_known_without_types(changes):
    program = environment(**changes)
    (row,) = observe(program.resources()).not_judged

    assert "number and types are not declared" in row.reason
    assert outcomes(of_resources(program.resources()), "price-unknown") == ["violated"]


@pytest.mark.parametrize(
    ("kind", "vcpus", "quantities"),
    [
        (
            "FARGATE",
            4,
            {"vcpu": 4, "memory": 32, "licence": 4, "storage": 2880, "public-ipv4-hour": 16},
        ),
        ("FARGATE_SPOT", "4", {"vcpu": 4, "memory": 32, "storage": 2880, "public-ipv4-hour": 16}),
        ("FARGATE_SPOT", UNKNOWN, dict.fromkeys(["vcpu", "memory", "storage"], UNKNOWN)),
    ],
)
def test_on_fargate_the_dearest_jobs_for_its_vcpus_are_counted(kind, vcpus, quantities):
    resources = environment(type=kind, instanceTypes=None, maxVcpus=vcpus).resources()
    items = observe(resources).items
    platform = "fargate-windows-" if kind == "FARGATE" else "fargate-"
    seen = {
        item.item.removeprefix(platform).removeprefix("fargate-"): item.quantity for item in items
    }
    outcome = "violated" if vcpus is UNKNOWN else "fine"

    assert {key: seen[key] for key in quantities} == quantities
    assert {*outcomes(of_resources(resources), "price-unknown")} == {outcome}


@pytest.mark.parametrize(
    ("inputs", "starts"),
    [
        ({"type": "UNMANAGED"}, False),
        ({"type": "UNMANAGED", "unmanagedVCpus": 8}, False),
        ({"type": "UNMANAGED", "computeResources": UNKNOWN}, True),
        ({"type": "MANAGED"}, True),
        ({"type": UNKNOWN}, True),
        ({}, True),
    ],
)
def test_it_starts_none_where_batch_does_not_manage_them(inputs, starts):
    program = Program()
    program.add(TOKEN, "e", **inputs)

    assert bool(observe(program.resources()).not_judged) is starts


@pytest.mark.parametrize("strategy", ["SPOT_CAPACITY_OPTIMIZED", "SPOT_PRICE_CAPACITY_OPTIMIZED"])
def test_the_machine_above_its_vcpus_may_be_of_its_largest_type(strategy):
    types = ["g6.xlarge", "g6.48xlarge"]
    program = environment(type="SPOT", instanceTypes=types, allocationStrategy=strategy)
    groups = observe(program.resources()).groups

    assert sum(group.maximum for group in groups if group.machines == ("g6.48xlarge",)) == 2


@pytest.mark.parametrize(
    ("targets", "outcome"),
    [
        (["g6.xlarge"], "violated"),
        (["g5.xlarge", "g6"], "violated"),
        (["g6.*"], "violated"),
        (UNKNOWN, "violated"),
        (["g5", "g6.2xlarge"], "fine"),
    ],
)
def test_a_template_in_place_of_another_is_read_for_its_types(targets, outcome):
    program = Program()
    token = "aws:ec2/launchTemplate:LaunchTemplate"
    kept = {"deviceName": "/dev/xvda", "ebs": {"encrypted": True, "volumeSize": 50}}
    plain = {"deviceName": "/dev/xvda", "ebs": {"encrypted": False, "volumeSize": 16_000}}
    base = program.add(token, "base", imageId="ami-1", blockDeviceMappings=[kept])
    other = program.add(token, "other", imageId="ami-1", blockDeviceMappings=[plain])
    override = {"launchTemplateId": other.id, "targetInstanceTypes": targets}
    spec = {"launchTemplateId": base.id, "overrides": [override]}
    program.add(TOKEN, "e", computeResources={**OWN, "launchTemplate": spec})
    plan = of_resources(program.resources("created"))

    assert outcomes(plan, "disk-encrypted") == [outcome]
    assert any(item.quantity == 16_000 for item in plan.items) is (outcome == "violated")


@both
@pytest.mark.parametrize(("names", "wall"), [(True, "own"), (False, "templates")])
def test_the_security_groups_of_an_environment_replace_those_of_its_template(names, wall, moment):
    program = Program()
    token = "aws:ec2/securityGroup:SecurityGroup"
    own = program.add(token, "own")
    other = program.add(token, "templates")
    nics = [{"deviceIndex": 0, "interfaceType": "efa", "securityGroups": [other.id]}]
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", imageId="ami-1", networkInterfaces=nics
    )
    changes = {"instanceTypes": ["g6.8xlarge"], "maxVcpus": 32}
    walls = {"securityGroupIds": [own.id] if names else []}
    spec = {"launchTemplateId": template.id}
    program.add(TOKEN, "e", computeResources={**OWN, **changes, **walls, "launchTemplate": spec})
    (group,) = observe(program.resources(moment)).groups
    assert group.fabric is not None
    assert faults_of(group.fabric.faults, "fabric-interfaces") == ()
    (firewall,) = group.fabric.firewalls
    assert [urn.rpartition("::")[2] for urn in firewall.groups] == [wall]


@pytest.mark.parametrize("reference", ["lt-elsewhere", UNKNOWN])
def test_a_template_of_elsewhere_in_place_of_another_is_not_visible(reference):
    override = {"launchTemplateId": reference, "targetInstanceTypes": ["g6.xlarge"]}
    program = environment(launchTemplate={"overrides": [override]})

    assert outcomes(of_resources(program.resources()), "disk-encrypted") == ["not-knowable"]


@both
def test_of_several_templates_that_are_not_made_yet_each_may_start(moment):
    program = Program()
    options = {"httpTokens": "required"}
    base, other = (
        program.add(
            "aws:ec2/launchTemplate:LaunchTemplate", name, imageId="ami-1", metadataOptions=options
        )
        for name in ("base", "other")
    )
    override = {"launchTemplateId": other.id, "targetInstanceTypes": ["g6.xlarge"]}
    spec = {"launchTemplateId": base.id, "overrides": [override]}
    program.add(TOKEN, "e", computeResources={**OWN, "launchTemplate": spec})
    seen = observe(program.resources(moment))
    assert seen.groups[0].safety.metadata_v2 is True
    assert TOKEN not in {each.type for each in seen.not_judged}


@pytest.mark.parametrize(
    ("strategy", "outcome"), [("cluster", "fine"), ("spread", "violated"), (None, "not-knowable")]
)
def test_the_placement_group_of_an_environment_is_that_of_its_machines(strategy, outcome):
    program = Program()
    near: Any = "made-elsewhere"
    if strategy is not None:
        group = program.add("aws:ec2/placementGroup:PlacementGroup", "near", strategy=strategy)
        near = group.out("name")
    cards = [
        {"deviceIndex": min(card, 1), "networkCardIndex": card, "interfaceType": "efa"}
        for card in range(4)
    ]
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", imageId="ami-1", networkInterfaces=cards
    )
    changes = {"instanceTypes": ["p4d.24xlarge"], "maxVcpus": 192, "placementGroup": near}
    spec = {"launchTemplateId": template.id}
    program.add(TOKEN, "e", computeResources={**OWN, **changes, "launchTemplate": spec})

    assert outcomes(of_resources(program.resources()), "fabric-placement") == [outcome]


def images(*types):
    return [{"imageType": each} for each in types]


@pytest.mark.parametrize(
    ("stated", "outputs", "demanded"),
    [
        (None, {}, True),
        (images("ECS_AL2023_NVIDIA"), {}, True),
        (images("EKS_AL2023"), {}, True),
        (images("ECS_AL2_NVIDIA"), {}, False),
        (images("ECS_AL2023", "ECS_AL2_NVIDIA"), {}, False),
        (images("ECS_BOTTLEROCKET"), {}, UNKNOWN),
        (images(UNKNOWN), {}, UNKNOWN),
        ([{"imageKubernetesVersion": "1.33"}], {}, UNKNOWN),
        (None, {"id": "e"}, UNKNOWN),
        (None, {"id": "e", "computeResources": {"ec2Configurations": images("ECS_AL2")}}, False),
        (images("ECS_AL2023"), {"id": "e"}, True),
    ],
)
def test_batch_takes_images_that_demand_a_token_since_2026(stated, outputs, demanded):
    (made,) = environment(ec2Configurations=stated).resources("preview")
    (group,) = observe([replace(made, outputs=outputs)]).groups
    assert group.safety.metadata_v2 is demanded
