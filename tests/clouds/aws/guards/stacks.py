"""Stack files whose guards are looked at, and their plans."""

from gpuinfra.model import Plan
from gpuinfra.planning import from_stack
from gpuinfra.specs import Stack
from gpuinfra.stackfile import loads

HEAD = """\
version: 1
name: lab
owner: ml-platform
where: {cloud: aws, regions: [us-east-1]}
"""
DEV = 'training: {dev: {gpu: "L4:1"}}\n'


def planned(text: str) -> tuple[Stack, Plan]:
    stack = loads(HEAD + text).stack
    return stack, from_stack(stack)
