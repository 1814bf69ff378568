"""The disks that an image of the stack brings to the machines that start from it."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ROOT = {"volumeSize": 100, "volumeType": "gp3", "encrypted": True}
DATA = {"deviceName": "/dev/sdf", "volumeSize": 1000, "volumeType": "gp3", "encrypted": True}
BARE = {**DATA, "encrypted": None}


def own_image(program, *disks):
    root = {"deviceName": "/dev/sda1", "snapshotId": "snap-1", "volumeSize": 50}
    return program.add(
        "aws:ec2/ami:Ami",
        "img",
        name="own",
        rootDeviceName="/dev/sda1",
        ebsBlockDevices=[root, *({k: v for k, v in disk.items() if v} for disk in disks)],
    )


def box(program, image, name="box", **given):
    given = {"rootBlockDevice": ROOT, **given}
    return program.add(
        "aws:ec2/instance:Instance", name, ami=image.id, instanceType="g6.xlarge", **given
    )


def sizes(program, moment="preview", name="box"):
    return [
        item.quantity
        for item in observe(program.resources(moment)).items
        if item.group == name and "storage" in item.item
    ]


def encrypted(program, moment="preview"):
    (group,) = observe(program.resources(moment)).groups
    return group.safety.disks_encrypted


@both
@pytest.mark.parametrize(("disk", "known"), [(DATA, True), (BARE, False)])
def test_a_disk_of_an_own_image_is_counted_and_judged(moment, disk, known):
    program = Program()
    box(program, own_image(program, disk))
    assert sizes(program, moment) == [100, 1000]
    assert encrypted(program) is known


def test_the_root_disk_of_an_image_stands_where_the_machine_declares_none():
    program = Program()
    box(program, own_image(program), rootBlockDevice=None)
    assert sizes(program) == [50]


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"ebsBlockDevices": [{**DATA, "volumeSize": 10}]}, [100, 10]),
        ({"ephemeralBlockDevices": [{"deviceName": "/dev/sdf", "noDevice": True}]}, [100]),
        ({"ephemeralBlockDevices": [{"deviceName": "/dev/sdg", "noDevice": True}]}, [100, 1000]),
    ],
)
def test_a_mapping_of_the_same_device_takes_the_place_of_an_image_s_disk(given, left):
    program = Program()
    box(program, own_image(program, DATA), **given)
    assert sizes(program) == left


@both
def test_a_template_starts_from_an_own_image_too(moment):
    program = Program()
    image = own_image(program, DATA)
    mapping = {"deviceName": "/dev/sda1", "ebs": ROOT}
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        imageId=image.id,
        instanceType="g6.xlarge",
        blockDeviceMappings=[mapping],
    )
    program.add(
        "aws:autoscaling/group:Group", "box", maxSize=2, launchTemplate={"id": template.id}
    )
    assert sizes(program, moment) == [100, 1000]


@pytest.mark.parametrize(("encrypts", "known"), [(True, True), (None, False), (UNKNOWN, UNKNOWN)])
def test_a_copy_has_the_disks_of_its_image_and_may_encrypt_them(encrypts, known):
    program = Program()
    image = own_image(program, BARE)
    copy = program.add("aws:ec2/amiCopy:AmiCopy", "copy", sourceAmiId=image.id, encrypted=encrypts)
    box(program, copy)
    assert sizes(program) == [100, 1000]
    assert encrypted(program) is known


@both
def test_an_image_of_a_machine_has_its_disks_and_the_volumes_on_it(moment):
    program = Program()
    base = program.add(
        "aws:ec2/instance:Instance",
        "base",
        ami="ami-1",
        instanceType="t3.micro",
        rootBlockDevice=ROOT,
        ebsBlockDevices=[DATA],
    )
    volume = program.add(
        "aws:ebs/volume:Volume", "more", availabilityZone="us-east-1a", size=70, type="gp3"
    )
    program.add(
        "aws:ec2/volumeAttachment:VolumeAttachment",
        "on",
        instanceId=base.id,
        volumeId=volume.id,
        deviceName="/dev/sdg",
    )
    image = program.add("aws:ec2/amiFromInstance:AmiFromInstance", "img", sourceInstanceId=base.id)
    box(program, image)
    assert sizes(program, moment) == [100, 1000, 70]
    assert sizes(program, moment, "base") == [100, 1000]
    safety = {group.name: group.safety for group in observe(program.resources()).groups}
    assert safety["box"].disks_encrypted is False


def test_a_machine_of_its_own_image_in_a_broken_state_is_read_once():
    program = Program()
    image = program.add(
        "aws:ec2/amiFromInstance:AmiFromInstance", "img", sourceInstanceId="box-id"
    )
    machine = box(program, image)
    program.change(image, sourceInstanceId=machine.id)
    assert sizes(program, "created") == [100]


def test_what_image_builder_builds_has_the_disks_of_its_recipe():
    program = Program()
    mapping = {"deviceName": "/dev/sdf", "ebs": {"volumeSize": 500, "volumeType": "gp3"}}
    recipe = program.add(
        "aws:imagebuilder/imageRecipe:ImageRecipe", "recipe", blockDeviceMappings=[mapping]
    )
    built = program.add("aws:imagebuilder/image:Image", "built", imageRecipeArn=recipe.out("arn"))
    program.add(
        "aws:ec2/instance:Instance",
        "box",
        ami=built.out("amis"),
        instanceType="g6.xlarge",
        rootBlockDevice=ROOT,
    )
    assert sizes(program) == [Decimal(100), Decimal(500)]


def test_an_image_whose_disks_are_not_known_yet_leaves_the_disks_unknown():
    program = Program()
    image = program.add("aws:ec2/ami:Ami", "img", name="own", ebsBlockDevices=UNKNOWN)
    box(program, image)
    assert encrypted(program) is UNKNOWN
    assert UNKNOWN in sizes(program)


@pytest.mark.parametrize(
    "again",
    [
        lambda program, image: program.add("aws:ec2/amiCopy:AmiCopy", "b", sourceAmiId=image.id),
        lambda program, image: program.add(
            "aws:ec2/amiFromInstance:AmiFromInstance",
            "b",
            sourceInstanceId=box(program, image, "base").id,
        ),
    ],
    ids=["copied", "of a machine"],
)
def test_what_is_made_of_an_image_of_unknown_disks_has_unknown_disks(again):
    program = Program()
    image = program.add("aws:ec2/ami:Ami", "img", name="own", ebsBlockDevices=UNKNOWN)
    box(program, again(program, image))
    safety = {group.name: group.safety for group in observe(program.resources()).groups}
    assert safety["box"].disks_encrypted is UNKNOWN
    assert UNKNOWN in sizes(program)


def test_a_recipe_of_unknown_mappings_leaves_the_disks_unknown():
    program = Program()
    recipe = program.add(
        "aws:imagebuilder/imageRecipe:ImageRecipe", "recipe", blockDeviceMappings=UNKNOWN
    )
    built = program.add("aws:imagebuilder/image:Image", "built", imageRecipeArn=recipe.out("arn"))
    program.add(
        "aws:ec2/instance:Instance",
        "box",
        ami=built.out("amis"),
        instanceType="g6.xlarge",
        rootBlockDevice=ROOT,
    )
    assert encrypted(program) is UNKNOWN
    assert UNKNOWN in sizes(program)


def test_a_mapping_that_takes_a_device_away_brings_no_disk():
    program = Program()
    mappings = [
        {"deviceName": "/dev/sda1", "ebs": ROOT},
        {"deviceName": "/dev/sdf", "noDevice": ""},
    ]
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        imageId=own_image(program, BARE).id,
        instanceType="g6.xlarge",
        blockDeviceMappings=mappings,
    )
    program.add(
        "aws:autoscaling/group:Group", "box", maxSize=2, launchTemplate={"id": template.id}
    )
    assert sizes(program) == [100]
    assert encrypted(program) is True


def test_an_image_of_elsewhere_brings_only_a_root_disk():
    program = Program()
    program.add("aws:ec2/instance:Instance", "box", ami="ami-1", instanceType="g6.xlarge")
    assert sizes(program) == [None]
