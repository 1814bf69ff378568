import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads

TEXT = """\
version: 1
name: placed
owner: ml-platform
where: {{cloud: aws, regions: [us-east-1]}}
training:
  trainer: {{instance: p5.48xlarge, nodes: 2, capacity: [{step}]}}
"""
RESERVATION = "reservation: cr-0123456789abcdef0"


def test_a_reservation_says_in_which_placement_group_it_was_made() -> None:
    step = f"{{reserved: {{{RESERVATION}, placement_group: close}}}}"
    stack = loads(TEXT.format(step=step)).stack

    assert stack.training["trainer"].capacity[0].placement_group == "close"


@pytest.mark.parametrize(
    "step",
    [
        "{spot: {placement_group: close}}",
        "{on-demand: {reserve: true, placement_group: close}}",
        f"{{capacity-block: {{{RESERVATION}, ends: 2026-12-01T11:30Z, placement_group: close}}}}",
    ],
)
def test_nothing_else_stands_in_a_placement_group_of_the_callers(step: str) -> None:
    with pytest.raises(InputError) as caught:
        loads(TEXT.format(step=step))
    (problem,) = caught.value.problems

    assert "names a placement group" in problem.message
    assert "placement_group: machines that need one get their own" in problem.fix
