"""Currencies by their ISO 4217 codes."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.similar_words import nearest
from gpuinfra.specs.fields import FieldReader, input_error, noun

CURRENCY_FORMS: Final = "an ISO 4217 currency code, for example EUR or CNY"


@cache
def names() -> dict[str, str]:
    """Return the currencies in use by code."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("currencies.json").read_bytes())
    return dict(table["names"])


def currency(*, dollars: bool = True) -> FieldReader:
    """Return the reader of a currency code; without `dollars`, USD is refused."""

    def read(value: Any) -> str:
        if isinstance(value, str) and value in names():
            if value == "USD" and not dollars:
                raise input_error(
                    "needs no rate", allowed=CURRENCY_FORMS, fix="remove it", structural=False
                )
            return value
        raise input_error(
            "is not a currency"
            if isinstance(value, str)
            else f"is {noun(value)}, but must be text",
            allowed=CURRENCY_FORMS,
            suggestion=nearest(str(value), names()),
            structural=not (isinstance(value, str) and _looks_right(value)),
        )

    return FieldReader(read, {"type": "string", "pattern": "^[A-Z]{3}(?!\\n)$"}, CURRENCY_FORMS)


def _looks_right(value: str) -> bool:
    """Return whether a code matches the JSON Schema, which has no list of currencies."""
    return len(value) == 3 and value.isascii() and value.isupper() and value.isalpha()  # noqa: PLR2004
