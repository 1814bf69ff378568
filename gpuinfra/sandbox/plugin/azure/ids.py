"""Azure's resource ids: made from inputs, read apart, compared without case."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.schema import Schema

PACKAGE = "azure-native"
RESOURCE_GROUP = "azure-native:resources:ResourceGroup"

Records = Callable[[str], list[Record]]

_SLOT = re.compile(r"<(\w+)>")
_VERSION = re.compile(r"^(azure-native:\w+)/v\w+:(\w+)$")


@dataclass(frozen=True, slots=True)
class Id:
    """An id read apart.

    Attributes:
        scope: what stands before its last ``/providers/``; empty for a resource group.
        provider: for example ``Microsoft.Network``.
        types: type segments, outermost first.
        names: a name for each type.
    """

    scope: str
    provider: str
    types: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def type(self) -> str:
        """The type in Azure's words, for example ``Microsoft.Network/virtualNetworks/subnets``."""
        return "/".join((self.provider, *self.types))

    @property
    def name(self) -> str:
        """The resource's own name."""
        return self.names[-1]


@cache
def tables() -> Schema:
    """The tables of azure-native."""
    return schema.load(PACKAGE)


def plain(token: str) -> str:
    """The token without an API version: all versions of a type mean the same resource."""
    return _VERSION.sub(r"\1:\2", token)


def slots(form: str) -> tuple[str, ...]:
    """The inputs that an id is made of, outermost first; the last carries the name."""
    return tuple(_SLOT.findall(form))


def resource_id(form: str, inputs: Mapping[str, Any], subscription: str) -> str:
    """The id that these inputs name."""
    values = {"subscriptionId": subscription, **inputs}
    return "/" + _SLOT.sub(lambda match: str(values[match[1]]).strip("/"), form).lstrip("/")


def fold(resource_id: str) -> str:
    """The id in the one spelling that all its spellings share."""
    return resource_id.rstrip("/").lower()


def parse(resource_id: str) -> Id | None:
    """The id read apart; None when it is none."""
    parts = resource_id.strip("/").split("/")
    if not resource_id.startswith("/") or not all(parts):
        return None
    places = [index for index, part in enumerate(parts) if part.lower() == "providers"]
    if not places:
        return _group(parts)
    scope, rest = parts[: places[-1]], parts[places[-1] + 1 :]
    pairs = rest[1:]
    if not pairs or len(pairs) % 2:
        return None
    before = "/" + "/".join(scope) if scope else ""
    return Id(before, rest[0], tuple(pairs[::2]), tuple(pairs[1::2]))


def parent(resource_id: str) -> str | None:
    """The id of the resource that this one is nested in; None for one that is not nested."""
    parsed = parse(resource_id)
    if parsed is None or len(parsed.types) < 2:  # noqa: PLR2004  its own and its parent's
        return None
    return resource_id.rstrip("/").rsplit("/", 2)[0]


def within(resource_id: str, outer: str) -> bool:
    """Whether the id is of something inside the other's resource."""
    return fold(resource_id).startswith(fold(outer) + "/")


@cache
def _tokens() -> dict[str, str]:
    tokens = {}
    for token in tables().tokens:
        kind = tables().type(token)
        parsed = parse(kind.id_form) if kind else None
        if parsed is None and kind is not None:
            parsed = parse(f"/{kind.id_form}")
        if parsed is not None:
            tokens[parsed.type.lower()] = token
    return tokens


def token_of(resource_id: str) -> str | None:
    """The Pulumi type of the resource with this id; None when no table has it."""
    parsed = parse(resource_id)
    return _tokens().get(parsed.type.lower()) if parsed else None


def api_type(token: str) -> str:
    """The type in Azure's words of a Pulumi type."""
    kind = tables().type(token)
    parsed = parse("/" + kind.id_form.lstrip("/")) if kind else None
    if parsed is None:
        raise KeyError(token)
    return parsed.type


def record(records: Records, resource_id: str) -> Record | None:
    """The record with this id, however it is spelled."""
    token = token_of(resource_id)
    folded = fold(resource_id)
    standing = records(token) if token else []
    return next((candidate for candidate in standing if fold(candidate.id) == folded), None)


def inline(records: Records, resource_id: str) -> Mapping[str, Any] | None:
    """What stands with this id inside its parent's own properties: a pool of a load balancer."""
    outer, parsed = parent(resource_id), parse(resource_id)
    holder = record(records, outer) if outer else None
    if holder is None or parsed is None:
        return None
    for key, value in holder.properties.items():
        if key.lower() == parsed.types[-1].lower() and isinstance(value, list):
            return next((item for item in value if _named(item, parsed.name)), None)
    return None


@cache
def types_within(token: str) -> tuple[str, ...]:
    """The types whose resources may stand inside one of this type: nested in it, granted on it."""
    if token == RESOURCE_GROUP:
        return tables().tokens
    outer = api_type(token).lower() + "/"
    return tuple(
        inner
        for inner in tables().tokens
        if api_type(inner).lower().startswith(outer) or "scope" in _slots_of(inner)
    )


def standing_within(records: Records, token: str, resource_id: str) -> list[Record]:
    """What stands inside a resource of this type."""
    return [
        record
        for inner in types_within(token)
        for record in records(inner)
        if within(record.id, resource_id)
    ]


def _slots_of(token: str) -> tuple[str, ...]:
    kind = tables().type(token)
    return slots(kind.id_form) if kind else ()


def _named(item: Any, name: str) -> bool:
    return isinstance(item, dict) and str(item.get("name", "")).lower() == name.lower()


def _group(parts: list[str]) -> Id | None:
    words = [part.lower() for part in parts[::2]]
    if words == ["subscriptions", "resourcegroups"] and len(parts) == 4:  # noqa: PLR2004
        return Id("/".join(["", *parts[:2]]), "Microsoft.Resources", (parts[2],), (parts[3],))
    return None
