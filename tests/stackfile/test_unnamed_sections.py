"""A section with the keys of one entry and no name is one problem, with the name to put there."""

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads

HEAD = "name: ab\nowner: me\nwhere: {regions: [us-east-1]}\nbudget: {per_hour: 2}\n"


@pytest.mark.parametrize(
    ("section", "fix"),
    [
        (
            "training:\n  gpu: L4:1\n  duration: 24h\n",
            "training: {NAME: {gpu: L4:1, duration: 24h}}",
        ),
        (
            "training:\n  gpu: L4:1\n  disk: {size: 10GB}\n",
            "training: {NAME: {gpu: L4:1, disk: {size: 10GB}}}",
        ),
        ("buckets: {size: 100GB}\n", "buckets: {NAME: {size: 100GB}}"),
        ("inference: {gpu: L4:1, port: 80}\n", "inference: {NAME: {gpu: L4:1, port: 80}}"),
    ],
)
def test_it_is_one_problem_with_what_to_write(section: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        loads(HEAD + section)

    (problem,) = caught.value.problems
    name = section.partition(":")[0]
    assert problem.message == f"{name} has no name above the keys of its entry"
    assert problem.fix == f"put a name of your choice there: {fix}"
    assert problem.position is not None
    assert problem.position.line == 5


def test_an_entry_may_be_called_like_a_key() -> None:
    stack = loads(f"{HEAD}training: {{command: {{gpu: L4:1}}}}\n").stack

    assert list(stack.training) == ["command"]


def test_a_wrong_entry_beside_a_named_one_is_told_as_before() -> None:
    with pytest.raises(InputError) as caught:
        loads(f"{HEAD}training: {{a: {{gpu: L4:1}}, gpu: L4:1}}\n")

    assert "has no name" not in str(caught.value)
