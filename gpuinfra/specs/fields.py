"""Readers of texts, words and dates, each with its JSON Schema."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from gpuinfra.similar_words import nearest
from gpuinfra.specs.other_tool_keys import VALUES

KIND: Final = "gpuinfra"
"""The type of a pydantic error whose context is already in the user's words."""

JsonSchema = dict[str, Any]

_Date = TypeVar("_Date", bound=date)

_NOUNS: Final[tuple[tuple[type | tuple[type, ...], str], ...]] = (
    (bool, "true or false"),
    ((int, float, Decimal), "a number"),
    (str, "text"),
    (Mapping, "a mapping"),
    ((list, tuple), "a list"),
)


@dataclass(frozen=True, slots=True, eq=False)
class FieldReader:
    """An annotation: `read` turns the written value into the typed one, `schema` describes it.

    `allowed` says in words what a pattern of the schema matches.
    """

    read: Callable[[Any], Any]
    schema: JsonSchema
    allowed: str = ""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchema:
        return dict(self.schema)


def input_error(
    message: str,
    *,
    allowed: str = "",
    suggestion: str = "",
    fix: str = "",
    structural: bool = True,
) -> PydanticCustomError:
    """Return an error in the user's words; the message continues the name of the place."""
    error_texts = {
        "message": message,
        "allowed": allowed,
        "suggestion": suggestion,
        "fix": fix,
        "structural": structural,
    }
    return PydanticCustomError(KIND, "{message}", error_texts)


def missing_error(lacks: str, *, allowed: str = "", fix: str = "") -> PydanticCustomError:
    """Return the error of a mapping that lacks something, for example "no price"."""
    error = input_error(f"has {lacks}", allowed=allowed, fix=fix)
    return PydanticCustomError(KIND, "{message}", {**(error.context or {}), "lacks": lacks})


def noun(value: object) -> str:
    """Return the kind of a value in plain words."""
    for types, kind_noun in _NOUNS:
        if isinstance(value, types):
            return kind_noun
    return "empty" if value is None else f"a {type(value).__name__}"


def anchor_pattern(pattern: str) -> str:
    r"""Return a whole-text regular expression that Python and ECMAScript read alike.

    Python's `$` also matches before a last line break, hence the look-ahead.
    """
    return rf"^(?:{pattern})(?!\n)$"


def text(
    pattern: str, allowed: str, *, hint: Callable[[str], str] | None = None, longest: int = 128
) -> FieldReader:
    """Return the reader of a text that matches a regular expression; `hint` guesses a correction.

    A guess that the expression refuses too is none. Expressions are compiled when they are first
    asked, for a file has few of the words that the grammar knows.
    """

    def read(value: Any) -> str:
        if not isinstance(value, str):
            is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
            raise input_error(
                f"is {noun(value)}, but must be text",
                allowed=allowed,
                fix=f'put it in quotes: "{value}"'
                if is_number and re.fullmatch(pattern, str(value))
                else "",
            )
        if len(value) > longest:
            raise input_error(f"is longer than {longest} characters", allowed=allowed)
        if re.fullmatch(pattern, value) is None:
            guess = hint(value) if hint else ""
            raise input_error(
                "is not accepted" if value else "is empty",
                allowed=allowed,
                suggestion=guess if re.fullmatch(pattern, guess) else "",
            )
        return value

    return FieldReader(
        read, {"type": "string", "pattern": anchor_pattern(pattern), "maxLength": longest}, allowed
    )


def yes_or_no() -> FieldReader:
    """Return the reader of true or false, without YAML 1.1's other spellings."""
    spellings = {"yes": "true", "on": "true", "no": "false", "off": "false"}

    def read(value: Any) -> bool:
        if not isinstance(value, bool):
            raise input_error(
                f"is {noun(value)}, but must be true or false",
                allowed="true or false",
                suggestion=spellings.get(str(value).lower(), ""),
            )
        return value

    return FieldReader(read, {"type": "boolean"}, "true or false")


def _word_of_other_tools(value: Any, accepted: Sequence[str]) -> str:
    """Return the accepted word for another tool's name of the same value; empty if none."""
    other = str(value).lower().replace("_", "-").replace(" ", "-")
    return next(
        (word for word, names in VALUES.items() if word in accepted and other in names), ""
    )


def word_reader(accepted: Sequence[str], later: Mapping[str, str] | None = None) -> FieldReader:
    """Return the reader of one of a few words; `later` has words that are not supported yet."""
    allowed = ", ".join(accepted)

    def read(value: Any) -> str:
        if isinstance(value, str):
            if value in accepted:
                return value
            if later and value in later:
                raise not_yet(f"{value}", later[value], allowed=allowed)
        raise input_error(
            "is not an accepted word"
            if isinstance(value, str)
            else f"is {noun(value)}, but must be a word",
            allowed=allowed,
            suggestion=_word_of_other_tools(value, accepted)
            or nearest(str(value), (*accepted, *(later or ()))),
        )

    return FieldReader(read, {"enum": list(accepted)})


def day() -> FieldReader:
    """Return the reader of a date, written as 2026-12-31."""
    pattern, allowed = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day written as 2026-12-31"

    def read(value: Any) -> date:
        if isinstance(value, date):
            return value
        if not isinstance(value, str) or re.fullmatch(pattern, value) is None:
            raise input_error("is not a date", allowed=allowed)
        return _in_calendar(date, value, allowed)

    schema = {"type": "string", "format": "date", "pattern": anchor_pattern(pattern)}
    return FieldReader(read, schema, allowed)


def _in_calendar(kind: type[_Date], text: str, allowed: str) -> _Date:
    try:
        return kind.fromisoformat(text)
    except ValueError:
        raise input_error("is not in the calendar", allowed=allowed, structural=False) from None


def moment() -> FieldReader:
    """Return the reader of a time in UTC, written as 2026-12-01T11:30Z."""
    pattern = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z"
    allowed = "a time in UTC written as 2026-12-01T11:30Z"

    def read(value: Any) -> datetime:
        if isinstance(value, datetime) and value.tzinfo is not None:
            return value.astimezone(UTC)
        if not isinstance(value, str) or re.fullmatch(pattern, value) is None:
            raise input_error("is not a time", allowed=allowed)
        return _in_calendar(datetime, value, allowed)

    return FieldReader(
        read,
        {"type": "string", "format": "date-time", "pattern": anchor_pattern(pattern)},
        allowed,
    )


def not_yet(feature: str, instead: str, *, allowed: str = "") -> PydanticCustomError:
    """Return the error for a word that the grammar knows and this version does not support."""
    return input_error(f"{feature!r} is not supported yet", allowed=allowed, fix=instead)
