import pytest

from gpuinfra.clouds.gcp.images import disk_size_of, has_image, public_image
from gpuinfra.clouds.gcp.machines import MACHINES, machine
from gpuinfra.model import UNKNOWN


@pytest.mark.parametrize(("purpose", "more"), [("training", set()), ("inference", {"a4"})])
def test_images_serve_the_series_that_their_source_names(purpose, more: set[str]) -> None:
    served = {
        machine.type.partition("-")[0]
        for machine in MACHINES.all_machines()
        if has_image(machine, purpose)
    }

    assert served == {"n1", "g2", "g4", "a2", "a3"} | more


@pytest.mark.parametrize("type_", ["g2-standard-4", "a3-ultragpu-8g"])
@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_an_image_is_a_family_of_a_project_with_a_source(type_: str, purpose) -> None:
    image = public_image(purpose, machine(type_))

    assert "ubuntu" in image.family
    assert image.project in {"deeplearning-platform-release", "ubuntu-os-accelerator-images"}
    assert image.source
    assert image.as_of


def test_no_image_is_known_for_another_processor() -> None:
    assert public_image("training", machine("a4x-highgpu-4g")) is None
    assert not has_image(machine("a4x-highgpu-4g"), "inference")


@pytest.mark.parametrize("type_", ["g4-standard-6", "g4-standard-12", "g4-standard-24"])
@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_no_image_is_known_for_a_part_of_a_gpu(type_: str, purpose) -> None:
    assert public_image(purpose, machine("g4-standard-48")) is not None
    assert public_image(purpose, machine(type_)) is None


def test_training_has_pytorch_and_serving_has_docker() -> None:
    known = machine("g2-standard-4")

    assert public_image("training", known).family.startswith("pytorch-")
    assert public_image("inference", known).family.startswith("common-")


@pytest.mark.parametrize(
    ("image", "gib"),
    [
        ("debian-cloud/debian-12", 10),
        ("projects/debian-cloud/global/images/family/debian-12", 10),
        (
            "https://www.googleapis.com/compute/v1/projects/rhel-cloud/global/images/rhel-9-v1",
            50,
        ),
        ("debian-12", UNKNOWN),
        ("family/debian-cloud", UNKNOWN),
        ("global/images/debian-cloud", UNKNOWN),
        ("projects/me/global/images/debian-cloud", UNKNOWN),
        ("me/debian-12", UNKNOWN),
        (UNKNOWN, UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_the_size_of_a_disk_is_known_of_public_images_alone(image, gib):
    assert disk_size_of(image) == gib
