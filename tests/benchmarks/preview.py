"""A preview through components against the same resources registered one by one."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

STACK = Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"
RUNS = 5

RECORD = """
import json, sys
from pathlib import Path
from gpuinfra import sandbox, stackfile
from gpuinfra.components.program import program
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Request, Target

request = Request(
    project="bench-recorded",
    program=program(stackfile.read(Path(sys.argv[1])), {}),
    target=Target(name="sandbox", environment=sandbox.environment(region="us-east-1")),
)
outcome = lifecycle.up(request)
assert outcome.ok, outcome
standing = lifecycle.standing(request)
lifecycle.destroy(request)
print(json.dumps([
    (one.resource.type, one.resource.name, dict(one.resource.inputs), dict(one.resource.outputs))
    for one in standing.resources
    if one.resource.type.startswith("aws:")
]))
"""
"""Prints (type, name, inputs, outputs) of all that the components made, as the state has it."""

PREVIEW = """
import json, sys, time
from pathlib import Path
import pulumi_aws as aws
from pulumi._types import resource_py_to_pulumi_names
from pulumi_aws import autoscaling, budgets, ec2, iam, lb, s3, ssm, vpc  # what both programs use
from gpuinfra import sandbox, stackfile
from gpuinfra.components.program import program
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Request, Target

kind, recorded = sys.argv[1], Path(sys.argv[2])
IMAGE = (
    "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id"
)

REFERRED = ("id", "arn", "name")

def raw():
    # The SDK's own classes, joined as a person would join them.
    aws.get_caller_identity_output()
    image = aws.ssm.get_parameter_output(name=IMAGE)
    for _ in range(2):
        aws.ec2.get_ami_output(filters=[{"name": "image-id", "values": [image.insecure_value]}])
    known = {}

    def joined(value):
        if isinstance(value, dict):
            return {key: joined(one) for key, one in value.items() if not key.startswith("__")}
        if isinstance(value, list):
            return [joined(one) for one in value]
        return known.get(value, value) if isinstance(value, str) and len(value) > 6 else value

    for type_, name, inputs, outputs in json.loads(recorded.read_text()):
        package, module, _ = type_.replace("/", ":").split(":", 2)
        kind = getattr(getattr(aws, module), type_.rsplit(":", 1)[-1])
        python = {pulumi: py for py, pulumi in resource_py_to_pulumi_names(kind).items()}
        made = kind(name, **{
            python.get(key, key): one for key, one in joined(inputs).items() if key != "name"
        })
        for one in REFERRED:
            if isinstance(outputs.get(one), str) and hasattr(made, one):
                known[outputs[one]] = getattr(made, one)

components = program(stackfile.read(Path(sys.argv[3])), {})
request = Request(
    project=f"bench-{kind}",
    program=raw if kind == "raw" else components,
    target=Target(name="sandbox", environment=sandbox.environment(region="us-east-1")),
)
lifecycle.preview(request)
start = time.perf_counter()
outcome = lifecycle.preview(request)
took = time.perf_counter() - start
assert outcome.ok, outcome
print(json.dumps([took, outcome.changes]))
"""
"""Previews twice, and prints the second one's seconds and what it would change."""


def components_against_raw() -> Iterator[tuple[str, float, float, str]]:
    """The median preview through components in previews of the same resources written raw."""
    with tempfile.TemporaryDirectory() as folder:
        recorded = Path(folder) / "recorded.json"
        recorded.write_text(run([RECORD, str(STACK)], folder).splitlines()[-1])
        times: dict[str, list[float]] = {"raw": [], "components": []}
        for _ in range(RUNS):
            for kind, taken in times.items():
                took, _changes = json.loads(
                    run([PREVIEW, kind, str(recorded), str(STACK)], folder).splitlines()[-1]
                )
                taken.append(took)
        run(["from gpuinfra import sandbox; sandbox.reset()"], folder)
        count = len(json.loads(recorded.read_text()))
    raw, components = (statistics.median(times[kind]) for kind in ("raw", "components"))
    details = f"{components:.2f} s / {raw:.2f} s, {count} resources"
    yield "preview: components / raw", components / raw, 1.2, details


def run(arguments: list[str], folder: str) -> str:
    """The output of a Python script that works in a sandbox of its own."""
    environment = {**os.environ, "GPUINFRA_SANDBOX_HOME": f"{folder}/sandbox"}
    done = subprocess.run(
        [sys.executable, "-c", *arguments],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout
