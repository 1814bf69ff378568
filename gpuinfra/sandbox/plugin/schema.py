"""The properties of a cloud's resource types: inputs, outputs, and replacing changes."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Property:
    """An input: its type as in the tables and, where listed, its allowed values."""

    type: str
    enum: tuple[str, ...] = ()
    open: bool = False


@dataclass(frozen=True)
class ObjectType:
    """A nested object type."""

    required: frozenset[str]
    properties: dict[str, Property]


@dataclass(frozen=True)
class ResourceType:
    """A resource type; the tables' notes explain the fields.

    Attributes:
        immutable: paths whose change replaces: `a`, `a.b`, `a[].b`, `a#` (only added or removed).
        provider_fills: optional inputs that the cloud sets when they are unset.
        rejected_update: path to why the cloud refuses its change, which no plan foresees.
        id_form: how its ids look, for example ``vpc-<17 hex>``.
    """

    token: str
    inputs: dict[str, Property]
    required: frozenset[str]
    immutable: tuple[str, ...]
    computed: tuple[str, ...]
    provider_fills: frozenset[str]
    secret_outputs: frozenset[str]
    id_form: str
    rejected_update: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Schema:
    """The tables of one cloud; types are parsed when first used."""

    raw: dict[str, Any]
    _types: dict[str, ResourceType] = field(default_factory=dict)
    _shapes: dict[str, ObjectType] = field(default_factory=dict)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All resource types in the tables."""
        return tuple(key for key in self.raw if not key.startswith("$"))

    def type(self, token: str) -> ResourceType | None:
        """Return the resource type, or None when the tables lack it."""
        if token not in self._types and token in self.raw:
            self._types[token] = self._parse(token, self.raw[token])
        return self._types.get(token)

    def shape(self, name: str) -> ObjectType:
        """Return the nested object type of this name."""
        if name not in self._shapes:
            raw = self.raw["$types"][name]
            self._shapes[name] = ObjectType(
                frozenset(raw["required"]), self._properties(raw["properties"])
            )
        return self._shapes[name]

    def _parse(self, token: str, raw: dict[str, Any]) -> ResourceType:
        return ResourceType(
            token=token,
            inputs=self._properties(raw["inputs"]),
            required=frozenset(raw["required"]),
            immutable=tuple(raw["immutable"]),
            computed=tuple(raw["computed"]),
            provider_fills=frozenset(raw.get("provider_fills", ())),
            secret_outputs=frozenset(raw.get("secret_outputs", ())),
            rejected_update=raw.get("rejected_update", {}),
            id_form=raw["id"],
        )

    def _properties(self, raw: dict[str, Any]) -> dict[str, Property]:
        return {name: self._property(value) for name, value in raw.items()}

    def _property(self, raw: dict[str, Any]) -> Property:
        listed = (
            self.raw["$enums"][raw["enum_ref"].removeprefix("$enums/")]
            if "enum_ref" in raw
            else raw.get("enum", ())
        )
        return Property(raw["type"], tuple(listed), bool(raw.get("open")))


def load(package: str) -> Schema:
    """Return the tables of a Pulumi package, for example ``aws``."""
    text = files("gpuinfra.sandbox").joinpath("data", f"{package}.json").read_bytes()
    return Schema(json.loads(text))


def sdk_version(package: str, tables: str) -> str:
    """Return the version of the installed SDK, else of the one in the tables."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return tables
