"""Stack files of a pool that works off a queue and of one that answers by HTTPS, registered."""

import base64
from collections.abc import Callable
from functools import cache
from typing import Any

from gpuinfra.components.program import program
from gpuinfra.source import Source
from gpuinfra.stackfile import loads
from tests.clouds.startup_scripts import unpacked
from tests.components.conftest import Record, run

REPOSITORY = "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/worker"
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"

HEAD = """\
version: 1
name: serve
owner: ml-platform
where: {cloud: aws, regions: [us-east-1]}
inference:
"""
WORK = f"""{HEAD}
  work:
    instance: g6.xlarge
    mixed: [g5.xlarge, g6.2xlarge]
    replicas: 0..4
    capacity: spot
    image: {REPOSITORY}:v3
    port: 8080
    scale_on: {{queue: {{messages_per_machine: 10}}}}
"""
WEB = f"""{HEAD}
  web:
    instance: g6.xlarge
    replicas: 1..4
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    scale_on: {{requests_per_target: 500}}
    certificate: {CERTIFICATE}
"""

Builds = Callable[[str], Record]


@cache
def registered(text: str) -> Record:
    """What reaches the engine of a stack file; the tests only read it."""
    return run(program(Source(document=loads(text)), {}))


def changed(text: str, *replaced: tuple[str, str]) -> str:
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new)
    return text


def script(seen: Any, name: str) -> str:
    data = seen.of(f"{name}-launch-template").inputs["userData"]
    return unpacked(base64.b64decode(data)).decode()
