"""Pulumi's property values as plain values: secrets opened, and `UNKNOWN` for unknown ones."""

import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.model import UNKNOWN
from gpuinfra.pulumi_files.decoding import DECODER
from gpuinfra.pulumi_files.file_faults import FileError
from gpuinfra.pulumi_special_values import (
    ARCHIVE,
    ASSET,
    HIDDEN,
    OUTPUT,
    RESOURCE,
    SECRET,
    SENTINELS,
    SIGNATURE,
)

_KEPT_SIGNATURES: Final = frozenset({ASSET, ARCHIVE, RESOURCE})
_HIDDEN_VALUES: Final = SENTINELS | {HIDDEN}
_HALF: Final = "[\ud800-\udfff]"
DEEPEST: Final = 100
MAX_VALUES: Final = 10_000_000
"""Values of one file that are held: twenty times what a stack of 10,000 resources has."""

SHORTEST_SECRET: Final = 4
"""Shorter secrets are found in any text, so that hiding them hides the text and not them."""


def whole_text(value: str) -> str:
    """Return text with lone surrogates replaced as Pulumi does, so that it can be encoded."""
    return value if value.isascii() else re.sub(_HALF, "\ufffd", value)


class Values:
    """A reader of the values of one file, which records secrets so that they are never shown.

    In a preview, which hides secrets, text may stand for one; in a state it can not.
    """

    def __init__(self, *, preview: bool) -> None:
        self.secrets: set[str] = set()
        self._stand_ins = _HIDDEN_VALUES if preview else SENTINELS
        self._value_count = 0
        self.underscored = False
        """Whether a key with an underscore was met since this was last set to False."""
        self.hidden = False
        """Whether a secret that the file hides was met since this was last set to False."""
        self.opened = False
        """Whether a secret that the file shows was met since this was last set to False."""

    def plain_value(self, value: Any, *, secret: bool = False, depth: int = 0) -> Any:
        """Return a value as rules read it: dicts, lists, scalars and `UNKNOWN`.

        Keys that start with two underscores are Pulumi's own bookkeeping and are left out.

        Raises:
            FileError: the value is nested too deep, a secret is no JSON, or the file holds more
                values than any stack.
        """
        if isinstance(value, str):
            is_plain = value.isascii() and value not in self._stand_ins and not secret
            return value if is_plain else self._text(value, secret=secret)
        if not isinstance(value, (list, dict)):
            return value
        if depth > DEEPEST:
            raise FileError(f"values are nested more than {DEEPEST} deep")
        self._value_count += len(value)
        if self._value_count > MAX_VALUES:
            raise FileError(f"the file has more than {MAX_VALUES:,} values, the maximum")
        if isinstance(value, list):
            return [
                self.plain_value(nested_value, secret=secret, depth=depth + 1)
                for nested_value in value
            ]
        if SIGNATURE in value:
            return self._special(value, secret=secret, depth=depth)
        return self._mapping(value, secret=secret, depth=depth)

    def has_withheld_secret(self, value: Any) -> bool:
        """Return whether the file withholds a secret in a value that `plain` has read."""
        if isinstance(value, str):
            return value == HIDDEN and value in self._stand_ins
        if isinstance(value, list):
            return any(map(self.has_withheld_secret, value))
        if not isinstance(value, dict):
            return False
        is_encrypted = value.get(SIGNATURE) == SECRET and "plaintext" not in value
        return is_encrypted or any(map(self.has_withheld_secret, value.values()))

    def redact_secrets(self, value: Any) -> Any:
        """Return a value as its readers see it: `UNKNOWN` where it is marked as a secret.

        Raises:
            FileError: as for `plain`.
        """
        self.plain_value(value)
        return self._unmark_secrets(value)

    def _unmark_secrets(self, value: Any) -> Any:
        """Return the value with every secret replaced by `UNKNOWN`."""
        if isinstance(value, list):
            return [self._unmark_secrets(nested_value) for nested_value in value]
        if not isinstance(value, dict):
            return self.plain_value(value)
        kind = value.get(SIGNATURE)
        if kind is None:
            return {key: self._unmark_secrets(nested_value) for key, nested_value in value.items()}
        is_secret = kind == SECRET or (kind == OUTPUT and value.get("secret"))
        return UNKNOWN if is_secret else self.plain_value(value)

    def _mapping(self, value: Mapping[str, Any], *, secret: bool, depth: int) -> dict[str, Any]:
        self.underscored = self.underscored or "_" in "".join(value)
        # A million entries have a few keys: each is kept once.
        return {
            sys.intern(key): self.plain_value(nested_value, secret=secret, depth=depth + 1)
            for key, nested_value in value.items()
            if key != SIGNATURE and not key.startswith("__")
        }

    def _text(self, value: str, *, secret: bool) -> Any:
        if value in self._stand_ins:
            self.hidden = self.hidden or value == HIDDEN
            return UNKNOWN
        if secret and len(value) >= SHORTEST_SECRET:
            self.secrets.add(value)
        return whole_text(value)

    def _special(self, value: Mapping[str, Any], *, secret: bool, depth: int) -> Any:
        kind = value[SIGNATURE]
        if kind == SECRET:
            return self._secret_value(value, depth)
        if kind == OUTPUT:
            is_secret = secret or bool(value.get("secret"))
            self.opened = self.opened or is_secret
            nested_value = value.get("value", UNKNOWN)
            return self.plain_value(nested_value, secret=is_secret, depth=depth + 1)
        if isinstance(kind, str) and kind in _KEPT_SIGNATURES:
            return self._mapping(value, secret=secret, depth=depth)
        return UNKNOWN

    def _secret_value(self, value: Mapping[str, Any], depth: int) -> Any:
        """Return the value of a secret; UNKNOWN where it is encrypted."""
        if "plaintext" not in value:
            self.hidden = True
            return UNKNOWN
        try:
            plain_text = DECODER.decode(value["plaintext"])
        except (TypeError, ValueError, RecursionError):
            raise FileError("the `plaintext` of a secret is not JSON") from None
        self.opened = True
        return self.plain_value(plain_text, secret=True, depth=depth + 1)
