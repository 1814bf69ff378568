"""Passwords and keys that stand in the open, found by how they look; never shown."""

import base64
import binascii
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from email import message_from_string
from functools import cache, lru_cache
from math import log2
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final

from gpuinfra.clouds import encoded
from gpuinfra.model import UNKNOWN, Unknown
from gpuinfra.records import record

_TABLE: Final = Path(__file__).with_name("secrets.json")
_GZIP: Final = b"\x1f\x8b"
_WHOLE_GZIP: Final = 16 + zlib.MAX_WBITS
_LARGEST: Final = 16 << 20
"""Bytes of a start-up script without its compression, of which clouds take 256 KiB."""

_MULTIPART: Final = ("content-type: multipart", "mime-version:")
"""https://cloudinit.readthedocs.io/en/latest/explanation/format.html#mime-multi-part-archive"""

_BETWEEN_WORDS: Final = re.compile(r"[-_/.=~+]")
_RANDOM: Final = 8
"""Characters, of parts that hold a digit, from which on a text is more than words."""

_LOGINS: Final = "chpasswd"
_LOGIN: Final = re.compile(
    r"[ \t]*(?:-[ \t]+)?[\"']?[a-z_][a-z0-9_.-]*:(?P<secret>[^\s\"'`;,&|<>(){}\[\]$:]{6,})[\"']?"
)
"""A user and his password, as chpasswd and cloud-init's module of that name take them:
https://cloudinit.readthedocs.io/en/latest/reference/modules.html#set-passwords"""

_MADE_UP: Final = "RANDOM"
"""What cloud-init replaces by a password of its own."""

_LOGIN_ENTROPY: Final = 2.0
_SHORTEST, _PASSWORD_BITS = 6, 2.5
_TOKEN, _TOKEN_BITS = 16, 3.5
"""How long a password and a token are at least, and how random, as in the table."""

_DEEPEST: Final = 50
_SMALL: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
_VAGUE: Final = frozenset({"a password", "a token or key", "a bearer token"})
"""The kinds that only what stands before them gives away."""

AWS_SECRET_KEY: Final = "an AWS secret access key"  # noqa: S105 - what it is called, not one

_FILLED_IN: Final = re.compile(
    r"(?i)^(?:(?:arn|https?|vault|ssm|op|env|file|g?sm|berglas|secretref):|projects/|/|\./|!|%|\*+$|x+$|"
    r"(?:your|my|some)[_-]|<)|"
    r"placeholder|changeme-please|redacted|^(?:none|null|true|false)$|^@microsoft\.keyvault|^ENC\["
)
"""What stands where the secret is filled in later: a reference, a path, a placeholder."""


_TEMPLATE: Final = re.compile(r"\$[{(]|\{\{|://|^[$@<({\[]")
"""What fills in a value later, or names a place."""

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD_KEY: Final = re.compile(r"(?:password|passwd|passcode|passphrase)\d*$")
_SHORT_KEY: Final = re.compile(r"(?:^|_)(?:pass|pw)$|(?:db|user|admin|root)pass$|pwd$")
_TOKEN_KEY: Final = re.compile(r"(?:secret|token|(?:secret|api|auth|private|access)_?key)$")
_LOGIN_KEY: Final = re.compile(
    r"(?:^|_)(?:cred|creds|credential|credentials|login|auth|userpass)$"
)
"""How keys end that name what stands alone in their value; words of a key are put apart by `_`."""

_USER: Final = re.compile(r"[A-Za-z_][\w.@-]*:(?P<secret>\S{8,})")
_BASIC: Final = re.compile(r"(?i)(?<![a-z0-9])basic[ \t]+(?P<coded>[A-Za-z0-9+/]{8,}={0,2})")
"""https://www.rfc-editor.org/rfc/rfc7617#section-2"""

_PHRASE: Final = 3
"""Blanks from which on a text is a phrase of several words."""


