"""The fabric of a group whose machines start in several ways."""

from dataclasses import fields, replace
from itertools import permutations

import pytest

from gpuinfra.clouds.observing.several_options import weakest_fabric, worst_safety
from gpuinfra.model import Safety
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


@pytest.mark.parametrize("name", [each.name for each in fields(Safety)])
def test_no_field_of_the_security_basics_is_lost(name):
    texts = ("secrets", "open_ports", "opened_by_keys")
    value = ("kept",) if name in texts else 3 if name == "hop_limit" else True
    one = replace(Safety(), **{name: value})
    assert getattr(worst_safety([one, replace(one)]), name) == value
