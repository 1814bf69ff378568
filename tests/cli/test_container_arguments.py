"""`plan` shows what a pool's container is started with, and `check` finds a secret in it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

KEY = "sk-aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA"
TOKEN = f"hf_{KEY[3:]}ab"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    return made


def write(folder: Path, args: str) -> Path:
    (folder / "stack.yaml").write_text(
        "budget: {per_hour: 8}\nowner: ml-platform\nprices: {accept_outdated: true}\n"
        "where: {cloud: aws, regions: [us-east-1]}\ninference:\n"
        "  chat: {gpu: L4:1, replicas: 1..3, image: vllm/vllm-openai:v0.11.0, port: 8000, "
        f"args: {args}}}\n"
    )
    return folder


def test_a_plan_shows_them(gpuinfra: Run, folder: Path) -> None:
    shown = gpuinfra("plan", write(folder, '[--model, a/b, --max-model-len, "8192"]')).out

    assert "chat: the container's arguments: --model a/b --max-model-len 8192\n" in shown


@pytest.mark.parametrize(
    ("option", "secret", "kind"),
    [("--api-key", KEY, "an OpenAI key"), ("--hf-token", TOKEN, "a Hugging Face token")],
)
def test_a_secret_in_them_is_found_at_its_key_and_never_shown(
    gpuinfra: Run, folder: Path, option: str, secret: str, kind: str
) -> None:
    write(folder, f"[--model, a/b, {option}, {secret}]")
    checked, planned = gpuinfra("check", folder), gpuinfra("plan", folder)

    assert f"secret-in-script: inference.chat: {kind} in args[3]\n" in checked.out
    assert checked.code == 1
    assert not [ran for ran in (checked, planned) if secret in ran.out + ran.err]
