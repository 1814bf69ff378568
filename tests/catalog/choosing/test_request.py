import pytest

from gpuinfra.catalog import request
from gpuinfra.errors import InputError
from gpuinfra.units import Range


def ask(text: str):
    return request(text, clouds=["aws"], regions=["us-east-1"], capacity="on-demand")


def test_a_gpu_with_its_count() -> None:
    request = ask("H100:8")

    assert (request.gpu, request.count, request.memory, request.instance) == (
        "H100",
        8,
        None,
        None,
    )


def test_memory_with_a_count() -> None:
    request = ask("80GB..:8")

    assert (request.gpu, request.count, request.memory) == (None, 8, Range(80 * 10**9, None))


def test_a_machine_type() -> None:
    assert ask("p5.48xlarge").instance == "p5.48xlarge"
    assert ask("p6-b200.48xlarge").instance == "p6-b200.48xlarge"


@pytest.mark.parametrize(
    ("text", "hint"), [("80:8", "80GB..:8"), ("H100:x", ""), ("H100:0", ""), ("", ""), (":8", "")]
)
def test_anything_else_is_refused_with_what_is_allowed(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        ask(text)

    (problem,) = caught.value.problems
    assert "H100:8" in problem.allowed
    assert problem.suggestion == hint


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("{memory: 80GB..}", "80GB.."),
        ("{memory: 80GB.., count: 8, nvlink: true}", "80GB..:8"),
        ("{model: H100, count: 2}", "H100:2"),
        ("{}", ""),
    ],
)
def test_a_mapping_of_the_stack_file_is_told_as_one_word(text: str, suggestion: str) -> None:
    with pytest.raises(InputError) as caught:
        request(text, clouds=("aws",), regions=("us-east-1",), capacity="spot")

    (problem,) = caught.value.problems
    assert (problem.value, problem.suggestion) == (text, suggestion)
    assert "mapping" in problem.message
