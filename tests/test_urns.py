"""The parts of a URN, and what is no URN."""

import pytest

from gpuinfra import urns

URN = "urn:pulumi:dev::town::gpuinfra:index:Training$aws:ec2/instance:Instance::a::b"


def test_a_urn_has_four_parts():
    assert urns.stack_of(URN) == "dev"
    assert urns.project_of(URN) == "town"
    assert urns.type_of(URN) == "aws:ec2/instance:Instance"
    assert urns.name_of(URN) == "a::b"


@pytest.mark.parametrize("text", ["", "training.trainer"])
def test_what_is_no_urn_is_a_name_without_a_type(text):
    assert (urns.type_of(text), urns.name_of(text)) == ("", text)
