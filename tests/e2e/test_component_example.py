"""The documented component example is a program that runs."""

import re
from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import RunRequest, Target

pytestmark = pytest.mark.e2e
PAGE = Path(__file__).parents[2] / "docs/how-to/deploy.md"


def test_components_fit_into_a_program_of_your_own(sandbox_home: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    tagged: list[str] = []

    def add_tag(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != "aws:ec2/securityGroup:SecurityGroup":
            return None
        tagged.append(args.name)
        tags = {**(args.props.get("tags") or {}), "transformed": "yes"}
        return pulumi.ResourceTransformResult(props={**args.props, "tags": tags}, opts=args.opts)

    def program() -> None:
        import pulumi_aws as aws

        pulumi.runtime.register_resource_transform(add_tag)
        vpc = aws.ec2.Vpc("mine", cidr_block="10.9.0.0/16")
        private_subnet = aws.ec2.Subnet(
            "mine", vpc_id=vpc.id, cidr_block="10.9.0.0/20", availability_zone="us-east-1b"
        )
        exec(example, {"vpc": vpc, "private_subnet": private_subnet})  # noqa: S102 - our own page

    request = RunRequest(
        project="readme",
        program=program,
        target=Target(name="sandbox", environment=sandbox.environment(region="us-east-1")),
    )
    made = lifecycle.up(request)
    again = lifecycle.up(request)
    standing = {record.name: record for record in sandbox.existing_resources()}
    gone = lifecycle.destroy(request)

    assert made.ok, (made.reason, made.diagnostics)
    assert again.is_unchanged, again.changes
    assert tagged == ["trainer-security-group"] * 2
    assert tags_of(standing["trainer-security-group"])["transformed"] == "yes"
    assert tags_of(standing["trainer-security-group"])["team"] == "research"
    assert standing["trainer-launch-template"].properties["ebsOptimized"] == "true"
    assert "trainer-vpc" not in standing
    assert gone.ok, gone.reason


def tags_of(record: sandbox.SandboxResource) -> dict[str, Any]:
    return dict(record.properties["tags"])
