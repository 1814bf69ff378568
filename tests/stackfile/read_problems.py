"""The problems that reading a text of a stack file tells."""

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads


def problems(text):
    with pytest.raises(InputError) as caught:
        loads(text, "stack.yaml")
    return caught.value.problems


def only(text):
    [problem] = problems(text)
    return problem


def spot(problem):
    return problem.position.line, problem.position.column
