"""The rules by which a cloud refuses a resource, checked in order."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.operation_context import OperationContext

Refusals = Iterator[CloudRefusalError]


@dataclass(frozen=True, slots=True)
class RefusalRule:
    """A refusal rule: the types, the check, and the source."""

    tokens: tuple[str, ...]
    check: Callable[..., Refusals]
    source: str


def refuse(context: OperationContext, rules: Iterable[RefusalRule], *known: Any) -> None:
    """Raise the first refusal for this resource; the message names its source.

    The checks take the context, and what the cloud has `known` of the resource.
    """
    for rule in rules:
        if context.call.token in rule.tokens:
            for refusal in rule.check(context, *known):
                raise CloudRefusalError(refusal.code, f"{refusal.message} [{rule.source}]")
