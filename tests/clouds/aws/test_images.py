import re

import pytest

from gpuinfra.clouds.aws.images import (
    ABSENT,
    devices,
    family,
    has_image,
    images,
    known_image,
    public_image,
    serves,
)
from gpuinfra.clouds.aws.machines import MACHINES, machine

WITHOUT = {
    "p3dn": "AWS's images with the driver for V100 no longer list it",
    "g6f": "a fraction of a GPU is no L4",
    "gr6f": "a fraction of a GPU is no L4",
    "inf1": "no Neuron image since 2.26.1",
    "trn2u": "no image names it",
    "dl2q": "no image",
    "u-p6e-gb200x36": "a rack, not a machine",
    "u-p6e-gb200x72": "a rack, not a machine",
}


def test_each_family_on_sale_has_a_training_image_or_is_known_not_to() -> None:
    sold = {family(machine) for machine in MACHINES.all_machines() if machine.status == "current"}
    served = {
        family(machine) for machine in MACHINES.all_machines() if has_image(machine, "training")
    }

    assert sold - served == set(WITHOUT)


def test_pools_start_on_nvidia_only() -> None:
    trained = {
        family(machine) for machine in MACHINES.all_machines() if has_image(machine, "training")
    }
    served = {
        family(machine) for machine in MACHINES.all_machines() if has_image(machine, "inference")
    }

    assert trained - served == {"trn1", "trn1n", "trn2", "inf2"}


def test_retired_machines_have_no_image() -> None:
    assert not [
        machine
        for machine in MACHINES.all_machines()
        if machine.status != "current" and devices(machine)
    ]


@pytest.mark.parametrize("image", images(), ids=lambda image: image.parameter)
def test_an_image_is_sourced_dated_and_for_machines_of_the_table(image) -> None:
    known = {family(machine): machine.architecture for machine in MACHINES.all_machines()}
    place = f"/aws/service/deeplearning/ami/{image.architecture}/"

    assert image.parameter.startswith(
        place if image.devices == "nvidia" else "/aws/service/neuron"
    )
    assert image.source
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", image.as_of)
    assert {known[name] for name in image.families} == {image.architecture}
    assert image.root_device == ("/dev/xvda" if "Amazon" in image.system else "/dev/sda1")
    assert set(image.purposes) <= {"training", "inference"}


def test_no_parameter_is_in_the_table_twice() -> None:
    named = [image.parameter for image in images()]

    assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("type_", "purpose", "part"),
    [
        ("g4dn.xlarge", "training", "x86_64/oss-nvidia-driver-gpu-pytorch-2.10-amazon-linux-2023"),
        ("g4dn.xlarge", "inference", "x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04"),
        ("p6-b200.48xlarge", "training", "gpu-pytorch-2.10"),
        ("p6-b300.48xlarge", "training", "base-with-single-cuda"),
        ("g7e.2xlarge", "training", "base-oss-nvidia-driver-gpu-amazon-linux-2023"),
        ("g5g.xlarge", "training", "arm64/oss-nvidia-driver-gpu-pytorch-2.10"),
        ("p6e-gb200.36xlarge", "inference", "arm64/base-oss-nvidia-driver-gpu"),
        ("trn1.32xlarge", "training", "neuron/dlami/multi-framework/ubuntu-24.04"),
    ],
)
def test_a_machine_gets_the_first_image_that_lists_its_family(
    type_: str, purpose: str, part: str
) -> None:
    image = public_image(purpose, machine(type_))

    assert part in image.parameter
    assert serves(image, machine(type_))


def test_an_image_of_no_purpose_is_known_and_never_taken() -> None:
    named = [image for image in images() if not image.purposes]
    taken = {public_image("training", machine) for machine in MACHINES.all_machines()}

    assert named
    assert taken.isdisjoint(named)
    assert [known_image(image.parameter) for image in named] == named


def test_of_another_image_nothing_is_known() -> None:
    assert known_image("/team/ami") is None
    assert known_image("ami-0123456789abcdef0") is None


@pytest.mark.parametrize(
    ("type_", "whose"),
    [("p5.48xlarge", "nvidia"), ("trn2.48xlarge", "neuron"), ("p3dn.24xlarge", None)],
)
def test_whose_driver_a_machine_needs(type_: str, whose: str | None) -> None:
    assert devices(machine(type_)) == whose


def test_unknown_and_absent_software_are_two_things() -> None:
    (neuron,) = [image for image in images() if image.devices == "neuron"]
    base = public_image("inference", machine("g6.xlarge"))

    assert neuron.driver == ABSENT
    assert neuron.versions("driver") == neuron.versions("cuda") == ()
    assert neuron.versions("pytorch") is None
    assert base.versions("driver") is None
    assert base.versions("pytorch") == ()
