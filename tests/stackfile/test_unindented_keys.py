"""Keys that are not indented below the key that they belong to are one problem."""

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads

HEAD = "name: ab\nowner: me\nwhere: {regions: [us-east-1]}\nbudget: {per_hour: 2}\n"
MESSAGE = "the keys of 'tune' are not indented below it"


def problems(text: str) -> list[tuple[str, str, int]]:
    with pytest.raises(InputError) as caught:
        loads(HEAD + text)
    return [
        (problem.message, problem.fix, problem.position.line) for problem in caught.value.problems
    ]


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("  gpu: L4:1\n", "line 7"),
        ("  gpu: L4:1\n  duration: 24h\n", "lines 7 and 8"),
        ("  gpu: L4:1\n  data:\n    - bucket: a\n      prefix: b/\n", "lines 7 to 10"),
    ],
)
def test_it_is_one_problem_that_names_the_lines(keys: str, lines: str) -> None:
    assert problems(f"training:\n  tune:\n{keys}") == [(MESSAGE, f"indent {lines} below tune", 6)]


def test_a_key_of_a_workload_may_lack_its_keys_as_well() -> None:
    text = "training:\n  tune:\n    gpu: L4:1\n    checkpoints:\n    bucket: a\n    every: 10m\n"

    assert problems(text) == [
        (
            "the keys of 'checkpoints' are not indented below it",
            "indent lines 9 and 10 below checkpoints",
            8,
        )
    ]


def test_other_workloads_and_their_faults_stay() -> None:
    text = "training:\n  tune:\n  gpu: L4:1\n  next: {gpus: L4:1}\nbuckets:\n"
    told = problems(text)

    assert told[0] == (MESSAGE, "indent line 7 below tune", 6)
    assert [line for _, _, line in told[1:]] == [8, 9]


def test_a_key_without_a_value_whose_keys_do_not_follow_has_none() -> None:
    (message, _, _), *_ = problems("training:\n  tune:\n  next: {gpu: L4:1}\n")

    assert message == "'tune' has no value"
