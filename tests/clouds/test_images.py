"""How an image that a cloud does not take is refused, and a machine that no public one serves."""

from importlib import import_module
from typing import Final

import pytest

from gpuinfra.clouds import CLOUDS
from gpuinfra.clouds.declaring import images
from gpuinfra.errors import InputError

WRONG: Final = "an image"


def test_what_was_found_is_given() -> None:
    assert images.require_image("ami-1", "trainer", "p5.48xlarge", "ami-…") == "ami-1"


def test_a_machine_without_a_public_image_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputError) as refused:
        images.require_image(None, "trainer", "trn9.large", "ami-…")

    (problem,) = refused.value.problems
    assert problem.message == "trainer: no public image is known for trn9.large machines"
    assert problem.path == ("trainer", "machine_image")
    assert problem.fix == "name one with machine_image: ami-…"


@pytest.mark.parametrize("cloud", CLOUDS)
def test_an_image_that_a_cloud_does_not_take_is_refused_in_its_words(cloud: str) -> None:
    known = import_module(f"gpuinfra.clouds.{cloud}.images")

    (problem,) = images.image_error(
        "trainer", WRONG, known.image_fault(WRONG), known.IMAGE_FORMS
    ).problems

    assert problem.message.startswith(f"trainer: {WRONG!r} ")
    assert problem.value == WRONG
    assert problem.allowed == known.IMAGE_FORMS


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_the_image_that_the_way_out_shows_is_taken(cloud: str) -> None:
    image = import_module(f"gpuinfra.clouds.{cloud}.declare.image")

    assert not import_module(f"gpuinfra.clouds.{cloud}.images").image_fault(image.EXAMPLE)
