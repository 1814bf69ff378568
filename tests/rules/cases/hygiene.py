"""Rows and resources that the hygiene rules judge: a group, a bucket, a scaling pool."""

from typing import Any

from gpuinfra.model import Bucket
from gpuinfra.rules import Finding
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program


def of_group(rule: str, settings: Any = None, **facts: Any) -> Finding:
    (finding,) = findings(plan(group(**facts)), rule, settings)
    return finding


def bucket(**facts: Any) -> Bucket:
    return Bucket(name="data", subject="buckets.data", cloud="aws", region="us-east-1", **facts)


def safe_bucket(**changes: Any) -> Bucket:
    """A bucket that no rule objects to, with some of its facts changed."""
    facts = {
        "encrypted": True,
        "public_blocked": True,
        "tls_only": True,
        "owner_enforced": True,
        "versioned": True,
        "expires_noncurrent": True,
        "aborts_uploads": True,
        **changes,
    }
    return bucket(**facts)


def pool(**inputs: Any) -> tuple[Program, Any]:
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="g6.xlarge", imageId="ami-1"
    )
    scaling = program.add(
        "aws:autoscaling/group:Group",
        "servers",
        **{
            "minSize": 1,
            "maxSize": 4,
            "vpcZoneIdentifiers": ["subnet-1"],
            "launchTemplate": {"id": template.id},
            **inputs,
        },
    )
    return program, scaling


def policy(program: Program, scaling: Any, **inputs: Any) -> Any:
    return program.add(
        "aws:autoscaling/policy:Policy",
        "follow",
        autoscalingGroupName=scaling.out("name"),
        **inputs,
    )


def said_of(program: Program, rule: str, moment: Any) -> set[str]:
    return set(outcomes(of_resources(program.resources(moment)), rule))
