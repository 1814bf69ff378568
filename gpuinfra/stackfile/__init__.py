"""The stack file: what a user may write, read with the place of everything in it."""

from gpuinfra.stackfile.reader import (
    FILE_NAME,
    Document,
    StackFileError,
    found,
    loads,
    read,
    with_positions,
)
from gpuinfra.stackfile.wording import problems_of

__all__ = [
    "FILE_NAME",
    "Document",
    "StackFileError",
    "found",
    "loads",
    "problems_of",
    "read",
    "with_positions",
]
