"""Readers of numbers and texts with units, each with its JSON Schema."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from gpuinfra.specs.fields import FieldReader, JsonSchema, anchor_pattern, input_error, noun
from gpuinfra.units import (
    MAXIMUM_TALLY,
    TALLY_ALLOWED,
    TALLY_PATTERN,
    Range,
    UnitError,
    parse_count,
    parse_range,
    parse_tally,
    plain,
)

FINITE: Final[JsonSchema] = {
    "minimum": -1e300,
    "maximum": 1e300,
    "not": {"exclusiveMaximum": -1e300},
}
"""Keeps out infinity, and by the double negation what YAML calls .nan, as it compares to none."""


_NOT_ZERO: Final = r"(?!0+(?:\.0+)?$)"


def number_of(value: Any, allowed: str) -> Decimal:
    """Return a number as a decimal; raise the input error for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        raise input_error(f"is {noun(value)}, but must be a number", allowed=allowed)
    return Decimal(str(value))


def measure(
    parse: Callable[[str], Any],
    pattern: str,
    allowed: str,
    done: type | None = None,
    unit: str = "",
) -> FieldReader:
    """Return the reader of a text with a unit; a value of type `done` is accepted unchanged.

    A bare number is refused; it most likely means one of `unit`, or else of the parser's own.
    """

    def read(value: Any) -> Any:
        if done and isinstance(value, done):
            return value
        if isinstance(value, str):
            return _parse_text(parse, value, allowed, pattern)
        is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
        raise input_error(
            "is a number without a unit" if is_number else f"is {noun(value)}",
            allowed=allowed,
            suggestion=_unit_hint(parse, f"{value}", unit) if is_number else "",
        )

    return FieldReader(read, {"type": "string", "pattern": anchor_pattern(pattern)}, allowed)


def whole_number_reader(
    minimum: int, maximum: int, range_message: str = "is out of range"
) -> FieldReader:
    """Return the reader of a whole number in a range; `range_message` for others."""
    span = f"a whole number from {minimum:,} to {maximum:,}"
    allowed = span if minimum < maximum else str(minimum)

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            is_plain_number = isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value)
            raise input_error(
                f"is {noun(value)}, but must be a number",
                allowed=allowed,
                fix="write it without quotes" if is_plain_number else "",
            )
        if value != int(value):
            raise input_error("is not a whole number", allowed=allowed)
        if not minimum <= value <= maximum:
            raise input_error(range_message, allowed=allowed)
        return int(value)

    return FieldReader(read, {"type": "integer", "minimum": minimum, "maximum": maximum})


def replicas(maximum: int) -> FieldReader:
    """Return the reader of the machines of a pool: a number, or a range with both ends."""
    allowed = f"a number or a range of 1 to {maximum:,} machines, for example 2 or 1..20"
    pattern = r"[1-9][0-9]{0,2}|1000"
    ends = rf"(?:{pattern})(?:\.\.(?:{pattern}))?|0\.\.(?:{pattern})"

    def read(value: Any) -> Range:
        if isinstance(value, Range):
            return value
        is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
        text = str(int(value)) if is_number and value == int(value) else value
        if not isinstance(text, str):
            raise input_error(
                f"is {noun(value)}, but must be a number or a range", allowed=allowed
            )
        if re.fullmatch(r"0+(?:\.\.0*)?", text):
            raise input_error(
                "must be at least 1", allowed=allowed, suggestion=_range_from_one(text, ends)
            )
        if re.fullmatch(ends, text) is None:
            raise input_error(
                "has no upper end" if text.endswith("..") else "is not accepted",
                allowed=allowed,
                suggestion=_range_hint(text),
            )
        try:
            return parse_range(text, parse_number=_machines)
        except UnitError as error:
            raise input_error(
                f"is not accepted: {error}",
                allowed=error.allowed,
                suggestion=error.hint,
                structural=False,
            ) from None

    is_number = {"type": "integer", "minimum": 1, "maximum": maximum}
    schema = {"anyOf": [is_number, {"type": "string", "pattern": anchor_pattern(ends)}]}
    return FieldReader(read, schema, allowed)


def _machines(text: str) -> int:
    return 0 if text == "0" else parse_count(text)


def count_reader() -> FieldReader:
    """Return the reader of a count: a whole number, or a text with k, M or B."""
    texts = measure(parse_tally, TALLY_PATTERN, TALLY_ALLOWED)
    numbers = whole_number_reader(0, MAXIMUM_TALLY)

    def read(value: Any) -> int:
        count: int = (texts if isinstance(value, str) else numbers).read(value)
        return count

    return FieldReader(read, {"anyOf": [numbers.schema, texts.schema]}, TALLY_ALLOWED)


