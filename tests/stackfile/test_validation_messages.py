"""What Python code gets wrong is told in the same words as a file's faults."""

from typing import Literal

import pytest
from pydantic import BaseModel, ValidationError

from gpuinfra.specs import Training
from gpuinfra.stackfile import problems_of


def test_a_part_of_a_stack():
    with pytest.raises(ValidationError) as caught:
        Training.model_validate({"gpu": "H100:8", "nodes": 0, "capcity": "spot"})

    first, second = problems_of(caught.value, ("training", "trainer"))
    assert first.message == "training.trainer.nodes is out of range"
    assert first.path == ("training", "trainer", "nodes")
    assert second.message == "unknown key 'capcity' in training.trainer"
    assert second.suggestion == "capacity"


@pytest.mark.parametrize("given", [24, 2.5, True, ["L4"], "8 of them"])
def test_what_is_no_gpu_is_told_both_forms_of_one(given):
    with pytest.raises(ValidationError) as caught:
        Training(gpu=given)

    (problem,) = problems_of(caught.value, ("training", "trainer"))
    assert problem.message == "training.trainer.gpu is not a request for GPUs"
    assert "H100:8" in problem.allowed
    assert "{memory: 24GB..}" in problem.allowed


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("for_model", "move it to training.trainer.gpu"),
        ("zones", "move it to training.trainer.where or training.trainer.network"),
        ("owner", "move it to the top of the file"),
        ("colour", "correct the spelling, or remove the key"),
    ],
)
def test_a_key_that_belongs_elsewhere_is_told_where(key, fix):
    with pytest.raises(ValidationError) as caught:
        Training(gpu="H100:8", **{key: "x"})

    (problem,) = problems_of(caught.value, ("training", "trainer"))
    assert problem.fix == fix


def test_plain_keyword_values_are_parsed():
    made = Training(
        instance="p5.48xlarge",
        nodes=4,
        capacity=("spot", "on-demand"),
        max_price="40",
        duration="72h",
    )

    assert made.fabric == "required"
    assert made.max_price == 40
    assert [step.kind for step in made.capacity] == ["spot", "on-demand"]


def test_a_foreign_form_has_plain_words():
    class Foreign(BaseModel):
        purpose: dict[str, Literal["a", "b"]]

    with pytest.raises(ValidationError) as caught:
        Foreign(purpose={"x": "c"})

    [problem] = problems_of(caught.value)
    assert problem.message == "purpose.x is text that is not accepted"
    assert problem.value == "c"
    assert problem.allowed == "'a' or 'b'"
