"""Values that are unknown before resources are created, and operations on them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, Final

from gpuinfra.records import record

_EXPRESSION_FREE_TYPES: Final = (str, int, float, bytes, type(None))
"""What holds no expression: most of what is declared, so it is asked first, as `dict` and `list`
are before any mapping and sequence, which takes four times as long."""


class Symbol(str):
    """Text for a value that exists only later, for example ${bucket.data.bucket.arn}.

    It has neither slashes nor colons, so that it stays whole where paths and ARNs are taken apart.
    """

    __slots__ = ()


@record(kw_only=False)
class Expression:
    """A value that exists only later."""


@record(kw_only=False)
class Ref(Expression):
    """An output of a resource of the graph, in the provider's own spelling."""

    key: str
    output: str = "id"

    def __str__(self) -> str:
        return f"${{{self.key.replace('/', '.')}.{self.output}}}"


@record(kw_only=False)
class RuntimeInput(Expression):
    """A value that the caller passes at run time, for example `network.vpc_id` or `stack`."""

    name: str

    def __str__(self) -> str:
        return f"${{given.{self.name}}}"


@record(kw_only=False)
class Lookup(Expression):
    """An output of a provider function that is called at run time.

    Attributes:
        token: the function, for example aws:ec2/getSubnet:getSubnet.
        arguments: its arguments in the provider's own spelling; may hold expressions.
        output: the output that is read; empty for the whole answer.
        known_value: the value known before the call; None for nothing.
        public: whether the value is known to be no secret although the answer holds one.
    """

    token: str
    arguments: Mapping[str, Any]
    output: str = ""
    known_value: Any = None
    public: bool = False

    def __str__(self) -> str:
        return f"${{{self.token.rpartition(':')[2]}.{self.output}}}"


@record(kw_only=False)
class ComputedValue(Expression):
    """The result of a pure function of values.

    Attributes:
        function: pure; raises only errors of `gpuinfra.errors`.
        arguments: what it is called with, resolved.
        symbolic: the function only writes its arguments into text or a document, so that it may
            be called with symbols, and its result can be judged before they are known.
        known_value: the value that a reader checks instead, for example a script before it is
            packed.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    symbolic: bool = False
    known_value: Any = None

    def __str__(self) -> str:
        function = self.function
        while isinstance(function, partial):
            function = function.func
        return f"${{{getattr(function, '__name__', 'computed').strip('_<>')}}}"


@record(kw_only=False)
class Secret(Expression):
    """A value that is a secret in the state."""

    value: Any

    def __str__(self) -> str:
        return "${secret}"


@record(kw_only=False)
class Archive(Expression):
    """An archive of text files by name, for example a function's code."""

    files: Mapping[str, str]

    def __str__(self) -> str:
        return f"${{archive of {', '.join(self.files)}}}"


def expressions(value: Any) -> list[Expression]:
    """Return every expression in a value, including those in the arguments of others."""
    gathered: list[Expression] = []
    _gather(value, gathered)
    return gathered


def _gather(value: Any, expressions: list[Expression]) -> None:
    if isinstance(value, Expression):
        expressions.append(value)
        value = _inputs(value)
    if isinstance(value, (dict, Mapping)):
        value = value.values()
    elif isinstance(value, _EXPRESSION_FREE_TYPES) or not isinstance(
        value, (list, tuple, Sequence)
    ):
        return
    for item in value:
        if not isinstance(
            item, _EXPRESSION_FREE_TYPES
        ):  # most are, and a call for each takes longer
            _gather(item, expressions)


def _inputs(expression: Expression) -> Any:
    """Return the arguments or the value of an expression; empty for others."""
    if isinstance(expression, ComputedValue | Lookup):
        return expression.arguments
    return (expression.value,) if isinstance(expression, Secret) else ()


def map_expressions(value: Any, change: Callable[[Expression], Any]) -> Any:
    """Return a value with its outermost expressions replaced; sequences become lists."""
    if isinstance(value, _EXPRESSION_FREE_TYPES):
        return value
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, (dict, Mapping)):
        return {key: map_expressions(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple, Sequence)):
        return [map_expressions(item, change) for item in value]
    return value


def changed_within(expression: Expression, change: Callable[[Expression], Any]) -> Expression:
    """Return an expression with the expressions in its arguments replaced."""
    if isinstance(expression, ComputedValue):
        return replace(
            expression,
            arguments=tuple(map_expressions(expression.arguments, change)),
            known_value=map_expressions(expression.known_value, change),
        )
    if isinstance(expression, Lookup):
        return replace(expression, arguments=map_expressions(expression.arguments, change))
    if isinstance(expression, Secret):
        return replace(expression, value=map_expressions(expression.value, change))
    return expression


def compute(function: Callable[..., Any], *arguments: Any, known_value: Any = None) -> Any:
    """Return a function's result if all arguments are plain, or else an expression for it."""
    if expressions(arguments):
        return ComputedValue(function, arguments, known_value=known_value)
    return function(*arguments)


def format_values(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return a function's result, or an expression; the function only formats its arguments."""
    if expressions(arguments):
        return ComputedValue(function, arguments, symbolic=True)
    return function(*arguments)


def concat(*parts: Any) -> Any:
    """Return the concatenation of values as text."""
    return format_values(_join_parts, *parts)


def item(value: Any, index: int | str) -> Any:
    """Return one item of a list or a mapping."""
    return compute(itemgetter(index), value)


def json_text(value: Any) -> Any:
    """Return a document as JSON text."""
    return format_values(json.dumps, value)


def _join_parts(*parts: Any) -> str:
    return "".join(map(str, parts))
