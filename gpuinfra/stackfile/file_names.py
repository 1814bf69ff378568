"""The file names that identify a stack's or a Pulumi program's folder."""

import os
from pathlib import Path
from typing import Final

FILE_NAME: Final = "stack.yaml"
LOCK_NAME: Final = "gpuinfra.lock"

PROJECT_FILES: Final = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")
"""The names of a program's project file, in the engine's order.

https://github.com/pulumi/pulumi/blob/master/sdk/go/common/workspace/paths.go
"""


def has_lock(stack_file: Path) -> bool:
    """Return whether there is a lock in a stack file's folder, even as a broken link."""
    return os.path.lexists(stack_file.parent / LOCK_NAME)
