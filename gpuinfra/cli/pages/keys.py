"""The description of a stack file's key: its purpose, allowed values and clouds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.cli.pages.grammar import key_descriptions, short_forms
from gpuinfra.cli.pages.key_examples import examples
from gpuinfra.clouds import CLOUDS
from gpuinfra.clouds.supported_keys import AWS_ONLY, EVERYWHERE, builders_of, reason
from gpuinfra.records import record
from gpuinfra.specs.schema import SECTIONS, Workload
from gpuinfra.stackfile.json_schema import schema

_KINDS: Final[Mapping[str, str]] = {
    "boolean": "true, false",
    "array": "a list",
    "object": "a mapping",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
}
_CONTAINERS: Final = frozenset({"object", "array"})


@record
class KeyRow:
    """A key: its path, description, allowed values, examples, and the clouds that support it."""

    key: str
    description: str
    allowed: str
    examples: tuple[str, ...]
    clouds: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield the key's lines for a terminal, with why other clouds refuse it."""
        yield f"{self.key}: {self.description}"
        if self.allowed:
            yield f"  allowed: {self.allowed}"
        yield from (f"  example: {example}" for example in self.examples)
        yield f"  clouds:  {', '.join(self.clouds) or 'none'}"
        why = reason(_allow_list_entry(self.key)) if self.clouds != CLOUDS else ""
        if why:
            label, indent = "  why:     ", " " * len("  why:     ")
            for number, part in enumerate(why.split("; ")):
                yield f"{indent if number else label}{part}"


def keys_of(key_path: str) -> tuple[KeyRow, ...]:
    """Return the keys with this path, or whose path ends with it."""
    paths = [path for path in key_descriptions() if f".{path}".endswith(f".{key_path}")]
    if not paths:
        return ()
    root = schema()
    return tuple(_key(path, root) for path in paths)


def every_name() -> tuple[str, ...]:
    """Return the names and the paths of all keys."""
    paths = key_descriptions()
    return tuple(dict.fromkeys((*(path.rpartition(".")[2] for path in paths), *paths)))


def _key(path: str, root: Mapping[str, Any]) -> KeyRow:
    shared = path.startswith("training.") and path.split(".")[1] in Workload.model_fields
    description = key_descriptions()[path] or "a purchase option"
    return KeyRow(
        key=path,
        description=f"{description}{' Also under inference.' if shared else ''}",
        allowed=_allowed_values_text(path, root),
        examples=examples(path),
        clouds=tuple(builders_of(_allow_list_entry(path))),
    )


def _allow_list_entry(path: str) -> str:
    """Return the allow-list entry for a key: of the key itself or of its parent."""
    parts = path.split(".")
    inner_path = parts[1:] if parts[0] in SECTIONS and len(parts) > 1 else parts
    entry_parts = (".".join(inner_path[:2]), inner_path[0])
    return next(
        (
            entry_part
            for entry_part in entry_parts
            if entry_part in EVERYWHERE or entry_part in AWS_ONLY
        ),
        inner_path[0],
    )


def _key_schema(parts: Sequence[str], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a key; empty if there is none."""
    node: Mapping[str, Any] = root
    for part in parts:
        node = next(
            (form["properties"][part] for form in _forms(node, root) if part in _keys(form)), {}
        )
    return node


def _forms(node: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and its parts: choices, and the schemas of items and values."""
    if "$ref" in node:
        yield from _forms(root["$defs"][node["$ref"].rpartition("/")[2]], root)
        return
    yield node
    inner_schemas = (*node.get("anyOf", ()), node.get("items"), node.get("additionalProperties"))
    for form in inner_schemas:
        if isinstance(form, Mapping):
            yield from _forms(form, root)


def _keys(form: Mapping[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = form.get("properties", {})
    return properties


def _allowed_values_text(path: str, root: Mapping[str, Any]) -> str:
    """Return a key's allowed values in words: the short forms, then those of the schema."""
    short = short_forms(path)
    choices = _alternative_forms(_key_schema(path.split("."), root), root)
    # Words of a reader say more than the type of a number or a text in the schema.
    forms = [_form(choice) for choice in choices if not short or choice.get("type") in _CONTAINERS]
    return "; or ".join(dict.fromkeys(filter(None, (*short, *forms))))


def _alternative_forms(
    node: Mapping[str, Any], root: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the alternative forms of a value, without their contents."""
    if "$ref" in node:
        yield from _alternative_forms(root["$defs"][node["$ref"].rpartition("/")[2]], root)
    elif "anyOf" in node and not _keys(node):
        for form in node["anyOf"]:
            yield from _alternative_forms(form, root)
    else:
        yield node


def _form(form: Mapping[str, Any]) -> str:
    if "enum" in form or "const" in form:
        return ", ".join(map(str, form.get("enum", (form.get("const"),))))
    if _keys(form):
        keys = (key for key, inner_schema in _keys(form).items() if inner_schema.get("not") != {})
        return f"a mapping of {', '.join(keys)}"
    if form.get("type") == "integer" and "minimum" in form and "maximum" in form:
        return f"{form['minimum']} to {form['maximum']}"
    return "" if "pattern" in form else _KINDS.get(str(form.get("type")), "")
