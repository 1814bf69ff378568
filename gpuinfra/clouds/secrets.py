"""Passwords and keys in plain text, found by their form; their values are never shown."""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from email import message_from_string
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final

from gpuinfra.clouds import encoded_text
from gpuinfra.clouds.secret_patterns import (
    FILLED_IN,
    entropy,
    header_secret_lines,
    kind_of_named_secret,
    kind_of_value_below,
    pair_secret_lines,
    patterns_near,
)
from gpuinfra.model import UNKNOWN, Unknown

_GZIP: Final = b"\x1f\x8b"
_WHOLE_GZIP: Final = 16 + zlib.MAX_WBITS
_MAX_SCRIPT_BYTES: Final = 16 << 20
"""Bytes of a start-up script without its compression, of which clouds take 256 KiB."""

_MULTIPART: Final = ("content-type: multipart", "mime-version:")
"""https://cloudinit.readthedocs.io/en/latest/explanation/format.html#mime-multi-part-archive"""

_LOGINS: Final = "chpasswd"
_LOGIN: Final = (
    r"[ \t]*(?:-[ \t]+)?[\"']?[a-z_][a-z0-9_.-]*:(?P<secret>[^\s\"'`;,&|<>(){}\[\]$:]{6,})[\"']?"
)
"""A user and his password, as chpasswd and cloud-init's module of that name take them:
https://cloudinit.readthedocs.io/en/latest/reference/modules.html#set-passwords"""

_MADE_UP: Final = "RANDOM"
"""What cloud-init replaces by a password of its own."""

_LOGIN_ENTROPY: Final = 2.0
_DEEPEST: Final = 50
_SMALL: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
_VAGUE: Final = frozenset({"a password", "a token or key", "a bearer token"})
"""The kinds that are recognized only by the preceding text."""

_REFERENCES: Final = frozenset({"secretKeyRef", "secretRef", "valueFrom", "valueSource"})
"""Keys of what only names a secret that is kept elsewhere:
https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#envvarsource-v1-core,
https://docs.cloud.google.com/run/docs/reference/rest/v2/Container#EnvVarSource"""

AWS_SECRET_KEY: Final = "an AWS secret access key"  # noqa: S105 - what it is called, not one


@lru_cache(maxsize=1024)
def found_in(text: str) -> tuple[tuple[int, str], ...]:
    """Return the kind and the line, from 1, of each secret in a text.

    A line that shows a kind of its own is not told again as a mere password or token.
    """
    small = text.lower()
    if len(small) != len(text):
        small = text.translate(_SMALL)  # a few letters become two
    secrets = {
        (text.count("\n", 0, start_position) + 1, pattern.kind): None
        for pattern in patterns_near(small)
        for start_position in pattern.start_positions(text, small)
    }
    secrets |= {(line, "a password"): None for line in _logins(text, small)}
    secrets |= {(line, "a password"): None for line in header_secret_lines(text, small)}
    secrets |= dict.fromkeys(pair_secret_lines(text, small))
    certain_lines = {line for line, kind in secrets if kind not in _VAGUE}
    return tuple(
        sorted(
            secret
            for secret in secrets
            if secret[1] not in _VAGUE or secret[0] not in certain_lines
        )
    )


def _logins(text: str, small: str) -> Iterator[int]:
    """Yield the lines, from 1, with a user and his password that follow on a `chpasswd`.

    In a cloud-config they are the more indented lines, in a shell the lines of its input.
    """
    if _LOGINS not in small:
        return
    indent: int | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        is_in_block = indent is not None and (not line.strip() or _indent(line) > indent)
        login_match = re.fullmatch(_LOGIN, line.rstrip()) if is_in_block else None
        if login_match and _is_login(login_match["secret"]):
            yield number
        if _LOGINS in line and not line.lstrip().startswith("#"):
            indent = -1 if "<<" in line else _indent(line)
        elif not is_in_block or (indent == -1 and login_match is None):
            indent = None


def _is_login(secret: str) -> bool:
    stands_in = secret == _MADE_UP or re.search(FILLED_IN, secret)
    return not stands_in and entropy(secret) >= _LOGIN_ENTROPY


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def script_secrets(script: Any, name: str) -> tuple[str, ...] | Unknown:
    """Return descriptions of the secrets in a start-up script, with their lines.

    Args:
        script: as it is, or compressed, in base64, or in several parts, as clouds take it.
        name: what messages call it, for example userData.

    Returns:
        UNKNOWN for a script that is not known yet, or that can't be read.
    """
    if script is None:
        return ()
    return _text_secrets(script, name) if isinstance(script, str) else UNKNOWN


@lru_cache(maxsize=128)  # a check asks for the same scripts again, a search for fixes each time
def _text_secrets(script: str, name: str) -> tuple[str, ...] | Unknown:
    parts = texts_of(script)
    if isinstance(parts, Unknown):
        return UNKNOWN
    has_several_parts = len(parts) > 1
    called = [
        f"{f'part {depth} of ' if has_several_parts else ''}{name}"
        for depth in range(1, len(parts) + 1)
    ]
    plain_secrets = [
        f"{kind} on line {line} of {part}"
        for part, text in zip(called, parts, strict=True)
        for line, kind in found_in(text)
    ]
    encoded_texts = [tuple(encoded_text.texts(text)) for text in parts]
    encoded_secrets = [
        f"{kind} in the encoded text on line {line} of {part}"
        for part, texts in zip(called, encoded_texts, strict=True)
        for line, text in texts
        if text is not None
        for _, kind in found_in(text)
    ]
    secrets = tuple(dict.fromkeys((*plain_secrets, *encoded_secrets)))
    has_unread_text = any(text is None for texts in encoded_texts for _, text in texts)
    return UNKNOWN if has_unread_text and not secrets else secrets


