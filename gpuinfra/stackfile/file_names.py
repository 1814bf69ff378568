"""The names of stack files, locks and project files, and the folder for a new stack file."""

import os
from pathlib import Path
from typing import Final

FILE_NAME: Final = "stack.yaml"
LOCK_NAME: Final = "gpuinfra.lock"

PROJECT_FILES: Final = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")
"""The names of a program's project file, in the engine's order.

https://github.com/pulumi/pulumi/blob/master/sdk/go/common/workspace/paths.go
"""


def project_file_in(folder: Path) -> Path | None:
    """Return the project file of a folder; None if it has none."""
    return next((folder / name for name in PROJECT_FILES if (folder / name).is_file()), None)


NEW_FOLDER: Final = "my-stack"
"""The folder that messages propose for a new stack file."""


def free_folder(name: str = NEW_FOLDER) -> str:
    """Return the folder, or a numbered one beside it, that has no stack file yet."""
    numbered = (name, *(f"{name}-{number}" for number in range(2, _MOST_TRIED)))
    free = (folder_name for folder_name in numbered if not _is_taken(Path(folder_name)))
    return next(free, numbered[-1])


def _is_taken(folder: Path) -> bool:
    return os.path.lexists(folder / FILE_NAME) or folder.is_file()


_MOST_TRIED: Final = 100


def with_free_folder(text: str) -> str:
    """Return a message whose command to write a stack file runs in this folder."""
    return text.replace(f"init {NEW_FOLDER}", f"init {free_folder()}")


def has_lock(stack_file: Path) -> bool:
    """Return whether there is a lock in a stack file's folder, even as a broken link."""
    return os.path.lexists(stack_file.parent / LOCK_NAME)
