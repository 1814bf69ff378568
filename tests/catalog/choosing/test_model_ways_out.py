"""What a refusal proposes where a model does not fit: machines, adapters, each reason once."""

from decimal import Decimal

import pytest

from gpuinfra.catalog import Request, choose
from gpuinfra.catalog.choosing.rejections import NothingFits
from gpuinfra.catalog.sizing.model_request import ModelRequest, Task


def _refused(task: Task, gpu: str, count: int) -> str:
    request = Request(
        clouds=("aws",),
        regions=("us-east-1",),
        gpu=gpu,
        count=Decimal(count),
        purpose="training",
        machines=1,
        model=ModelRequest(parameters=70_553_706_496, name="llama-3.1-70b", task=task),
    )
    with pytest.raises(NothingFits) as refusal:
        choose(request)
    return refusal.value.problems[0].fix or ""


def test_adapters_are_proposed_with_their_memory_where_they_fit() -> None:
    fix = _refused("fine-tune", "H100", 8)

    assert fix.startswith("use 3 machines, or train adapters alone (task: lora), which need ")
    assert "p5.48xlarge: needs " in fix
    assert " GB per GPU, has 80; 3 machines would do" in fix


def test_what_serves_has_no_adapters_and_a_reason_is_told_once() -> None:
    fix = _refused("serve", "L4", 1)

    assert "lora" not in fix
    assert fix.count("more machines would not help") == 1
    assert " and " in fix.partition(": needs ")[0]
