"""Texts in a script that are encoded in base64, base32 or hex, compressed or not, nested or not.

cloud-init accepts such files and parts (write_files: b64, gz+b64, gzip), and a shell decodes all
input. So no key or command shows what is encoded: every run of base64 that decodes to text counts.
https://cloudinit.readthedocs.io/en/latest/reference/modules.html
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

DEEPEST: Final = 5
"""Encodings, each in the other, that are opened."""

MAX_DECODED_BYTES: Final = 4 << 20
"""Bytes that are opened of one script, of which clouds take 256 KiB."""

_SHORTEST: Final = 16
"""The base64 length of the shortest secret."""

_SHORTEST_WRAPPED_LINE: Final = 40
"""Characters from which on a line of base64 may go on in the next; tools wrap at 64 or 76."""

_ENCODED_RUN: Final = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST - 2},}}={{0,2}}")
_NEXT_LINE: Final = re.compile(r"[ \t]*\r?\n[ \t]*([A-Za-z0-9+/_-]+={0,2})")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})+")
_BASE32: Final = re.compile(r"[A-Z2-7]+")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_GZIP: Final = b"\x1f\x8b"
_ZLIB: Final = (b"\x78\x01", b"\x78\x9c", b"\x78\xda")
_BZIP2: Final = b"BZh"
_ANY_HEADER: Final = 32 + zlib.MAX_WBITS
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def texts(script: str) -> Iterator[tuple[int, str | None]]:
    """Yield each text that is encoded in a script, with the line, from 1, on which it begins.

    None is a text that is nested too deep or too large.
    """
    waiting = [(line, text, 1) for line, text in _encoded_texts(script)]
    text_index = 0
    while waiting:
        line, text, depth = waiting.pop()
        text_index += len(text)
        if depth > DEEPEST or text_index > MAX_DECODED_BYTES:
            yield line, None
            return
        yield line, text
        waiting += [(line, decoded_text, depth + 1) for _, decoded_text in _encoded_texts(text)]


def text_of(data: bytes) -> str | None:
    """Return the text that bytes hold, compressed or not; None where they hold none."""
    try:
        if data.startswith((_GZIP, *_ZLIB)):
            data = zlib.decompressobj(_ANY_HEADER).decompress(data, MAX_DECODED_BYTES + 1)
        elif data.startswith(_BZIP2):
            import bz2  # noqa: PLC0415  (few scripts are compressed so)

            data = bz2.BZ2Decompressor().decompress(data, MAX_DECODED_BYTES + 1)
    except (zlib.error, OSError):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _encoded_texts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts that are encoded within a text, with their lines."""
    for start, parts in _base64_runs(text):
        decoded = next(filter(None, map(_decode_run, _readings(parts))), None)
        if decoded:
            yield text.count("\n", 0, start) + 1, decoded


def _readings(parts: Sequence[str]) -> Iterator[str]:
    """Yield the base64 strings that lines may form: all, or without the first or last line."""
    last = len(parts)
    for first, end in ((0, last), (0, last - 1), (1, last), (1, last - 1)):
        run = "".join(parts[first:end])
        if len(run) >= _SHORTEST:
            yield run


def _base64_runs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield where runs of base64 begin, and their lines: a long one may go on in the next."""
    end = 0
    while first := _ENCODED_RUN.search(text, end):
        parts, end = [first[0]], first.end()
        while len(parts[-1]) >= _SHORTEST_WRAPPED_LINE and (
            next_line := _NEXT_LINE.match(text, end)
        ):
            parts.append(next_line[1])
            end = next_line.end()
        yield first.start(), parts


def _decode_run(run: str) -> str | None:
    unpadded_run = run.rstrip("=").translate(_URL_SAFE)
    return next(filter(None, map(text_of, _bytes_of(unpadded_run))), None)


def _bytes_of(unpadded_text: str) -> Iterator[bytes]:
    """Yield the bytes that an unpadded string decodes to as hex, base32 and base64."""
    if _HEX.fullmatch(unpadded_text):
        yield bytes.fromhex(unpadded_text)
    try:
        if _BASE32.fullmatch(unpadded_text):
            yield base64.b32decode(unpadded_text + "=" * (-len(unpadded_text) % 8))
        yield base64.b64decode(unpadded_text + "=" * (-len(unpadded_text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return
