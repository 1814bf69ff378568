"""Conditions of Firebase security rules: whether they let in a client without an account.

Not a full reader of the language: https://firebase.google.com/docs/rules/rules-language. What it
can't place is UNKNOWN, never closed. Strings are compared, and their text is read as no name.
"""

import re
from enum import IntEnum
from typing import Final

from gpuinfra.clouds.gcp.observe.exposure.firebase_texts import (
    arguments_of,
    closing,
    split_choice,
    split_outside_brackets,
    strip_brackets,
)
from gpuinfra.records import record


class ConditionResult(IntEnum):
    """Whether a condition admits any client; of two joined by `and` the lower value counts."""

    NEVER = 0
    CHECKED = 1
    """It depends on the data, or on who is signed in."""
    UNKNOWN = 2
    ALWAYS = 3


_DEEPEST: Final = 40
_LONGEST: Final = 20_000
_MAX_STEPS: Final = 1_000
"""Text that functions may expand to, and terms that are read of a condition; beyond these, and
beyond the depth, it is UNKNOWN."""

_FUNCTION: Final = re.compile(r"\bfunction\s+(?P<name>\w+)\s*\((?P<names>[\w\s,]*)\)\s*\{")
_LET: Final = re.compile(r"\s*let\s+(?P<name>\w+)\s*=(?P<value>[^;]*);")
_RETURN: Final = re.compile(r"\s*return\b(?P<value>[^;]*);?\s*")
_PATH_VARIABLE: Final = re.compile(r"\{\s*(\w+)\s*(?:=\s*\*\*)?\s*\}")
_CALL: Final = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_]\w*)\s*\(")
_NAME_PATTERN: Final = re.compile(r"(?<![\w.$])[A-Za-z_][\w.]*")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_STRING: Final = re.compile(r'"\w*"')
_SIGNED_IN: Final = re.compile(r"request\.auth(?:\.uid|\.token)?")
_READS: Final = frozenset({"get", "exists", "getAfter", "existsAfter"})
"""https://firebase.google.com/docs/rules/rules-and-auth, and
https://firebase.google.com/docs/firestore/security/rules-conditions#access_other_documents"""
_KNOWN_NAMES: Final = frozenset({"debug", "path", "int", "string", "float", "bool", "in", "is"})
_DATA: Final = re.compile(
    r"request\.(?:auth|resource)\b|(?<![\w.])resource\b|\bfirestore\.(?:get|exists)\b"
)
_TIME: Final = re.compile(
    r"request\.time(?:\.\w+)?|timestamp\.(?:date|value)|duration\.\w+|true|false|null|in|is"
)


@record(kw_only=False)
class _Function:
    names: tuple[str, ...]
    body: str


class Conditions:
    """The conditions of one file of rules, whose strings and comments are masked."""

    def __init__(self, rules: str, *, signed_in: bool) -> None:
        """Read the functions and the variables of paths.

        Args:
            rules: the file, from `firebase_texts.masked`.
            signed_in: whether the client has an account, of which nothing else is known.
        """
        self._signed_in = ConditionResult.ALWAYS if signed_in else ConditionResult.NEVER
        self._functions = _functions(rules)
        self._captured = frozenset(_PATH_VARIABLE.findall(rules))
        self._left = 0

    def lets_client_in(self, condition: str) -> ConditionResult:
        """Return whether a condition lets the client in."""
        self._left = _MAX_STEPS
        return self._evaluate(condition, 0)

    def _evaluate(self, condition: str, depth: int) -> ConditionResult:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST or len(condition) > _LONGEST:
            return ConditionResult.UNKNOWN
        text = strip_brackets(condition)
        if (choice := split_choice(text)) is not None:
            test, first, second = (self._evaluate(part, depth + 1) for part in choice)
            return max(min(test, first), min(_opposite(test), second))
        for sign, together in (("||", max), ("&&", min)):
            if len(split := split_outside_brackets(text, sign)) > 1:
                return together(self._evaluate(part, depth + 1) for part in split)
        return self._evaluate_comparison(text, depth)

    def _evaluate_comparison(self, text: str, depth: int) -> ConditionResult:
        for sign in ("==", "!="):
            sides = split_outside_brackets(text, sign)
            if len(sides) == 2:  # noqa: PLR2004  (the two sides)
                equal = self._equal(
                    strip_brackets(sides[0]), strip_brackets(sides[1]), text, depth
                )
                return equal if sign == "==" else _opposite(equal)
        if text.startswith("!"):
            return _opposite(self._evaluate(text[1:], depth + 1))
        return self._evaluate_term(text, depth)

    def _equal(
        self, left_operand: str, right_operand: str, text: str, depth: int
    ) -> ConditionResult:
        if left_operand == right_operand:
            return ConditionResult.ALWAYS
        for operand, other in ((left_operand, right_operand), (right_operand, left_operand)):
            if operand == "null" and _SIGNED_IN.fullmatch(other):
                return _opposite(self._signed_in)
            if operand in {"true", "false"}:
                result = self._evaluate(other, depth + 1)
                return result if operand == "true" else _opposite(result)
        if all(
            _NUMBER.fullmatch(side) or _STRING.fullmatch(side)
            for side in (left_operand, right_operand)
        ):
            return ConditionResult.NEVER
        return self._evaluate_term(text, depth)

    def _evaluate_term(self, text: str, depth: int) -> ConditionResult:
        """Return whether a term without `&&`, `||` and `!` holds."""
        if text in {"true", "false"}:
            return ConditionResult.ALWAYS if text == "true" else ConditionResult.NEVER
        for call in _CALL.finditer(text):
            if call["name"] in self._functions:
                return self._evaluate_call(text, call, depth)
            if call["name"] not in _READS | _KNOWN_NAMES:
                return ConditionResult.UNKNOWN
        if _DATA.search(text) or any(call["name"] in _READS for call in _CALL.finditer(text)):
            return ConditionResult.CHECKED
        names = _NAME_PATTERN.findall(_STRING.sub(" ", text))
        if any(word.partition(".")[0] in self._captured for word in names):
            return ConditionResult.CHECKED
        is_time_condition = "request.time" in text and all(_TIME.fullmatch(word) for word in names)
        return ConditionResult.ALWAYS if is_time_condition else ConditionResult.UNKNOWN

    def _evaluate_call(self, text: str, call: re.Match[str], depth: int) -> ConditionResult:
        """Return whether a term holds with a call replaced by the function's result."""
        function, end = self._functions[call["name"]], closing(text, call.end() - 1)
        arguments = arguments_of(text[call.end() : end])
        if function is None or len(arguments) != len(function.names):
            return ConditionResult.UNKNOWN
        body = _substitute_names(function.body, dict(zip(function.names, arguments, strict=True)))
        return self._evaluate(f"{text[: call.start()]}({body}){text[end + 1 :]}", depth + 1)


def _opposite(result: ConditionResult) -> ConditionResult:
    turned = {
        ConditionResult.ALWAYS: ConditionResult.NEVER,
        ConditionResult.NEVER: ConditionResult.ALWAYS,
    }
    return turned.get(result, result)


def _functions(rules: str) -> dict[str, _Function | None]:
    """Return the functions by name; None for one of unknown value, or of several bodies."""
    functions_by_name: dict[str, _Function | None] = {}
    for match in _FUNCTION.finditer(rules):
        body = _returned_value(rules[match.end() : closing(rules, match.end() - 1)])
        names = tuple(name.strip() for name in match["names"].split(",") if name.strip())
        function = None if body is None else _Function(names, body)
        name = match["name"]
        functions_by_name[name] = (
            function if functions_by_name.get(name, function) == function else None
        )
    return functions_by_name


def _returned_value(body: str) -> str | None:
    """Return the value of a function's body, with its own names replaced; None if not known."""
    local_values: dict[str, str] = {}
    while (let := _LET.match(body)) is not None:
        local_values[let["name"]] = _substitute_names(let["value"], local_values)
        body = body[let.end() :]
        if sum(map(len, local_values.values())) > _LONGEST:
            return None
    value = _RETURN.fullmatch(body)
    return None if value is None else _substitute_names(value["value"], local_values)


def _substitute_names(text: str, values: dict[str, str]) -> str:
    """Return a text with names replaced by their values."""
    if not values:
        return text
    names = "|".join(map(re.escape, values))
    return re.sub(rf"(?<![\w.])(?:{names})\b(?!\s*\()", lambda name: f"({values[name[0]]})", text)
