"""gpuinfra.lock: choices, prices and image ids frozen beside a stack file."""

from gpuinfra.lock.changes import ABSENT, Change, changes, in_words
from gpuinfra.lock.files import beside, file_digest, place, read, write
from gpuinfra.lock.images import resolved, with_images
from gpuinfra.lock.making import make
from gpuinfra.lock.normal import asked, digest_of, plain
from gpuinfra.lock.values import FILE_NAME, SCHEMA, Image, Lock, Part, Rung, Totals, Work

__all__ = [
    "ABSENT",
    "FILE_NAME",
    "SCHEMA",
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
    "digest_of",
    "file_digest",
    "in_words",
    "make",
    "place",
    "plain",
    "read",
    "resolved",
    "with_images",
    "write",
]
