"""The kinds of secrets in a text and in inputs, and characters that look random."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gpuinfra
from gpuinfra.clouds.environment_secrets import exposed_secrets
from gpuinfra.clouds.secrets import found_in
from gpuinfra.model import Resource

PACKAGE = Path(gpuinfra.__file__).parent
MIXED = "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA"
"""32 characters that look random."""


def kinds(text: str) -> list[str]:
    return [kind for _, kind in found_in(text)]


def exposed(token: str, inputs: Mapping[str, Any]) -> Any:
    """What a resource of a type shows of secrets in these inputs."""
    return exposed_secrets(Resource(urn="u", type=token, name="n", inputs=inputs))
