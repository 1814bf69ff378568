"""Packs under plain `pulumi` commands: a new one as it stands, and an up without a preview."""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest

from gpuinfra.cli import run
from gpuinfra.engine.contract import Engine
from tests.policies.cap_cases import held
from tests.policies.ground import AS_OF, Ground

pytestmark = pytest.mark.e2e

Pulumi = Callable[..., "Ran"]


@dataclass(frozen=True)
class Ran:
    code: int
    output: str


@pytest.fixture
def pulumi(engine: Engine, language_host: Path, ground: Ground, tmp_path: Path) -> Pulumi:
    """Runs a command of the plain CLI on a program that registers machines of these names."""
    path = os.pathsep.join([ground.environment["PATH"], str(language_host)])
    repository = str(Path(__file__).parents[2])
    environment = {**os.environ, **ground.environment, "PATH": path, "PYTHONPATH": repository}
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(f"name: {ground.project}\nruntime: python\n")

    def call(verb: str, names: Sequence[str], pack: Path, *options: str) -> Ran:
        (folder / "__main__.py").write_text(
            "from tests.policies.ground import Ground, cloud\n"
            f"ground = Ground({ground.project!r}, {{}}, cloud({ground.cloud.name!r}))\n"
            f"ground.register({list(names)!r})\n"
        )
        config = pack / "config.json"
        if not (folder / "Pulumi.sandbox.yaml").exists():
            command([engine.path, "stack", "init", "sandbox"])
            (folder / "Pulumi.sandbox.yaml").touch()
        judged = ["--policy-pack", str(pack), "--policy-pack-config", str(config)]
        return command([engine.path, verb, "--stack", "sandbox", *judged, *options])

    def command(arguments: Sequence[str | Path]) -> Ran:
        done = subprocess.run(
            [*arguments, "--non-interactive"],
            check=False,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        return Ran(done.returncode, done.stdout + done.stderr)

    return call


@pytest.fixture
def pack(tmp_path: Path) -> Callable[..., Path]:
    """A pack as `gpuinfra policy new` writes it, on a day when its prices are recent."""

    def write(*options: str) -> Path:
        folder = tmp_path / f"guard-{len(list(tmp_path.iterdir()))}"
        assert run(["policy", "new", str(folder), *options]) == 0
        config = json.loads((folder / "config.json").read_text())
        config["settings"]["as_of"] = AS_OF
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    return write


def test_a_new_pack_runs_as_it_stands(pulumi: Pulumi, pack: Callable[..., Path], ground: Ground):
    wide = pack("--pack", "budget", "--per-hour", str(2 * ground.price))
    fine = pulumi("preview", ["a"], wide)
    assert fine.code == 0, fine.output
    assert "guard-" in fine.output

    narrow = pack("--per-hour", str(ground.price - 1))
    refused = pulumi("preview", ["a"], narrow)
    assert refused.code == 1
    assert "cap-per-hour" in refused.output
    assert "metadata-v2" in refused.output, "this one has every rule"

    (narrow / "config.json").write_text('{"spot-shar": {"enforcementLevel": "mandatory"}}')
    wrong = pulumi("preview", ["a"], narrow)
    assert wrong.code == 1
    assert "unknown rule: 'spot-shar'. Did you mean 'spot-share'?" in wrong.output


def test_an_up_without_a_preview_stops_at_the_cap_and_the_one_after_a_refresh_has_room(
    pulumi: Pulumi, pack: Callable[..., Path], ground: Ground
):
    two = 2 * ground.price + 5
    guard = pack("--pack", "budget", "--per-hour", str(two))
    assert pulumi("up", ["a", "b"], guard, "--yes", "--skip-preview").code == 0
    assert held(ground, two) == ("a", "b")

    crossing = pulumi("up", ["a", "b", "c"], guard, "--yes", "--skip-preview")
    assert crossing.code == 1
    assert "c adds $55" in crossing.output
    assert held(ground, two) == ("a", "b"), "the state before and after is the same"

    swap = pulumi("up", ["b", "c"], guard, "--yes", "--skip-preview")
    assert swap.code == 1
    assert "at the cap, use two updates: remove it" in swap.output
    assert held(ground, two) == ("a", "b")

    terminate(ground, "a")
    refreshing = ("--yes", "--skip-preview", "--refresh")
    still = pulumi("up", ["b", "c"], guard, *refreshing)
    assert still.code == 1, "the engine keeps what it refreshes until the update is over"
    assert "at the cap, use two updates: remove it" in still.output
    assert held(ground, two) == ("b",)
    after = pulumi("up", ["b", "c"], guard, *refreshing)
    assert after.code == 0, after.output
    assert held(ground, two) == ("b", "c")


def terminate(ground: Ground, name: str) -> None:
    """End a machine behind Pulumi's back."""
    state = json.loads(ground.state_file.read_text())["checkpoint"]["latest"]["resources"]
    (machine_id,) = (resource["id"] for resource in state if resource["urn"].endswith(f"::{name}"))
    boto3.client(
        "ec2",
        region_name="us-east-1",
        endpoint_url=ground.environment["AWS_ENDPOINT_URL"],
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    ).terminate_instances(InstanceIds=[machine_id])
