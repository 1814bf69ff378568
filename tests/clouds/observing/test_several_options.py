"""The fabric of a group whose machines start in several ways."""

from dataclasses import replace
from itertools import permutations

import pytest

from gpuinfra.clouds.observing.several_options import weakest_fabric
from tests.rules.cases.fabric import FABRIC


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("preferred", "required"), "required"),
        (("preferred", "preferred"), "preferred"),
        (("required", None), "required"),
    ],
)
def test_one_way_that_declares_a_fabric_requires_it_of_all(given, expected):
    options = [
        None
        if each is None
        else replace(FABRIC, requirement=each, driver_image=each != "required")
        for each in given
    ]
    for ordered in permutations(options):
        fabric = weakest_fabric(ordered)
        assert fabric is not None
        assert fabric.requirement == expected
        assert fabric.driver_image is ("required" not in given)
