"""The rule fabric-driver: images and scripts of three clouds."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.fabric import PLAIN, alone, training
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan

READY = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss/latest/ami-id"


@pytest.mark.parametrize(
    ("image", "outcome"), [(READY, "fine"), (PLAIN, "violated"), ("ami-0abc", "not-knowable")]
)
def test_the_driver_of_an_image_on_aws(image, outcome):
    case = cluster()
    case.program.change(case.template, imageId=image)
    (finding,) = findings(of_resources(case.program.resources()), "fabric-driver")
    assert (finding.outcome, finding.refuses) == (outcome, outcome == "violated")


@pytest.mark.parametrize(
    ("kept", "now", "outcome"),
    [
        ({"id": "ami-0abc", "name": READY}, UNKNOWN, "fine"),
        ({"id": "ami-0abc", "name": READY}, "ami-0abc", "fine"),
        ({"id": "ami-0abc", "name": PLAIN}, "ami-0abc", "violated"),
        ({"id": "ami-0abc", "name": READY}, "ami-0def", "not-knowable"),
        ("ami-0abc", "ami-0abc", "not-knowable"),
        (UNKNOWN, UNKNOWN, "not-knowable"),
    ],
)
def test_the_name_of_an_image_that_the_state_keeps_tells_its_driver(kept, now, outcome):
    case = cluster()
    pin = case.program.add("pulumi:index:Stash", "image", input=kept)
    case.program.change(case.template, imageId=pin.out("output"))
    resources = [
        replace(resource, inputs={**resource.inputs, "imageId": now})
        if resource.urn == case.template.urn
        else resource
        for resource in case.program.resources("preview")
    ]

    assert outcomes(of_resources(resources), "fabric-driver") == [outcome]


@pytest.mark.parametrize("script", ["userData", "userDataBase64"])
def test_a_script_may_bring_what_a_plain_image_lacks(script):
    case = cluster()
    case.program.change(case.template, imageId=PLAIN, **{script: "IyEvYmluL3NoCg=="})
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == ["not-knowable"]


CANONICAL = {"publisher": "Canonical", "offer": "0001-com-ubuntu", "sku": "22_04-lts-gen2"}


@pytest.mark.parametrize(
    ("profile", "outcome"),
    [
        ({}, "fine"),
        ({"storageProfile": {"imageReference": CANONICAL}}, "violated"),
        (
            {"storageProfile": {"imageReference": CANONICAL}, "userData": "I2Nsb3Vk"},
            "not-knowable",
        ),
        (
            {
                "storageProfile": {"imageReference": CANONICAL},
                "extensionProfile": {"extensions": [{"name": "ib"}]},
            },
            "not-knowable",
        ),
        ({"storageProfile": {"imageReference": {"id": "/my/image"}}}, "not-knowable"),
    ],
)
def test_the_driver_of_an_image_on_azure(profile, outcome):
    case = azure_cluster.cluster()
    case.profile(osProfile={"linuxConfiguration": azure_cluster.LOGIN})
    case.profile(**profile)
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == [outcome]


def test_an_extension_may_bring_what_a_plain_image_lacks():
    case = azure_cluster.cluster()
    case.profile(storageProfile={"imageReference": CANONICAL}, osProfile=None)
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == ["violated"]
    case.program.add("azure-native:compute:VirtualMachineScaleSetExtension", "infiniband")
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == ["not-knowable"]


UBUNTU = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"


@pytest.mark.parametrize(
    ("image", "script", "outcome"),
    [
        (UBUNTU, None, "violated"),
        ("debian-cloud/debian-12", None, "violated"),
        (UBUNTU, "install nccl-gib", "not-knowable"),
        (UBUNTU, "install something else", "violated"),
        (UBUNTU, UNKNOWN, "not-knowable"),
        ("projects/mine/global/images/own", None, "not-knowable"),
        (UNKNOWN, None, "not-knowable"),
    ],
)
def test_the_driver_of_an_image_on_google_cloud(image, script, outcome):
    case = gcp_cluster.roce()
    disk = {"boot": True, "sourceImage": image, "diskType": "hyperdisk-balanced"}
    case.program.change(case.template, disks=[disk], metadata=None, metadataStartupScript=script)
    assert outcomes(of_resources(case.program.resources()), "fabric-driver") == [outcome]


@pytest.mark.parametrize(
    ("driver_image", "outcome"),
    [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")],
)
def test_machines_of_a_fabric_have_its_driver(driver_image, outcome):
    assert outcomes(plan(training(driver_image=driver_image)), "fabric-driver") == [outcome]


def test_without_a_fabric_driver_does_not_apply():
    assert outcomes(plan(group()), "fabric-driver") == ["not-applicable"]


GROUP_URN = "urn:pulumi:dev::p::aws:autoscaling/group:Group::trainer"


@pytest.mark.parametrize("subject", ["training.trainer", GROUP_URN])
@pytest.mark.parametrize(
    ("image", "declared", "stated", "refuses"),
    [
        (False, "required", None, True),
        (False, "preferred", None, False),
        (False, "preferred", "required", True),
        (False, "required", "preferred", False),
        (False, "required", "none", False),
        (UNKNOWN, "required", "required", False),
    ],
)
def test_what_is_required_decides_whether_an_image_refuses(
    subject, image, declared, stated, refuses
):
    shown = replace(training(driver_image=image, requirement=declared), subject=subject)
    judged = plan(replace(shown, needs=replace(shown.needs, fabric=stated)))
    (finding,) = findings(judged, "fabric-driver")
    assert finding.outcome == ("violated" if image is False else "not-knowable")
    assert (finding.level, finding.refuses) == ("mandatory" if refuses else "advisory", refuses)
    assert ("fabric: preferred" in finding.fix) is refuses
    is_of_stack_file = subject == "training.trainer"
    assert ("machine_image" in finding.fix) is (image is False and is_of_stack_file)
    assert findings(judged, "fabric-driver", {"level": "mandatory"})[0].refuses
    assert not findings(judged, "fabric-driver", {"level": "advisory"})[0].refuses


def test_single_machines_are_joined_to_others_of_their_kind():
    first, second = (alone(name, driver_image=False) for name in ("one", "two"))
    assert [each.refuses for each in findings(plan(first, second), "fabric-driver")] == [True] * 2
    assert [each.refuses for each in findings(plan(first), "fabric-driver")] == [False]
