"""The kinds of secrets in a text, and characters that look random."""

from pathlib import Path

import gpuinfra
from gpuinfra.clouds.secrets import found_in

PACKAGE = Path(gpuinfra.__file__).parent
MIXED = "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0zA"
"""32 characters that look random."""


def kinds(text: str) -> list[str]:
    return [kind for _, kind in found_in(text)]