@record(kw_only=False)
class SecretPattern:
    """How one kind of secret looks; `entropy` in bits a character."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    entropy: float
    digit: bool

    def places(self, text: str, small: str) -> Iterator[int]:
        """Where in a text one begins; `small` is the text in small letters.

        Only lines with one of the words are looked at, since most scripts have few; a pattern is
        compiled when it is first asked.
        """
        for start, end in self._lines(text, small):
            for match in re.compile(self.pattern).finditer(text, start, end):
                if self._is_one(match):
                    yield match.start()

    def _lines(self, text: str, small: str) -> Iterator[tuple[int, int]]:
        """Where lines with one of the words begin and end, each once."""
        met: set[int] = set()
        for word in self.words:
            at = small.find(word)
            while at >= 0:
                start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
                end = len(text) if end < 0 else end
                if start not in met:
                    met.add(start)
                    yield start, end
                at = small.find(word, end)

    def _is_one(self, match: re.Match[str]) -> bool:
        if not self.entropy:
            return True
        secret = match["secret"]
        if _FILLED_IN.search(secret) or (self.digit and _is_name(secret)):
            return False
        return entropy(secret) >= self.entropy


def _is_name(text: str) -> bool:
    """Whether a text is made of words, as names of secrets are, with few digits among them."""
    random = (part for part in _BETWEEN_WORDS.split(text) if not part.isalpha())
    return sum(map(len, random)) < _RANDOM


def entropy(text: str) -> float:
    """How random a text looks, in bits a character (Shannon)."""
    return -sum((count / len(text)) * log2(count / len(text)) for count in Counter(text).values())


@lru_cache(maxsize=1024)
def found_in(text: str) -> tuple[tuple[int, str], ...]:
    """Return the kind of each secret in a text and the line, from 1, on which it stands.

    A line that shows a kind of its own is not told again as a mere password or token.
    """
    small = text.lower()
    if len(small) != len(text):
        small = text.translate(_SMALL)  # a few letters become two
    secrets = {
        (text.count("\n", 0, place) + 1, shape.kind): None
        for shape in _shapes()
        for place in shape.places(text, small)
    }
    secrets |= {(line, "a password"): None for line in _logins(text, small)}
    secrets |= {(line, "a password"): None for line in _headers(text, small)}
    named = {line for line, kind in secrets if kind not in _VAGUE}
    return tuple(
        sorted(secret for secret in secrets if secret[1] not in _VAGUE or secret[0] not in named)
    )


def _logins(text: str, small: str) -> Iterator[int]:
    """The lines, from 1, with a user and his password that follow on a `chpasswd`.

    In a cloud-config they are what stands further in, in a shell the lines of its input.
    """
    if _LOGINS not in small:
        return
    around: int | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        inside = around is not None and (not line.strip() or _indent(line) > around)
        login = _LOGIN.fullmatch(line.rstrip()) if inside else None
        if login and _is_login(login["secret"]):
            yield number
        if _LOGINS in line and not line.lstrip().startswith("#"):
            around = -1 if "<<" in line else _indent(line)
        elif not inside or (around == -1 and login is None):
            around = None


def _headers(text: str, small: str) -> Iterator[int]:
    """The lines, from 1, with a user and his password as a header of HTTP has them."""
    for match in _BASIC.finditer(text) if "basic" in small else ():
        try:
            plain = base64.b64decode(match["coded"], validate=True).decode()
        except ValueError:
            continue
        if plain.isprintable() and _USER.fullmatch(plain):
            yield text.count("\n", 0, match.start()) + 1


def _is_login(secret: str) -> bool:
    stands_in = secret == _MADE_UP or _FILLED_IN.search(secret)
    return not stands_in and entropy(secret) >= _LOGIN_ENTROPY


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def in_script(script: Any, name: str) -> tuple[str, ...] | Unknown:
    """Say in words which secrets a start-up script holds, and on which of its lines.

    Args:
        script: as it is, or compressed, in base64, or in several parts, as clouds take it.
        name: what messages call it, for example userData.

    Returns:
        UNKNOWN for a script that is not known yet, or that can't be read.
    """
    if script is None:
        return ()
    return _in_text(script, name) if isinstance(script, str) else UNKNOWN


@lru_cache(maxsize=128)  # a check asks for the same scripts again, a search for fixes each time
def _in_text(script: str, name: str) -> tuple[str, ...] | Unknown:
    parts = texts_of(script)
    if isinstance(parts, Unknown):
        return UNKNOWN
    several = len(parts) > 1
    called = [
        f"{f'part {place} of ' if several else ''}{name}" for place in range(1, len(parts) + 1)
    ]
    plain = [
        f"{kind} on line {line} of {part}"
        for part, text in zip(called, parts, strict=True)
        for line, kind in found_in(text)
    ]
    inside = [tuple(encoded.texts(text)) for text in parts]
    hidden = [
        f"{kind} in what is encoded on line {line} of {part}"
        for part, texts in zip(called, inside, strict=True)
        for line, text in texts
        if text is not None
        for _, kind in found_in(text)
    ]
    secrets = tuple(dict.fromkeys((*plain, *hidden)))
    unread = any(text is None for texts in inside for _, text in texts)
    return UNKNOWN if unread and not secrets else secrets


def texts_of(script: str) -> tuple[str, ...] | Unknown:
    """The texts of a start-up script's parts, as they run; UNKNOWN where it can't be read."""
    text = _opened(script)
    return UNKNOWN if text is None else tuple(_parts(text))


def in_value(value: Any, name: str, depth: int = 0) -> Iterator[str]:
    """Say in words which secrets a value of any shape holds, by the keys that lead to them.

    A value that is not known yet holds none that is visible.
    """
    if isinstance(value, str):
        # A key names the secret that stands alone in its value: password, HF_TOKEN.
        own = f"{name.rpartition('.')[2]}={value}" if "\n" not in value else value
        found = [kind for _, kind in found_in(own)] or [_named(name.rpartition(".")[2], value)]
        for kind in dict.fromkeys(found):
            if kind:
                yield f"{kind} in {name}"
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for key, item in value.items():
            yield from in_value(item, f"{name}.{key}", depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for place, item in enumerate(value):
            pair = _pair(item) or _option(value[place - 1] if place else None, item)
            key, inner = (f"[{place}]", item) if pair is None else (f".{pair[0]}", pair[1])
            yield from in_value(inner, f"{name}{key}", depth + 1)


def _pair(value: Any) -> tuple[str, Any] | None:
    """A variable as containers have it, by name and value; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    name = value.get("name")
    return (name, value.get("value")) if isinstance(name, str) and "value" in value else None


