"""What a pool's container says of its image and of its model."""

from pathlib import Path

import pytest

from gpuinfra.planning.container_models import _model_name
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414

TEXT = """\
budget: {{per_hour: 5, per_month: 4000}}
where: {{regions: [us-east-1]}}
inference:
  chat: {{gpu: L4:1, image: "{image}", args: [{args}], replicas: 1, port: 8000}}
"""
PINNED = "vllm/vllm-openai:v0.11.0"
LARGE = "--model, meta-llama/Llama-3.1-70B-Instruct"


def _told(gpuinfra, tmp_path: Path, image: str = PINNED, args: str = "") -> str:
    path = tmp_path / "stack.yaml"
    path.write_text(TEXT.format(image=image, args=args))
    return gpuinfra("check", path, "-v").out


@pytest.mark.parametrize(
    ("image", "pinned"),
    [
        (PINNED, True),
        ("registry.example.com:5000/team/serve@sha256:" + "0" * 64, True),
        ("vllm/vllm-openai:latest", False),
        ("registry.example.com:5000/team/serve", False),
    ],
)
def test_a_container_image_without_a_version_is_a_warning(gpuinfra, tmp_path, image, pinned):
    told = _told(gpuinfra, tmp_path, image)

    assert ("! image-pinned: inference.chat: its container image" in told) is not pinned
    assert ("@sha256:…" in told) is not pinned


def test_a_model_that_the_gpu_can_not_hold_is_told_with_both_figures(gpuinfra, tmp_path):
    told = _told(gpuinfra, tmp_path, args=LARGE)

    assert "its args name meta-llama/Llama-3.1-70B-Instruct, which needs " in told
    assert "g6.xlarge has 24; add for_model: {name: llama-3.1-70b} to its gpu" in told


@pytest.mark.parametrize(
    "args",
    [
        "",
        "--model, Qwen/Qwen2.5-7B-Instruct",
        "--model, nobody/knows-70B",
        f"{LARGE}-AWQ",
        "--model, /data/llama-3.1-70b",
    ],
)
def test_a_model_that_fits_or_is_not_known_is_not_told(gpuinfra, tmp_path, args):
    assert "its args name" not in _told(gpuinfra, tmp_path, args=args)


def test_arguments_that_make_weights_smaller_leave_the_size_unknown():
    assert _model_name(("--model", "a/b")) == _model_name(("--model=a/b",)) == "a/b"
    assert _model_name(("--model", "a/b", "--quantization=fp8")) == ""