def texts_of(script: str) -> tuple[str, ...] | Unknown:
    """Return the texts of a start-up script's parts; UNKNOWN if it can't be read."""
    text = _decompress_script(script)
    return UNKNOWN if text is None else tuple(_script_parts(text))


def value_secrets(value: Any, name: str, depth: int = 0) -> Iterator[str]:
    """Yield descriptions of the secrets in a value of any shape, with the keys to them.

    A value that is not known yet holds none that is visible.
    """
    if isinstance(value, str):
        # A key names the secret that stands alone in its value: password, HF_TOKEN.
        assignment = f"{name.rpartition('.')[2]}={value}" if "\n" not in value else value
        kinds = [kind for _, kind in found_in(assignment)] or [
            kind_of_named_secret(name.rpartition(".")[2], value)
        ]
        for kind in dict.fromkeys(kinds):
            if kind:
                yield f"{kind} in {name}"
    elif depth < _DEEPEST and isinstance(value, Mapping):
        yield from _mapping_secrets(value, name, depth)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for item_key, item in enumerate(value):
            pair = _pair(item) or _option(value[item_key - 1] if item_key else None, item)
            if pair is None:
                yield from value_secrets(item, f"{name}[{item_key}]", depth + 1)
            else:
                yield from _pair_secrets(pair, name, depth)
        yield from _command_secrets(value, name)


def _mapping_secrets(value: Mapping[str, Any], name: str, depth: int) -> Iterator[str]:
    pair = _pair(value)
    if pair is not None:
        yield from _pair_secrets(pair, name, depth)
    for key, item in value.items():
        is_reference = key in _REFERENCES and isinstance(item, Mapping)
        if not is_reference and (pair is None or key != "value"):
            yield from value_secrets(item, f"{name}.{key}", depth + 1)


def _pair(value: Any) -> tuple[str, Any] | None:
    """Return a variable or header, by name or key and value; None for anything else."""
    if not isinstance(value, Mapping) or "value" not in value:
        return None
    name = value.get("name", value.get("key"))
    return (name, value["value"]) if isinstance(name, str) else None


def _pair_secrets(pair: tuple[str, Any], name: str, depth: int) -> Iterator[str]:
    """Yield the secrets in a named value; what it stands below may tell that it is one."""
    key, value = pair
    secrets = tuple(value_secrets(value, f"{name}.{key}", depth + 1))
    kind = kind_of_value_below(name.rpartition(".")[2], value) if isinstance(value, str) else ""
    yield from secrets or ((f"{kind} in {name}.{key}",) if kind else ())


def _option(previous_word: Any, item: Any) -> tuple[str, Any] | None:
    """Return what follows an option of a command, by its name; None for anything else."""
    if not isinstance(previous_word, str) or not isinstance(item, str):
        return None
    name = previous_word.lstrip("-")
    return (name, item) if previous_word.startswith("-") and name.isidentifier() else None


def _command_secrets(arguments: Sequence[Any], name: str) -> Iterator[str]:
    """Yield the secrets in a command's words that only the preceding option identifies.

    An option whose name is one word is read as a key is.
    """
    for argument_index, (previous_word, word) in enumerate(pairwise(arguments), start=1):
        if not isinstance(previous_word, str) or not isinstance(word, str):
            continue
        if (
            previous_word.startswith("-")
            and "-" in previous_word.strip("-")
            and not found_in(word)
        ):
            for _, kind in found_in(f"{previous_word} {word}"):
                yield f"{kind} in {name}[{argument_index}]"


def joined_secrets(parts: Sequence[tuple[str, ...] | Unknown]) -> tuple[str, ...] | Unknown:
    """Return all that was found; UNKNOWN if nothing was and something is hidden."""
    known_secrets = tuple(
        dict.fromkeys(
            secret for secret_list in parts if secret_list is not UNKNOWN for secret in secret_list
        )
    )
    return UNKNOWN if not known_secrets and UNKNOWN in parts else known_secrets


def _decompress_script(script: str) -> str | None:
    """Return the script as text; None where its compression is broken."""
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
        script_bytes = reader.decompress(data, _MAX_SCRIPT_BYTES)
    except zlib.error:
        return None
    return script_bytes.decode("utf-8", "replace") if reader.eof else None


def _script_parts(text: str) -> Iterator[str]:
    """Yield the parts of cloud-init's archive of several scripts, or the script itself."""
    if not text.lstrip().lower().startswith(_MULTIPART):
        yield text
        return
    for part in message_from_string(text.lstrip()).walk():
        if part.is_multipart():
            continue
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            yield encoded_text.text_of(content) or content.decode("utf-8", "replace")