def _option(before: Any, item: Any) -> tuple[str, Any] | None:
    """What follows an option of a command, by its name; None for anything else."""
    if not isinstance(before, str) or not isinstance(item, str):
        return None
    name = before.lstrip("-")
    return (name, item) if before.startswith("-") and name.isidentifier() else None


def _named(key: str, value: str) -> str:
    """The kind of secret that a key names, where its whole value looks like one; else ""."""
    value = value.strip()
    if "\n" in value or _FILLED_IN.search(value) or _TEMPLATE.search(value):
        return ""
    name, bits, random = "_".join(_WORDS.findall(key)).lower(), entropy(value), not _is_name(value)
    blanks = value.count(" ")
    if _PASSWORD_KEY.search(name) and len(value) >= _SHORTEST:
        phrase = "passphrase" in name and blanks >= _PHRASE
        return "a password" if bits >= _PASSWORD_BITS and (phrase or not blanks) else ""
    if blanks or not random:
        return ""
    if _SHORT_KEY.search(name) and bits >= _PASSWORD_BITS:
        return "a password"
    if _TOKEN_KEY.search(name) and len(value) >= _TOKEN and bits >= _TOKEN_BITS:
        return "a token or key"
    login = _USER.fullmatch(value) if _LOGIN_KEY.search(name) else None
    return "a password" if login and not _is_name(login["secret"]) else ""


def joined_secrets(parts: Sequence[tuple[str, ...] | Unknown]) -> tuple[str, ...] | Unknown:
    """All that was found; UNKNOWN where nothing was and something is hidden."""
    known = tuple(
        dict.fromkeys(secret for each in parts if each is not UNKNOWN for secret in each)
    )
    return UNKNOWN if not known and UNKNOWN in parts else known


def _opened(script: str) -> str | None:
    """The script as text; None where its compression is broken."""
    try:
        data = base64.b64decode("".join(script.split()), validate=True)
    except (binascii.Error, ValueError):
        return script  # no base64, so the script itself
    if not data.startswith(_GZIP):
        try:
            return data.decode()
        except UnicodeDecodeError:
            return script  # words that happen to be base64
    reader = zlib.decompressobj(_WHOLE_GZIP)
    try:
        plain = reader.decompress(data, _LARGEST)
    except zlib.error:
        return None
    return plain.decode("utf-8", "replace") if reader.eof else None


def _parts(text: str) -> Iterator[str]:
    """The parts of cloud-init's archive of several scripts, or the script itself."""
    if not text.lstrip().lower().startswith(_MULTIPART):
        yield text
        return
    for part in message_from_string(text.lstrip()).walk():
        if part.is_multipart():
            continue
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            yield encoded.text_of(content) or content.decode("utf-8", "replace")


@cache
def _shapes() -> tuple[SecretPattern, ...]:
    table = json.loads(_TABLE.read_bytes())
    rows = (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"])
    return tuple(
        SecretPattern(
            row["kind"],
            tuple(row["words"]),
            row["pattern"],
            row["entropy"],
            row["digit"],
        )
        for row in rows
    )
