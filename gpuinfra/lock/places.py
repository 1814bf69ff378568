"""Where a lock is: in the folder of its stack file, by one name."""

import os
from pathlib import Path
from typing import Final

from gpuinfra.stackfile.places import LOCK_NAME

FILE_NAME: Final = LOCK_NAME


def lies_beside(stack_file: Path) -> bool:
    """Whether there is a lock in a stack file's folder, be it a broken link."""
    return os.path.lexists(stack_file.parent / FILE_NAME)