def money(maximum: int = 10**9, *, zero: bool = True, unit: str = "US dollars") -> FieldReader:
    """Return the reader of an amount as number or text, at least zero, or above without `zero`."""
    allowed = f"{unit} as a number {'from' if zero else 'above'} 0 {'to' if zero else 'up to'}"
    allowed += f" {maximum:,}"
    digits = len(str(maximum)) - 1
    pattern = rf"{'' if zero else _NOT_ZERO}[0-9]{{1,{digits}}}(?:\.[0-9]{{1,12}})?"

    def read(value: Any) -> Decimal:
        if isinstance(value, str):
            if re.fullmatch(pattern, value) is None:
                hint = _amount(value)
                hint = hint if re.fullmatch(pattern, hint) else ""
                raise input_error("is not an amount", allowed=allowed, suggestion=hint)
            return Decimal(value)
        amount = number_of(value, allowed)
        if not amount.is_finite() or not 0 <= amount <= maximum:
            raise input_error("is negative" if amount < 0 else "is out of range", allowed=allowed)
        if not (amount or zero):
            raise input_error("is zero", allowed=allowed)
        return amount

    least: JsonSchema = {"minimum": 0} if zero else {"exclusiveMinimum": 0}
    number = {"type": "number", **FINITE, **least, "maximum": maximum}
    schema = {"anyOf": [number, {"type": "string", "pattern": anchor_pattern(pattern)}]}
    return FieldReader(read, schema, allowed)


def _parse_text(parse: Callable[[str], Any], value: str, allowed: str, pattern: str) -> Any:
    """Return the parsed text, or refuse it; only a mismatch of the pattern is structural."""
    is_match = re.fullmatch(pattern, value) is not None
    try:
        parsed = parse(value)
    except UnitError as error:
        if not is_match and _is_zero(value, pattern):
            raise input_error("must be more than 0", allowed=allowed) from None
        raise input_error(
            f"is not accepted: {error}" if is_match else "is not accepted",
            allowed=error.allowed if is_match else allowed,
            suggestion=_accepted_hint(parse, error.hint),
            structural=not is_match,
        ) from None
    if not is_match:
        zero = _is_zero(value, pattern)
        raise input_error("must be more than 0" if zero else "is not accepted", allowed=allowed)
    return parsed


def _is_zero(value: str, pattern: str) -> bool:
    """Return whether a text is refused only because its number is zero."""
    nonzero = re.sub(r"^0+(?:\.0+)?(?![0-9.])", "1", value)
    return nonzero != value and re.fullmatch(pattern, nonzero) is not None


def _unit_hint(parse: Callable[[str], Any], value: str, unit: str) -> str:
    """Return a bare number with `unit`, else with the unit that its parser suggests."""
    if unit:
        return _accepted_hint(parse, value + unit)
    try:
        parse(value)
    except UnitError as error:
        return _accepted_hint(parse, error.hint)
    return ""


def _accepted_hint(parse: Callable[[str], Any], hint: str) -> str:
    """Return a suggestion, or an empty text if it would be refused, too."""
    try:
        parse(hint)
    except UnitError:
        return ""
    return hint


def _range_from_one(text: str, accepted: str) -> str:
    """Return the range `0..4` as `1..4`; for `0` and `0..0`, return 1."""
    if re.fullmatch(r"0+(?:\.\.0+)?", text):
        return "1"
    hint = re.sub("^0+", "1", text)
    return hint if re.fullmatch(accepted, hint) else ""


def _range_hint(text: str) -> str:
    """Return the range that `1-20`, `1...20`, `1:20`, `1 .. 20` or `20-1` probably meant."""
    match = re.fullmatch(r"\s*([1-9][0-9]{0,2})\s*(?:-|\.{2,3}|:|to)\s*([1-9][0-9]{0,2})\s*", text)
    return "..".join(sorted(match.groups(), key=int)) if match else ""


_FACTORS: Final = {"k": 1_000, "K": 1_000, "M": 1_000_000}


def _amount(value: str) -> str:
    """Return the number inside "$40", "40 USD", "1,000", "7,2" or "30k"."""
    match = re.fullmatch(
        r"\$? ?([0-9][0-9,]{0,12}(?:\.[0-9]{1,6})?) ?([kKM]?) ?(?:USD|usd|\$)?", value
    )
    if match is None:
        return ""
    number, factor = match.groups()
    decimals = re.fullmatch(r"([0-9]+),([0-9]{1,2})", number)
    number = ".".join(decimals.groups()) if decimals else number.replace(",", "")
    return plain(Decimal(number) * _FACTORS[factor]) if factor else number
