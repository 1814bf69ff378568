"""Recognition of passwords and keys: patterns of the table, key names, and randomness."""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain
from math import log2
from pathlib import Path
from typing import Final

from gpuinfra.clouds.tables import rows_of
from gpuinfra.records import record

_TABLE: Final = Path(__file__).with_name("secrets.json")
_BETWEEN_WORDS: Final = r"[-_/.=~+]"
_RANDOM: Final = 8
"""Characters, of parts that hold a digit, from which on a text is more than words."""

_WORD: Final = 3
_DATE: Final = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_SUFFIX: Final = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7}")
"""https://www.pulumi.com/docs/iac/concepts/resources/names/#autonaming"""

FILLED_IN: Final = (
    r"(?i)^(?:(?:arn|https?|vault|ssm|op|env|file|g?sm|berglas|secretref):|projects/|/|\./|!|%|\*+$|x+$|"
    r"(?:your|my|some)[_-]|<)|"
    r"placeholder|changeme-please|redacted|^(?:none|null|true|false)$|^@microsoft\.keyvault|^ENC\["
)
"""The placeholder of a secret that is filled in later: a reference, a path, a placeholder."""


@record(kw_only=False)
class SecretPattern:
    """The pattern of one kind of secret; `entropy` in bits per character."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    entropy: float
    digit: bool

    def start_positions(self, text: str, small: str) -> Iterator[int]:
        """Return where in a text one begins; `small` is the text in lower case.

        Only lines with one of the words are looked at, since most scripts have few; a pattern is
        compiled when it is first asked.
        """
        for start, end in self._lines(text, small):
            for match in re.compile(self.pattern).finditer(text, start, end):
                if self._is_one(match):
                    yield match.start()

    def _lines(self, text: str, small: str) -> Iterator[tuple[int, int]]:
        """Yield where lines with one of the words begin and end, each once."""
        met: set[int] = set()
        for word in self.words:
            word_start = small.find(word)
            while word_start >= 0:
                start, end = text.rfind("\n", 0, word_start) + 1, text.find("\n", word_start)
                end = len(text) if end < 0 else end
                if start not in met:
                    met.add(start)
                    yield start, end
                word_start = small.find(word, end)

    def _is_one(self, match: re.Match[str]) -> bool:
        if not self.entropy:
            return True
        secret = match["secret"]
        if re.search(FILLED_IN, secret) or (self.digit and is_name(secret)):
            return False
        return entropy(secret) >= self.entropy


def is_name(text: str) -> bool:
    """Return whether a text is made of words, as names of secrets are, with few digits.

    A date or the suffix that Pulumi adds to a name counts as a word where another part is one.
    """
    parts = re.split(_BETWEEN_WORDS, text)
    random = [part for part in parts if not part.isalpha()]
    if any(len(part) >= _WORD and part.isalpha() for part in parts):
        is_suffixed = _SUFFIX.fullmatch(parts[-1]) is not None
        random = [
            part for part in (random[:-1] if is_suffixed else random) if not _DATE.fullmatch(part)
        ]
    return sum(map(len, random)) < _RANDOM


def entropy(text: str) -> float:
    """Return how random a text looks, in bits a character (Shannon)."""
    return -sum((count / len(text)) * log2(count / len(text)) for count in Counter(text).values())


@cache
def secret_patterns() -> tuple[SecretPattern, ...]:
    """Return the patterns of the table."""
    return tuple(
        SecretPattern(
            row["kind"],
            tuple(row["words"]),
            row["pattern"],
            row["entropy"],
            row["digit"],
        )
        for row in rows_of(json.loads(_TABLE.read_bytes()))
    )


@cache
def _patterns_by_word() -> Mapping[str, tuple[SecretPattern, ...]]:
    pattern_words = {word: None for pattern in secret_patterns() for word in pattern.words}
    return {
        word: tuple(pattern for pattern in secret_patterns() if word in pattern.words)
        for word in pattern_words
    }


def patterns_near(small: str) -> Iterable[SecretPattern]:
    """Return the patterns with one of their words in a text in small letters; most have none."""
    near = [patterns for word, patterns in _patterns_by_word().items() if word in small]
    return dict.fromkeys(chain.from_iterable(near)) if near else ()


_TEMPLATE: Final = r"\$[{(]|\{\{|://|^[$@<({\[]"
"""What fills in a value later, or names a place."""

_KEY_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD_KEY: Final = re.compile(r"(?:password|passwd|passcode|passphrase)\d*$")
_SHORT_KEY: Final = re.compile(r"(?:^|_)(?:pass|pw)$|(?:db|user|admin|root)pass$|pwd$")
_TOKEN_KEY: Final = re.compile(r"(?:secret|token|(?:secret|api|auth|private|access)_?key)$")
_LOGIN_KEY: Final = re.compile(
    r"(?:^|_)(?:cred|creds|credential|credentials|login|auth|userpass)$"
)
_PHRASE_KEY: Final = re.compile("passphrase")
_KEYS: Final = (_PASSWORD_KEY, _SHORT_KEY, _TOKEN_KEY, _LOGIN_KEY, _PHRASE_KEY)
"""How keys end that name what stands alone in their value; words of a key are put apart by `_`."""

_SECRETS: Final = "secrets"
_USER: Final = r"[A-Za-z_][\w.@-]*:(?P<secret>\S{8,})"
_BASIC: Final = r"(?i)(?<![a-z0-9])basic[ \t]+(?P<coded>[A-Za-z0-9+/]{8,}={0,2})"
"""https://www.rfc-editor.org/rfc/rfc7617#section-2"""

