"""Azure resource ids: built from inputs, parsed, compared case-insensitively."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.schema import Schema
from gpuinfra.sandbox.plugin.settings import ProviderSettings

PACKAGE = "azure-native"
RESOURCE_GROUP = "azure-native:resources:ResourceGroup"

Records = Callable[[str], list[Record]]

_SLOT = re.compile(r"<(\w+)>")
_VERSION = re.compile(r"^(azure-native:\w+)/v\w+:(\w+)$")


@dataclass(frozen=True, slots=True)
class ResourceId:
    """A parsed id.

    Attributes:
        scope: the text before its last ``/providers/``; empty for a resource group.
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
        """The type in Azure's form, for example ``Microsoft.Network/virtualNetworks/subnets``."""
        return "/".join((self.provider, *self.types))

    @property
    def name(self) -> str:
        """The resource's own name."""
        return self.names[-1]


@cache
def tables() -> Schema:
    """Return the tables of azure-native."""
    return schema.load(PACKAGE)


def plain(token: str) -> str:
    """Return the token without an API version, which does not matter for a resource."""
    return _VERSION.sub(r"\1:\2", token)


def slots(form: str) -> tuple[str, ...]:
    """Return the inputs that make up an id, outermost first; the last is the name."""
    return tuple(_SLOT.findall(form))


def resource_id(form: str, inputs: Mapping[str, Any], settings: ProviderSettings) -> str:
    """Return the id of a resource with these inputs, in the provider's own subscription."""
    values = {**settings.account, **inputs}
    return "/" + _SLOT.sub(lambda match: str(values[match[1]]).strip("/"), form).lstrip("/")


def canonical_id(resource_id: str) -> str:
    """Return the canonical spelling of an id."""
    return resource_id.rstrip("/").lower()


def parse(resource_id: str) -> ResourceId | None:
    """Return the parsed id; None if it is not an id."""
    parts = resource_id.strip("/").split("/")
    if not resource_id.startswith("/") or not all(parts):
        return None
    positions = [index for index, part in enumerate(parts) if part.lower() == "providers"]
    if not positions:
        return _group(parts)
    scope, rest = parts[: positions[-1]], parts[positions[-1] + 1 :]
    pairs = rest[1:]
    if not pairs or len(pairs) % 2:
        return None
    before = "/" + "/".join(scope) if scope else ""
    return ResourceId(before, rest[0], tuple(pairs[::2]), tuple(pairs[1::2]))


def parent(resource_id: str) -> str | None:
    """Return the id of the resource in which this one is nested; None if it is not nested."""
    parsed = parse(resource_id)
    if parsed is None or len(parsed.types) < 2:  # noqa: PLR2004  its own and its parent's
        return None
    return resource_id.rstrip("/").rsplit("/", 2)[0]


def is_within(resource_id: str, outer: str) -> bool:
    """Return whether the id is nested in the other one."""
    return canonical_id(resource_id).startswith(canonical_id(outer) + "/")


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
    """Return the Pulumi type of the resource with this id; None if no table has it."""
    parsed = parse(resource_id)
    return _tokens().get(parsed.type.lower()) if parsed else None


def api_type(token: str) -> str:
    """Return the Azure type of a Pulumi type."""
    kind = tables().type(token)
    parsed = parse("/" + kind.id_form.lstrip("/")) if kind else None
    if parsed is None:
        raise KeyError(token)
    return parsed.type


def record(records: Records, resource_id: str) -> Record | None:
    """Return the record with this id in any spelling; None if there is none."""
    token = token_of(resource_id)
    folded = canonical_id(resource_id)
    existing = records(token) if token else []
    return next(
        (candidate for candidate in existing if canonical_id(candidate.id) == folded), None
    )


def inline(records: Records, resource_id: str) -> Mapping[str, Any] | None:
    """Return the part with this id in its parent's properties, for example a pool; or None."""
    outer, parsed = parent(resource_id), parse(resource_id)
    holder = record(records, outer) if outer else None
    if holder is None or parsed is None:
        return None
    for key, value in holder.properties.items():
        if key.lower() == parsed.types[-1].lower() and isinstance(value, list):
            return next((item for item in value if _has_name(item, parsed.name)), None)
    return None


@cache
def types_within(token: str) -> tuple[str, ...]:
    """Return the types of resources that may be nested in this type or granted on it."""
    if token == RESOURCE_GROUP:
        return tables().tokens
    outer = api_type(token).lower() + "/"
    return tuple(
        inner
        for inner in tables().tokens
        if api_type(inner).lower().startswith(outer) or "scope" in _slots_of(inner)
    )


def existing_within(records: Records, token: str, resource_id: str) -> list[Record]:
    """Return the existing resources inside a resource of this type."""
    return [
        record
        for inner in types_within(token)
        for record in records(inner)
        if is_within(record.id, resource_id)
    ]


def _slots_of(token: str) -> tuple[str, ...]:
    kind = tables().type(token)
    return slots(kind.id_form) if kind else ()


def _has_name(item: Any, name: str) -> bool:
    return isinstance(item, dict) and str(item.get("name", "")).lower() == name.lower()


def _group(parts: list[str]) -> ResourceId | None:
    words = [part.lower() for part in parts[::2]]
    if words == ["subscriptions", "resourcegroups"] and len(parts) == 4:  # noqa: PLR2004
        return ResourceId(
            "/".join(["", *parts[:2]]), "Microsoft.Resources", (parts[2],), (parts[3],)
        )
    return None
