"""Programs that break rules which tests/rules tries on parts of programs only."""

import json

from gpuinfra.model import UNKNOWN
from tests.policies.programs import HIDDEN
from tests.rules.cases.cluster import Cluster, cluster
from tests.rules.cases.program import Program


def _spot(case: Cluster) -> Program:
    case.program.change(case.template, instanceMarketOptions={"marketType": "spot"})
    return case.program


def _hops(most: object) -> Program:
    case = cluster()
    options = {"httpTokens": "required", "httpPutResponseHopLimit": most}
    case.program.change(case.template, metadataOptions=options)
    return case.program


def _script(text: object) -> Program:
    case = cluster()
    case.program.change(case.template, userData=text)
    return case.program


def _types() -> Program:
    case = cluster()
    template = {"launchTemplateId": case.template.id, "version": "$Latest"}
    overrides = [{"instanceType": "p5.48xlarge"}, {"instanceType": "p5e.48xlarge"}]
    policy = {"launchTemplate": {"launchTemplateSpecification": template, "overrides": overrides}}
    case.program.change(case.scaling, launchTemplate=None, mixedInstancesPolicy=policy)
    return case.program


def _image(image: object) -> Program:
    case = cluster()
    case.program.change(case.template, imageId=image)
    return case.program


def _grows() -> Program:
    case = cluster()
    case.program.change(case.scaling, minSize=1, maxSize=8)
    return case.program


def _front(protocol: object) -> Program:
    program = Program()
    made = program.add(
        "aws:lb/loadBalancer:LoadBalancer", "lb", internal=False, subnets=["subnet-1", "subnet-2"]
    )
    program.add(
        "aws:lb/listener:Listener",
        "web",
        loadBalancerArn=made.arn,
        port=80,
        protocol=protocol,
        defaultActions=[{"type": "forward", "targetGroupArn": "arn:aws:tg"}],
    )
    return program


def _policy(document: object) -> Program:
    program = Program()
    program.add("aws:iam/policy:Policy", "wide", policy=document)
    return program


def _program_of(kind: str, name: str, **inputs: object) -> Program:
    program = Program()
    program.add(kind, name, **inputs)
    return program


EVERYTHING = json.dumps(
    {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
)
TOKEN = "ghp_" + "a1B2" * 9

ON_AWS = {
    "spot-checkpoints": _spot(cluster()),
    "spot-only-pool": _spot(cluster()),
    "metadata-hop-limit": _hops(3),
    f"{HIDDEN}metadata-hop-limit": _hops(UNKNOWN),
    "secret-in-script": _script(f"#!/bin/sh\nexport GH={TOKEN}\n"),
    f"{HIDDEN}secret-in-script": _script(UNKNOWN),
    "fabric-one-type": _types(),
    f"{HIDDEN}front-tls": _front(UNKNOWN),
    f"{HIDDEN}wildcard-policy": _policy(UNKNOWN),
    "image-pinned": _image(
        "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss/latest/ami-id"
    ),
    "scaling-signal": _grows(),
    "secret-in-output": _program_of(
        "aws:lambda/function:Function",
        "gate",
        role="arn:aws:iam::123456789012:role/r",
        packageType="Image",
        imageUri="123456789012.dkr.ecr.us-east-1.amazonaws.com/gate:1",
        environment={"variables": {"GH": TOKEN}},
    ),
}
"""By rule, a program on AWS with one thing in it that the rule refuses, or nobody knows."""

EARLY = {
    "spot-interruptible": _program_of(
        "aws:ec2/instance:Instance",
        "worker",
        ami="ami-1",
        instanceType="g6.xlarge",
        instanceMarketOptions={"marketType": "spot"},
    ),
    "front-tls": _front("HTTP"),
    "wildcard-policy": _policy(EVERYTHING),
    "file-system-encrypted": _program_of(
        "aws:efs/fileSystem:FileSystem", "files", encrypted=False
    ),
}
"""What waits for nothing, so that it is refused at once."""