_PHRASE: Final = 3
"""Blanks from which on a text is a phrase of several words."""

_SHORTEST, _PASSWORD_BITS = 6, 2.5
_TOKEN, _TOKEN_BITS = 16, 3.5
"""How long a password and a token are at least, and how random, as in the table."""


def kind_of_named_secret(key: str, value: str) -> str:
    """Return the kind of secret that a key names, where its whole value is like one; else ""."""
    patterns, value = _patterns_of(key), value.strip()
    if not patterns or "\n" in value or _stands_in(value):
        return ""
    bits, random, blanks = entropy(value), not is_name(value), value.count(" ")
    if _PASSWORD_KEY in patterns and len(value) >= _SHORTEST:
        is_phrase = _PHRASE_KEY in patterns and blanks >= _PHRASE
        return "a password" if bits >= _PASSWORD_BITS and (is_phrase or not blanks) else ""
    if blanks or not random:
        return ""
    if _SHORT_KEY in patterns and bits >= _PASSWORD_BITS:
        return "a password"
    if _TOKEN_KEY in patterns and len(value) >= _TOKEN and bits >= _TOKEN_BITS:
        return "a token or key"
    match = re.fullmatch(_USER, value) if _LOGIN_KEY in patterns else None
    return "a password" if match and not is_name(match["secret"]) else ""


def kind_of_value_below(key: str, value: str) -> str:
    """Return the kind of secret that a named value below a key is; else "".

    Below `secrets` each is one, where it is stated.
    """
    if key == _SECRETS:
        return "a secret" if value.strip() and not _stands_in(value.strip()) else ""
    return kind_of_named_secret(key, value)


def _stands_in(value: str) -> bool:
    return bool(re.search(FILLED_IN, value) or re.search(_TEMPLATE, value))


@lru_cache(maxsize=1024)
def _patterns_of(key: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of keys that a key matches; most keys name no secret."""
    name = "_".join(_KEY_WORD.findall(key)).lower()
    return tuple(pattern for pattern in _KEYS if pattern.search(name))


def header_secret_lines(text: str, small: str) -> Iterator[int]:
    """Yield the lines, from 1, with a user and password in the form of an HTTP header."""
    for match in re.finditer(_BASIC, text) if "basic" in small else ():
        try:
            decoded_header = base64.b64decode(match["coded"], validate=True).decode()
        except ValueError:
            continue
        if decoded_header.isprintable() and re.fullmatch(_USER, decoded_header):
            yield text.count("\n", 0, match.start()) + 1


_PAIR: Final = (
    r"(?m)^[ \t]*(?:-[ \t]+)?name:[ \t]*[\"']?(?P<key>[\w.-]+)[\"']?[ \t]*\n"
    r"[ \t]*value:[ \t]*(?P<quote>[\"']?)(?P<value>[^\s\"'][^\n]*)$"
)
"""A variable of a container's environment, as YAML of Kubernetes and of Google's containers on
machines writes it: https://docs.cloud.google.com/compute/docs/containers/deploying-containers"""


def pair_secret_lines(text: str, small: str) -> Iterator[tuple[int, str]]:
    """Yield the line, from 1, and the kind of each secret that its key on the line above names."""
    for pair in re.finditer(_PAIR, text) if "value:" in small else ():
        value, quote = pair["value"].rstrip(), pair["quote"]
        kind = (
            kind_of_named_secret(pair["key"], value.removesuffix(quote))
            if value.endswith(quote)
            else ""
        )
        if kind:
            yield text.count("\n", 0, pair.start("value")) + 1, kind
