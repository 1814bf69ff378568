"""An error in a report: each of its problems on a line, at most a hundred of them."""

import pytest

from gpuinfra.errors import (
    CloudError,
    EngineError,
    GpuinfraError,
    InputError,
    Position,
    Problem,
    Refusal,
)
from gpuinfra.report.problems import MAX_PROBLEMS, markdown_list, problem_line, problems_of


def lines(error: GpuinfraError) -> list[str]:
    return [problem_line(problem) for problem in problems_of(error)]


@pytest.mark.parametrize("more", [0, 1, 23])
def test_of_very_many_problems_the_rest_is_counted(more: int) -> None:
    problems = [Problem(message=f"problem {index}") for index in range(MAX_PROBLEMS + more)]
    told = lines(InputError(problems))

    assert told[:MAX_PROBLEMS] == [f"problem {index}" for index in range(MAX_PROBLEMS)]
    assert told[MAX_PROBLEMS:] == ([f"… and {more} more"] if more else [])


def test_each_refusal_of_a_cloud_is_a_problem_with_its_fix() -> None:
    refused = Refusal(what="chat-group", why="no capacity", fix="try another zone")

    assert (
        lines(CloudError([refused, refused]))
        == ["refused: chat-group: no capacity; fix: try another zone"] * 2
    )


def test_another_error_is_its_only_problem() -> None:
    assert lines(EngineError("the engine ended")) == ["the engine ended"]


def test_a_problem_says_all_that_it_knows_on_one_line() -> None:
    problem = Problem(
        message="unknown machine",
        position=Position(file="stack.yaml", line=3, column=7),
        value="g6.xlrage",
        suggestion="g6.xlarge",
        allowed="a machine of AWS",
        fix="gpuinfra catalog ls",
    )

    assert markdown_list(InputError([problem])) == (
        "- `stack.yaml:3:7` unknown machine; value: g6.xlrage; did you mean 'g6.xlarge'?; "
        "allowed: a machine of AWS; fix: gpuinfra catalog ls"
    )


def test_a_problem_without_a_place_has_no_gap_before_its_words() -> None:
    assert markdown_list(InputError([Problem(message="no program here")])) == "- no program here"
