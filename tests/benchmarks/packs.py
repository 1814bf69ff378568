"""A preview judged by every rule against the same preview under a pack that asks nothing."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.preview import run

RESOURCES = 500
RUNS = 3
LIMIT = 1.2
POLICIES = Path(__file__).parents[2] / "policies"

EMPTY = {
    "PulumiPolicy.yaml": "name: empty\nruntime: python\nversion: 0.1.0\n",
    "__main__.py": """
from pulumi_policy import (
    EnforcementLevel, PolicyPack, ResourceValidationPolicy, StackValidationPolicy
)

nothing = lambda args, report: None
PolicyPack("empty", [
    ResourceValidationPolicy("each", "asks nothing", nothing, EnforcementLevel.MANDATORY),
    StackValidationPolicy("whole", "asks nothing", nothing, EnforcementLevel.MANDATORY),
])
""",
}
"""A pack of Pulumi's own SDK that is shown everything."""

PREVIEW = """
import json, os, resource, sys, time
from pathlib import Path
from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, RunRequest, Target
from gpuinfra.sandbox.sandbox_folder import STRICT_VARIABLE

COUNT, RUNS = int(sys.argv[1]), int(sys.argv[2])
CONFIG = {"settings": {
    "as_of": "2026-08-01",
    "budget": {"per_hour": 1_000_000, "per_month": 100_000_000},
    "prices": {"accept_outdated": True},
}}

def program():
    import pulumi_aws as aws
    tags = {"owner": "bench", "cost-center": "bench"}
    network = aws.ec2.Vpc("network", cidr_block="10.0.0.0/16", tags=tags)
    subnet = aws.ec2.Subnet(
        "subnet", vpc_id=network.id, cidr_block="10.0.0.0/20", availability_zone="us-east-1a",
    )
    closed = aws.ec2.SecurityGroup("closed", vpc_id=network.id, tags=tags)
    machine = {
        "instance_type": "g6.xlarge",
        "metadata_options": {"http_tokens": "required", "http_put_response_hop_limit": 1},
    }
    disk = {"encrypted": True, "volume_size": 100, "volume_type": "gp3"}
    left = COUNT - 3
    for number in range(COUNT):
        made = [
            lambda n: aws.ec2.Instance(
                f"one-{n}", ami="ami-12c6146b", subnet_id=subnet.id,
                vpc_security_group_ids=[closed.id], associate_public_ip_address=False,
                root_block_device=disk, tags=tags, **machine,
            ),
            lambda n: aws.ec2.LaunchTemplate(
                f"template-{n}", image_id="ami-12c6146b", **machine,
                network_interfaces=[{
                    "associate_public_ip_address": "false", "device_index": 0,
                    "security_groups": [closed.id], "subnet_id": subnet.id,
                }],
                block_device_mappings=[{
                    "device_name": "/dev/sda1", "ebs": {**disk, "encrypted": "true"},
                }],
                tags=tags,
            ),
            lambda n: aws.ebs.Volume(
                f"disk-{n}", availability_zone="us-east-1a", size=100, type="gp3",
                encrypted=True, tags=tags,
            ),
            lambda n: aws.cloudwatch.LogGroup(f"log-{n}", retention_in_days=7, tags=tags),
            lambda n: aws.ec2.RouteTable(f"route-{n}", vpc_id=network.id, tags=tags),
        ]
        for make in made[:left]:
            make(number)
        left -= len(made)
        if left <= 0:
            break

environment = {**sandbox.environment(region="us-east-1"), STRICT_VARIABLE: "0"}
packs = {name: (Pack(folder=Path(folder), config=CONFIG if name == "all" else {}),)
         for name, folder in zip(("empty", "all"), sys.argv[3:])}
taken = {name: [] for name in packs}
for warm in (False, *[True] * RUNS):
    for name, used in packs.items():
        target = Target(name="sandbox", environment=environment)
        request = RunRequest(project="bench-packs", program=program, target=target, packs=used)
        start = time.perf_counter()
        outcome = lifecycle.preview(request)
        took = time.perf_counter() - start
        assert outcome.ok, outcome.reason
        assert outcome.changes == {"create": COUNT}, outcome.changes
        if warm:
            taken[name].append(took)
print(json.dumps(taken))
"""
"""Previews under both by turns in one process, after a first round in which the SDK is loaded."""


def all_against_empty() -> Iterator[tuple[str, float, float, str]]:
    """The quickest preview under each: the least disturbed, since an engine is many processes."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty")
        empty.mkdir()
        for name, text in EMPTY.items():
            (empty / name).write_text(text)
        arguments = [str(RESOURCES), str(RUNS), str(empty), str(POLICIES / "all")]
        last_line = run([PREVIEW, *arguments], folder).splitlines()[-1]
        run(["from gpuinfra import sandbox; sandbox.reset()"], folder)
    empty_took, all_took = (min(taken) for taken in json.loads(last_line).values())
    details = f"{all_took:.2f} s / {empty_took:.2f} s, {RESOURCES} resources"
    yield "preview: policies/all / an empty pack", all_took / empty_took, LIMIT, details
