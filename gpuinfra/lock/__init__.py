"""The lock: choices, prices and image ids frozen beside a stack file."""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names
from gpuinfra.stackfile.file_names import LOCK_NAME as FILE_NAME
from gpuinfra.stackfile.file_names import has_lock

if TYPE_CHECKING:
    from gpuinfra.lock.contents import SCHEMA, Lock, LockedPart, LockedRung, Totals
    from gpuinfra.lock.creation import make
    from gpuinfra.lock.files import file_digest, lock_of, lock_path, read_lock, write
    from gpuinfra.lock.images import refuse_unresolved, with_image_ids
    from gpuinfra.lock.lock_checks import (
        inconsistent_values,
        is_from_current_tables,
        refuse_forged,
    )
    from gpuinfra.lock.lock_differences import (
        MAX_LISTED_CHANGES,
        Change,
        changes,
        stale_lock_message,
        stale_lock_note,
    )
    from gpuinfra.lock.locked_plan import plan_by_lock
    from gpuinfra.lock.locked_prices import dearer_today
    from gpuinfra.lock.normalized_values import digest_of, stack_values

__all__ = [
    "FILE_NAME",
    "MAX_LISTED_CHANGES",
    "SCHEMA",
    "Change",
    "Lock",
    "LockedPart",
    "LockedRung",
    "Totals",
    "changes",
    "dearer_today",
    "digest_of",
    "file_digest",
    "has_lock",
    "inconsistent_values",
    "is_from_current_tables",
    "lock_of",
    "lock_path",
    "make",
    "plan_by_lock",
    "read_lock",
    "refuse_forged",
    "refuse_unresolved",
    "stack_values",
    "stale_lock_message",
    "stale_lock_note",
    "with_image_ids",
    "write",
]


__getattr__ = lazy_names(
    __name__,
    {
        "lock_differences": "Change MAX_LISTED_CHANGES changes stale_lock_message stale_lock_note",
        "contents": "Lock LockedPart LockedRung SCHEMA Totals",
        "normalized_values": "stack_values digest_of",
        "files": "lock_of file_digest lock_path read_lock write",
        "locked_prices": "dearer_today",
        "creation": "make",
        "locked_plan": "plan_by_lock",
        "lock_checks": "inconsistent_values is_from_current_tables refuse_forged",
        "images": "refuse_unresolved with_image_ids",
    },
)
"""Where each name lives; loaded on first touch, for most stacks have no lock."""
