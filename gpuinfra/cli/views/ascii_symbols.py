"""ASCII replacements for symbols that the locale can't print."""

import codecs
import os
import sys
from io import TextIOWrapper
from typing import Final, TextIO

ASCII: Final = {
    "✓": "v", "✗": "x", "·": ".", "×": "x", "±": "~", "°": "*", "µ": "u", "†": "+",
    "→": ">", "←": "<", "–": "-", "—": "-", "\N{MINUS SIGN}": "-",
    "…": "...", "²": "^2", "€": "EUR",
    "─": "-", "│": "|", "├": "|", "└": "`", "█": "#", "≥": ">=", "≤": "<=", "≈": "~",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}  # fmt: skip

_FALLBACK_LOCALES: Final = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})

_NAME: Final = "gpuinfra-ascii"


def plain_signs() -> None:
    """Write ASCII to both streams if the locale supports no larger character set."""
    codecs.register_error(_NAME, _instead)
    codecs.register(_codec)
    is_ascii = _plain_locale()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and (is_ascii or is_not_unicode(stream)):
            bare = is_ascii or codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=_NAME if bare else stream.encoding, errors=_NAME)


def _codec(name: str) -> codecs.CodecInfo | None:
    """Return an ASCII codec under another name: click replaces streams named ASCII.

    https://github.com/pallets/click/blob/8.1.8/src/click/_compat.py (_stream_is_misconfigured)
    """
    if name.replace("_", "-") != _NAME:
        return None
    ascii_codec = codecs.lookup("ascii")
    return codecs.CodecInfo(
        ascii_codec.encode,
        ascii_codec.decode,
        streamreader=ascii_codec.streamreader,
        streamwriter=ascii_codec.streamwriter,
        incrementalencoder=ascii_codec.incrementalencoder,
        incrementaldecoder=ascii_codec.incrementaldecoder,
        name=_NAME,
    )


def is_not_unicode(stream: TextIO) -> bool:
    """Return whether a stream's encoding is not a Unicode one."""
    return not (stream.encoding or "utf-8").lower().startswith("utf")


def _plain_locale() -> bool:
    """Return whether the user sets the locale C, in which Python would still write UTF-8."""
    if "PYTHONIOENCODING" in os.environ or "PYTHONUTF8" in os.environ:
        return False
    locale_name, signs, rest = (
        os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")
    )
    # Python itself writes LC_CTYPE over the C locale: https://peps.python.org/pep-0538/
    locale = locale_name or ("" if signs in _FALLBACK_LOCALES else signs) or rest
    return locale in {"C", "POSIX"}


def _instead(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement for characters that a stream can't encode."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    ascii_text = "".join(
        ASCII.get(character) or character.encode("ascii", "backslashreplace").decode()
        for character in text
    )
    return ascii_text, error.end
