"""Generation of ids, ARNs and other outputs from forms like ``vpc-<17 hex>``."""

import re
import secrets
import uuid
from collections.abc import Mapping
from typing import Any

_SLOT = re.compile(r"<([^<>]+)>")
_HEX = re.compile(r"(\d+) hex")
_DIGITS = re.compile(r"(\d+) digits")


def fill(form: str, values: Mapping[str, Any]) -> str:
    """Return a form with each <slot> filled: `<N hex>`, `<N digits>`, `<uuid>`, or a named value.

    Raises KeyError for a slot that has no value.
    """
    return _SLOT.sub(lambda match: _slot(match.group(1), values), form)


def _slot(name: str, values: Mapping[str, Any]) -> str:
    digits = _HEX.fullmatch(name)
    if digits:
        length = int(digits.group(1))
        return secrets.token_hex((length + 1) // 2)[:length]
    number = _DIGITS.fullmatch(name)
    if number:
        least = 10 ** (int(number.group(1)) - 1)
        return str(least + secrets.randbelow(9 * least))
    if name == "uuid":
        return str(uuid.uuid4())
    return str(values[name])
