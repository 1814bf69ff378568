"""A preview through components against the same resources registered one by one."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gpuinfra.clouds import CLOUDS
from gpuinfra.stackfile.starter import starter

RUNS = 5
LIMITS = {"aws": 1.2, "gcp": 1.2, "azure": 1.3}
"""Azure's classes have 33 aliases each in the mean, for the versions of the API, and the SDK makes
outputs of each for a resource with a parent, as a component's children are."""

COMMON = """
import json, sys
from pathlib import Path
from gpuinfra import sandbox, stackfile
from gpuinfra.clouds import PACKAGES, provider_of
from gpuinfra.components.program import program
from gpuinfra.source import Source
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import RunRequest, Target

document, recorded = stackfile.read_stack_file(Path(sys.argv[1])), Path(sys.argv[2])
where = document.stack.where
region = where.regions[0]
components = program(Source(document=document), {})

def asked(kind, program):
    return RunRequest(
        project=f"bench-{kind}",
        program=program,
        target=Target(name="sandbox", environment=sandbox.environment(region=region)),
        config=provider_of(where.cloud).regions.configuration(region),
    )
"""

RECORD = f"""{COMMON}
request = asked("recorded", components)
outcome = lifecycle.up(request)
assert outcome.ok, outcome
status = lifecycle.current_status(request)
lifecycle.destroy(request)
recorded.write_text(json.dumps([
    (one.resource.type, one.resource.name, dict(one.resource.inputs), dict(one.resource.outputs))
    for one in status.resources
    if one.resource.type.startswith(PACKAGES[where.cloud] + ":")
]))
"""
"""Keeps (type, name, inputs, outputs) of all that the components made, as the state has it."""

LOOKUPS = {
    "aws": """
import pulumi_aws as sdk
IMAGE = (
    "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id"
)
def look_up():
    sdk.get_caller_identity_output()
    image = sdk.ssm.get_parameter_output(name=IMAGE)
    for _ in range(2):
        sdk.ec2.get_ami_output(filters=[{"name": "image-id", "values": [image.insecure_value]}])
""",
    "gcp": """
import pulumi_gcp as sdk
def look_up():
    sdk.organizations.get_client_config_output()
    for _ in range(2):
        sdk.compute.get_image_output(
            family="pytorch-2-9-cu129-ubuntu-2204-nvidia-580",
            project="deeplearning-platform-release",
        )
""",
    "azure": """
import pulumi_azure_native as sdk
def look_up():
    sdk.authorization.get_client_config_output()
""",
}
"""What the components look up as well."""

PREVIEW = """
import inspect
import keyword, time

REFERRED = ("id", "arn", "name", "self_link", "email", "member", "instance_group", "principal_id")

def plain(name):
    return name.replace("_", "").lower()

def raw():
    # The SDK's own classes, joined as a person would join them.
    look_up()
    known = {}

    def joined(value):
        if isinstance(value, dict):
            return {key: joined(one) for key, one in value.items() if not key.startswith("__")}
        if isinstance(value, list):
            return [joined(one) for one in value]
        return known.get(value, value) if isinstance(value, str) and len(value) > 7 else value

    for type_, name, inputs, outputs in json.loads(recorded.read_text()):
        _, module, class_ = type_.replace("/", ":").split(":")[0:2] + type_.split(":")[-1:]
        kind = getattr(getattr(sdk, module + "_" * keyword.iskeyword(module)), class_)
        python = {plain(one): one for one in inspect.signature(kind._internal_init).parameters}
        made = kind(name, **{
            python[plain(key)]: one for key, one in joined(inputs).items()
            if key != "name"
        })
        shown = {plain(key): one for key, one in outputs.items()}
        for one in REFERRED:
            value = shown.get(plain(one))
            if isinstance(value, str) and hasattr(made, one):
                known[value] = getattr(made, one)

requests = {"raw": asked("raw", raw), "components": asked("components", components)}
taken = {kind: [] for kind in requests}
for warm in (False, *[True] * int(sys.argv[3])):
    for kind, request in requests.items():
        start = time.perf_counter()
        outcome = lifecycle.preview(request)
        took = time.perf_counter() - start
        assert outcome.ok, outcome
        if warm:
            taken[kind].append(took)
print(json.dumps([taken, outcome.changes]))
"""
"""Previews both by turns in one process, after a first round in which the SDK is loaded."""


def components_against_raw() -> Iterator[tuple[str, float, float, str]]:
    """The quickest preview through components in previews of the same resources, on each cloud.

    The least disturbed run of each counts: an engine and its plugins are many processes.
    """
    for cloud in CLOUDS:
        with tempfile.TemporaryDirectory() as folder:
            file, recorded = Path(folder) / "stack.yaml", Path(folder) / "recorded.json"
            file.write_text(starter("bench", cloud))
            run([RECORD, str(file), str(recorded)], folder)
            script = COMMON + LOOKUPS[cloud] + PREVIEW
            last_line = run([script, str(file), str(recorded), str(RUNS)], folder).splitlines()[-1]
            run(["from gpuinfra import sandbox; sandbox.reset()"], folder)
            count = len(json.loads(recorded.read_text()))
        taken, _ = json.loads(last_line)
        raw, components = (min(taken[kind]) for kind in ("raw", "components"))
        details = f"{components:.2f} s / {raw:.2f} s, {count} resources"
        yield f"preview, {cloud}: components / raw", components / raw, LIMITS[cloud], details


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
