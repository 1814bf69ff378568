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
import asyncio, json, sys
import pulumi
from gpuinfra import stackfile
from gpuinfra.components.program import program

made = []

class Recorder(pulumi.runtime.Mocks):
    def new_resource(self, args):
        if args.typ.startswith("aws:"):
            made.append([args.typ, args.name, args.inputs])
        return args.name + "-id", dict(args.inputs)

    def call(self, args):
        return {"value": "ami-00000000000000000"}

asyncio.set_event_loop(asyncio.new_event_loop())
pulumi.runtime.set_mocks(Recorder(), project="bench", stack="sandbox")

@pulumi.runtime.test
def run():
    from pathlib import Path
    program(stackfile.read(Path(sys.argv[1])), {})()

run()
print(json.dumps(made))
"""
"""Prints (type, name, inputs) of everything the components register."""

PREVIEW = """
import json, sys, time
from pathlib import Path
import pulumi, pulumi_aws
from pulumi_aws import autoscaling, budgets, ec2, iam, lb, s3, vpc  # what both programs use
from gpuinfra import sandbox, stackfile
from gpuinfra.components.program import program
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Request, Target

kind, recorded = sys.argv[1], Path(sys.argv[2])

def raw():
    provider = pulumi_aws.Provider("aws", region="us-east-1")
    for type_, name, inputs in json.loads(recorded.read_text()):
        pulumi.CustomResource(type_, name, inputs, pulumi.ResourceOptions(provider=provider))

components = program(stackfile.read(Path(sys.argv[3])), {})
request = Request(
    project=f"bench-{kind}",
    program=raw if kind == "raw" else components,
    target=Target(name="sandbox", environment=sandbox.environment()),
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
        recorded.write_text(run([RECORD, str(STACK)], folder))
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
