"""What a stack's models take of the GPUs that were chosen for them."""

import pytest

from gpuinfra import planning
from gpuinfra.errors import InputError
from gpuinfra.planning.model_fit import model_fits
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: sft
owner: me
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer:
    gpu: {for_model: {parameters: 70B, task: fine-tune}}
    nodes: 3
  plain: {gpu: L4:1}
inference:
  chat:
    gpu: {for_model: {name: llama-3.1-70b, context: 8192, batch: 16}}
    replicas: 1..4
    scale_on: {gpu_utilization: 70%}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
"""


def test_each_model_fits_the_machines_that_were_chosen():
    stack = loads(STACK).stack
    trainer, chat = model_fits(stack, planning.from_stack(stack))

    assert (trainer.group, trainer.need.machines, trainer.model.task) == (
        "trainer",
        3,
        "fine-tune",
    )
    assert trainer.need.per_gpu_gb <= trainer.gpu_gb
    assert trainer.rule_of_thumb.gigabytes == 210
    assert (chat.group, chat.need.machines, chat.model.task) == ("chat", 1, "serve")
    assert chat.need.per_gpu_gb <= chat.gpu_gb
    assert "KV cache" in [term.name for term in chat.need.terms]


def test_a_model_that_is_named_as_a_gpu_is_told_how_it_is_named() -> None:
    text = (
        "name: demo\nowner: ml\nwhere: {cloud: aws, regions: [us-east-1]}\n"
        "training: {tune: {gpu: llama-3.1-8b}}\n"
    )
    with pytest.raises(InputError) as caught:
        planning.from_stack(loads(text).stack)

    (only,) = caught.value.problems
    assert only.message == "this is a model, not a GPU"
    assert only.fix.startswith("write gpu: {for_model: llama-3.1-8b}")
