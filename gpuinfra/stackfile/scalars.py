"""The meaning of a plain YAML 1.2 scalar, as in the YAML library's own resolver."""

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Final

Scalar = str | bool | int | Decimal | None

_TRUTH: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NULL_TEXTS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_WHOLE_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9_]*")
_NUMBER_WITH_BASE: Final = re.compile(r"[-+]?0(?:b[01_]+|o[0-7_]+|x[0-9a-fA-F_]+)")
_FRACTION: Final = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?"
)
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class ScalarError(ValueError):
    """The error of a number that readers would read differently, or that no reader can hold.

    Attributes:
        fix: what to change.
        structural: the JSON Schema refuses it too.
    """

    def __init__(self, message: str, *, fix: str, structural: bool) -> None:
        self.fix = fix
        self.structural = structural
        super().__init__(message)


def resolve(text: str) -> Scalar:
    """Return the value of an unquoted scalar; dates stay text.

    Raises:
        ScalarError: it is infinite, not a number, too long, or not written in decimal.
    """
    if text in _TRUTH:
        return _TRUTH[text]
    if text in _NULL_TEXTS:
        return None
    if text[0] not in "-+.0123456789":
        return text
    if _WHOLE_NUMBER.fullmatch(text):
        return _parse_whole(text)
    if _FRACTION.fullmatch(text):
        return _fraction(text)
    if _NOT_FINITE.fullmatch(text):
        raise ScalarError("is not a finite number", fix="write a number", structural=True)
    if _NUMBER_WITH_BASE.fullmatch(text):
        raise _ambiguous_number_error()
    return text


def _parse_whole(text: str) -> int:
    digits = text.lstrip("+-").replace("_", "")
    if len(digits) > 1 and digits[0] == "0":
        raise _ambiguous_number_error()
    if len(digits) > 300:  # noqa: PLR2004  (a double holds 308)
        raise ScalarError("is too large a number", fix="use a smaller number", structural=True)
    return int(text.replace("_", ""))


def _fraction(text: str) -> Decimal:
    try:
        number = Decimal(text.replace("_", ""))
        if math.isfinite(float(number)):
            return number
    except (InvalidOperation, OverflowError):
        pass
    raise ScalarError("is too large a number", fix="use a smaller number", structural=True)


def _ambiguous_number_error() -> ScalarError:
    return ScalarError(
        "some YAML readers take this number as octal, binary or hexadecimal",
        fix="use a decimal number without leading zeros, or quote the text",
        structural=False,
    )
