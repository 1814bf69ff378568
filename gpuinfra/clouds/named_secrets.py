"""Secrets that the key before them gives away, or the header in which they stand."""

import base64
import re
from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.secret_patterns import FILLED_IN, entropy, is_name

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

_SHORTEST, _PASSWORD_BITS = 6, 2.5
_TOKEN, _TOKEN_BITS = 16, 3.5
"""How long a password and a token are at least, and how random, as in the table."""


def named(key: str, value: str) -> str:
    """Return the kind of secret that a key names, where its whole value is like one; else ""."""
    value = value.strip()
    if "\n" in value or FILLED_IN.search(value) or _TEMPLATE.search(value):
        return ""
    name, bits, random = "_".join(_WORDS.findall(key)).lower(), entropy(value), not is_name(value)
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
    return "a password" if login and not is_name(login["secret"]) else ""


def in_headers(text: str, small: str) -> Iterator[int]:
    """Yield the lines, from 1, with a user and his password as a header of HTTP has them."""
    for match in _BASIC.finditer(text) if "basic" in small else ():
        try:
            plain = base64.b64decode(match["coded"], validate=True).decode()
        except ValueError:
            continue
        if plain.isprintable() and _USER.fullmatch(plain):
            yield text.count("\n", 0, match.start()) + 1
