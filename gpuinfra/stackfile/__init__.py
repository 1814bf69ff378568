"""The stack file: its grammar, and a reader that keeps the position of every value."""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.stackfile.file_names import FILE_NAME
    from gpuinfra.stackfile.files import with_position
    from gpuinfra.stackfile.reader import (
        StackDocument,
        StackFileError,
        file_of,
        loads,
        read_stack_file,
        with_positions,
    )
    from gpuinfra.stackfile.validation_messages import problems_of

__all__ = [
    "FILE_NAME",
    "StackDocument",
    "StackFileError",
    "file_of",
    "loads",
    "problems_of",
    "read_stack_file",
    "with_position",
    "with_positions",
]

__getattr__ = lazy_names(
    __name__,
    {
        "file_names": "FILE_NAME",
        "files": "with_position",
        "reader": "StackDocument StackFileError file_of loads read_stack_file with_positions",
        "validation_messages": "problems_of",
    },
)
"""The module of each name, imported on first use: a preview needs only the names of files."""
