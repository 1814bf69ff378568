"""Declared inputs as a provider would get them, as far as they are known."""

from dataclasses import dataclass
from typing import Any, Final

from pulumi.runtime import rpc

from gpuinfra.graph import (
    Archive,
    ComputedValue,
    Expression,
    Ref,
    Resource,
    Secret,
    Symbol,
    map_expressions,
)
from gpuinfra.sandbox.plugin.wire import UNKNOWN, Unknown

SYMBOL: Final = "${"
"""What every text with an unknown part contains."""


@dataclass(frozen=True)
class Output(Unknown):
    """An unknown value of which the resource and the output are known."""

    ref: Ref


def inputs(resource: Resource) -> dict[str, Any]:
    """The inputs of a resource; what is known only at run time is `Unknown`."""
    values: dict[str, Any] = map_expressions(resource.inputs, _value)
    return values


def _value(expression: Expression) -> Any:
    if isinstance(expression, Ref):
        return Output(expression)
    if isinstance(expression, Secret):
        return map_expressions(expression.value, _value)
    if isinstance(expression, Archive):
        return _archive(expression)
    if isinstance(expression, ComputedValue) and expression.symbolic:
        return expression.function(*map_expressions(expression.arguments, _text))
    return UNKNOWN


def _archive(archive: Archive) -> dict[str, Any]:
    """An archive as it goes over the wire."""
    files = {
        name: {rpc._special_sig_key: rpc._special_asset_sig, "text": text}
        for name, text in archive.files.items()
    }
    return {rpc._special_sig_key: rpc._special_archive_sig, "assets": files}


def _text(expression: Expression) -> Any:
    """A value within a text or a document."""
    value = _value(expression)
    return Symbol(expression) if isinstance(value, Unknown) else value


def partly(value: Any) -> bool:
    """Whether a text has an unknown part."""
    return SYMBOL in value
