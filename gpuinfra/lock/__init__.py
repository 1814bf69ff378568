"""gpuinfra.lock: choices, prices and image ids frozen beside a stack file."""

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gpuinfra.lock.checking import misfits, misstated, of_these_tables
    from gpuinfra.lock.drift import ABSENT, SHOWN, Change, changes, in_words
    from gpuinfra.lock.files import beside, file_digest, found, place, read, write
    from gpuinfra.lock.frozen import dearer_today
    from gpuinfra.lock.images import refuse_unresolved, resolved, with_images
    from gpuinfra.lock.making import make
    from gpuinfra.lock.normal import asked, digest_of, plain
    from gpuinfra.lock.values import SCHEMA, Image, Lock, Part, Rung, Totals, Work

__all__ = [
    "ABSENT",
    "FILE_NAME",
    "SCHEMA",
    "SHOWN",
    "Change",
    "Image",
    "Lock",
    "Part",
    "Rung",
    "Totals",
    "Work",
    "asked",
    "beside",
    "changes",
    "dearer_today",
    "digest_of",
    "file_digest",
    "found",
    "in_words",
    "lies_beside",
    "make",
    "misfits",
    "misstated",
    "of_these_tables",
    "place",
    "plain",
    "read",
    "refuse_unresolved",
    "resolved",
    "with_images",
    "write",
]

FILE_NAME: Final = "gpuinfra.lock"

_HOMES: Final = {
    "ABSENT": "drift",
    "Change": "drift",
    "Image": "values",
    "Lock": "values",
    "Part": "values",
    "Rung": "values",
    "SCHEMA": "values",
    "SHOWN": "drift",
    "Totals": "values",
    "Work": "values",
    "asked": "normal",
    "beside": "files",
    "changes": "drift",
    "dearer_today": "frozen",
    "digest_of": "normal",
    "file_digest": "files",
    "found": "files",
    "in_words": "drift",
    "make": "making",
    "misfits": "checking",
    "misstated": "checking",
    "of_these_tables": "checking",
    "place": "files",
    "plain": "normal",
    "read": "files",
    "refuse_unresolved": "images",
    "resolved": "images",
    "with_images": "images",
    "write": "files",
}
"""Where each name lives; loaded on first touch, for most stacks have no lock."""


def lies_beside(stack_file: Path) -> bool:
    """Whether there is a lock in a stack file's folder, be it a broken link."""
    return os.path.lexists(stack_file.parent / FILE_NAME)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"gpuinfra.lock.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
