"""Declared inputs against Google's discovery documents, which `google-api-python-client` ships.

Names, lists of values, patterns, formats and ranges. Pulumi's provider has most names of the API,
in singular or plural; what it spells otherwise or keeps to itself is in a table here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from gpuinfra.graph import Resource
from gpuinfra.sandbox.plugin.wire import Unknown
from tests.witnesses import values

TABLE: Final = json.loads(Path(__file__).with_name("discovery.json").read_text())
RANGES: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
BETWEEN: Final = re.compile(
    r"(?:minimum value for this field is|must be between|valid values are)\s+(\d+)"
    r"\s+(?:and the maximum value is|and|through)\s*(\d+)",
    re.IGNORECASE,
)
LEAST: Final = {"non-negative number": 0.0, "must be a positive value": 5e-324}
"""Limits that a description tells in words."""

PAIR: Final = {"key", "value"}
"""The fields of an item where the API has a list of pairs and the provider a map."""

Schema = Mapping[str, Any]


@cache
def document(name: str) -> Schema:
    """A discovery document, read once."""
    folder = files("googleapiclient").joinpath("discovery_cache", "documents")
    schema: Schema = json.loads(folder.joinpath(f"{name}.json").read_text())
    return schema


def complaints(resource: Resource) -> Iterator[str]:
    """What the discovery documents do not know or allow of a resource."""
    mapping = TABLE["types"].get(resource.type)
    if mapping is None:
        return
    api, name = mapping["schema"].split(" ")
    judge = _Document(document(api)["schemas"], mapping)
    yield from judge.object(judge.schemas[name], values.inputs(resource), "", "")


class _Document:
    """The schemas of an API, and how the provider spells one resource of it."""

    def __init__(self, schemas: Schema, mapping: Mapping[str, Any]) -> None:
        self.schemas = schemas
        self.renamed: Mapping[str, str] = mapping.get("renamed", {})
        self.provider: Mapping[str, str] = {**TABLE["provider"], **mapping.get("provider", {})}

    def object(
        self, schema: Schema, given: Mapping[str, Any], path: str, plain: str
    ) -> Iterator[str]:
        """What is wrong within an object; `plain` is its path without indices."""
        for key, value in given.items():
            place = f"{plain}.{key}".lstrip(".")
            at = f"{path}.{key}".lstrip(".")
            if place in self.provider or value is None:
                continue
            field = self.find(schema, self.renamed.get(place, key))
            if field is None:
                yield f"{at}: {schema.get('id', 'the API')} has no such field"
            else:
                yield from self.value(field, value, at, place)

    def find(self, schema: Schema, path: str) -> Schema | None:
        """A property by its name or path, in singular or plural."""
        for step in path.split("."):
            properties = self.resolved(schema).get("properties", {})
            names = [spelling for spelling in _spellings(step) if spelling in properties]
            if not names:
                return None
            schema = self.resolved(properties[names[0]])
        return schema

    def resolved(self, schema: Schema) -> Schema:
        """A schema in place of its name, and the items' in place of a list's."""
        if "$ref" in schema:
            return self.resolved({**self.schemas[schema["$ref"]]})
        if schema.get("type") == "array" and "properties" in self.of_items(schema):
            return self.of_items(schema)
        return schema

    def of_items(self, schema: Schema) -> Schema:
        """The schema of a list's items."""
        items: Schema = schema["items"]
        return self.resolved(items) if "$ref" in items else items

    def value(self, schema: Schema, value: Any, path: str, plain: str) -> Iterator[str]:
        """What is wrong with a value."""
        if schema.get("type") == "array":
            schema = self.of_items(schema)
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.value(schema, item, f"{path}[{index}]", plain)
        elif isinstance(value, dict):
            yield from self.fields(schema, value, path, plain)
        elif not isinstance(value, Unknown):
            yield from _plain(schema, value, path)

    def fields(
        self, schema: Schema, value: dict[str, Any], path: str, plain: str
    ) -> Iterator[str]:
        """What is wrong with an object or a map."""
        properties = schema.get("properties", {})
        if properties and properties.keys() != PAIR:
            yield from self.object(schema, value, path, plain)
            return
        of_values = properties.get("value") or schema.get("additionalProperties")
        if of_values is None:
            yield f"{path}: an object, where the API wants {schema.get('type')}"
            return
        for key, item in value.items():
            yield from self.value(properties.get("key", {}), key, f"{path}.{key}", plain)
            yield from self.value(of_values, item, f"{path}.{key}", plain)


def _plain(schema: Schema, value: Any, path: str) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value)
    if values.partly(text):
        return
    kind = schema.get("type")
    if kind in {"object", "boolean"} and not isinstance(value, bool):
        yield f"{path}: {text!r}, where the API wants {kind}"
    listed = schema.get("enum", ())
    if listed and text not in listed:
        yield f"{path}: {text!r} is not one of {', '.join(listed[:8])}"
    pattern = schema.get("pattern")
    if pattern and not re.fullmatch(pattern, text):
        yield f"{path}: {text!r} does not match {pattern}"
    yield from _number(schema, text, path)
    yield from _described(schema, value, path)


def _number(schema: Schema, text: str, path: str) -> Iterator[str]:
    """Formats say how large whole numbers may be; 64 bits travel as text."""
    if schema.get("format") not in RANGES:
        return
    least, most = RANGES[schema["format"]]
    least = int(schema.get("minimum", least))
    most = int(schema.get("maximum", most))
    if not re.fullmatch(r"-?\d+", text) or not least <= int(text) <= most:
        yield f"{path}: {text} is no whole number from {least} to {most}"


def _described(schema: Schema, value: Any, path: str) -> Iterator[str]:
    """Limits that the description of a number tells in words."""
    words = " ".join(schema.get("description", "").split())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    match = BETWEEN.search(words)
    if match and not int(match[1]) <= value <= int(match[2]):
        yield f"{path}: {value} is not within the described {match[1]} to {match[2]}"
    least = next((LEAST[key] for key in LEAST if key in words), None)
    if least is not None and value < least:
        yield f"{path}: {value} is less than what is described"


def _spellings(name: str) -> tuple[str, ...]:
    """A name in singular and plural."""
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return (name, f"{name}s", f"{name.removesuffix('y')}ies", singular, name.removesuffix("es"))
