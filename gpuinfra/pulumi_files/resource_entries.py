"""A resource in one of Pulumi's files, validated field by field."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

from gpuinfra.clouds import cloud_of, outlives_its_delete
from gpuinfra.clouds.observing.values import unknown_inside
from gpuinfra.model import UNKNOWN
from gpuinfra.pulumi_files.file_faults import FileError
from gpuinfra.pulumi_files.property_spelling import camel, camel_key
from gpuinfra.pulumi_files.property_values import Values, whole_text
from gpuinfra.records import record

PROVIDERS: Final = "pulumi:providers:"
STACK: Final = "pulumi:pulumi:Stack"
_RETAIN_ON_DELETE: Final = "retainOnDelete"
_NO_NAMES: Final[frozenset[str]] = frozenset()
_MAX_SHOWN: Final = 80
_URN_SHOWN: Final = 200
_KINDS: Final[Mapping[type, str]] = {
    dict: "a mapping",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}


@record
class ResourceEntry:
    """A resource of a file; `provider` refers to its provider as `urn::id`.

    `custom` is what a provider makes; a component has neither provider nor id.

    `withheld` are the inputs in which the file keeps a secret back, and `redacted_inputs` those
    in which it shows one, without it. `retained` stays when it is deleted from the state
    (retainOnDelete), and so does what its provider leaves by the setting `abandoned`.
    `deleted_with` is the URN of another resource, whose deletion is to delete this one, too.
    `before` are the inputs that a step changes. `is_pending_replacement` was deleted, to be
    created anew. The value of a trigger whose change replaces it may be unknown.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    relations: Mapping[str, tuple[str, ...]]
    parent: str | None
    provider: str
    external: bool = False
    custom: bool = True
    withheld: frozenset[str] = frozenset()
    retained: bool = False
    abandoned: str = ""
    deleted_with: str = ""
    before: Mapping[str, Any] | None = None
    is_pending_replacement: bool = False
    has_unknown_trigger: bool = False
    redacted_inputs: Mapping[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    created: str = ""

    @property
    def is_provider(self) -> bool:
        """Whether the entry is a provider, which is not a resource in a cloud."""
        return self.type.startswith(PROVIDERS)

    @property
    def kept_by(self) -> str:
        """What keeps the resource in its cloud when it is deleted; empty for nothing."""
        return _RETAIN_ON_DELETE if self.retained else self.abandoned


def entry_of(document: Any, location: str, values: Values) -> ResourceEntry:
    """Read a resource.

    Args:
        document: the mapping, as decoded.
        location: what messages call its place, for example steps[3].newState.
        values: opens its property values.

    Raises:
        FileError: it is not as Pulumi writes one.
    """
    document = mapping(document, location)
    urn = urn_of(document, location)
    type_ = sys.intern(text(document.get("type"), f"{location}.type"))
    _, _, types, name = urn.split("::", 3)
    if type_ != types.rpartition("$")[2]:
        raise FileError(
            f"{location}.type contradicts {location}.urn",
            value=type_[:_MAX_SHOWN],
            allowed=f"the type in {urn[:_URN_SHOWN]}",
        )
    package = type_.partition(":")[0]
    outputs = _properties(document.get("outputs"), f"{location}.outputs", values, type_)
    if type_ == STACK:
        redacted_outputs = values.redact_secrets(document.get("outputs") or {})
        outputs = mapping(redacted_outputs, f"{location}.outputs")
    if identity := text(document.get("id") or "", f"{location}.id"):
        outputs = {**outputs, "id": values.plain_value(identity)}
    values.hidden = values.opened = False
    inputs = _properties(document.get("inputs"), f"{location}.inputs", values, type_)
    withheld = (
        _inputs_with_secrets(document["inputs"], values, package) if values.hidden else _NO_NAMES
    )
    redacted_inputs: Mapping[str, Any] = {}
    if values.opened:
        redacted_inputs = _redacted_inputs(document["inputs"], inputs, values, type_)
    dependencies = f"{location}.propertyDependencies"
    relations = mapping(document.get("propertyDependencies") or {}, dependencies)
    return ResourceEntry(
        urn=urn,
        type=type_,
        name=name,
        inputs=inputs,
        redacted_inputs=redacted_inputs,
        outputs=outputs,
        relations={
            sys.intern(camel_key(key, package)): _related_urns(targets, dependencies)
            for key, targets in relations.items()
        },
        parent=sys.intern(reference) if (reference := _parent(document, location)) else None,
        provider=sys.intern(text(document.get("provider") or "", f"{location}.provider")),
        external=document.get("external") is True,
        retained=document.get(_RETAIN_ON_DELETE) is True,
        abandoned=outlives_its_delete(type_, inputs, outputs),
        deleted_with=text(document.get("deletedWith") or "", f"{location}.deletedWith"),
        custom=bool(document.get("custom") or document.get("provider") or document.get("id")),
        withheld=withheld,
        is_pending_replacement=document.get("pendingReplacement") is True,
        has_unknown_trigger=unknown_inside(values.plain_value(document.get("replacementTrigger"))),
        depends_on=_related_urns(document.get("dependencies") or (), f"{location}.dependencies"),
        created=text(created_in(document), f"{location}.created"),
    )


def created_in(document: Mapping[str, Any]) -> Any:
    """Return when an update made a resource of a state; empty for an imported one."""
    return "" if document.get("importID") else document.get("created") or ""


def _inputs_with_secrets(
    inputs: Mapping[str, Any], values: Values, package: str
) -> frozenset[str]:
    """Return the inputs in which the file withholds a secret."""
    return frozenset(
        camel_key(key, package)
        for key, value in inputs.items()
        if values.has_withheld_secret(value)
    )


def _redacted_inputs(
    document: Any, inputs: Mapping[str, Any], values: Values, type_: str
) -> dict[str, Any]:
    """Return the inputs in which the file shows a secret, with `UNKNOWN` for it."""
    redacted = values.redact_secrets(document)
    if not isinstance(redacted, dict):
        return dict.fromkeys(inputs, UNKNOWN)
    return {
        key: value
        for key, value in _spelled(redacted, type_).items()
        if key in inputs and value != inputs[key]
    }


def _related_urns(value: Any, location: str) -> tuple[str, ...]:
    return tuple(map(sys.intern, urns(value, location))) if value else ()


def _properties(value: Any, location: str, values: Values, type_: str) -> dict[str, Any]:
    """Return a resource's properties, empty for none; a cloud's keys get the engine's spelling."""
    if not value:
        return {}
    values.underscored = False
    properties = mapping(values.plain_value(mapping(value, location)), location)
    return _spelled(properties, type_) if values.underscored else properties


def _spelled(properties: dict[str, Any], type_: str) -> dict[str, Any]:
    return camel(properties, type_.partition(":")[0]) if cloud_of(type_) else properties


def with_prior_outputs(entry: ResourceEntry, prior_entry: ResourceEntry) -> ResourceEntry:
    """Return a planned resource that is kept, with the outputs of its prior state."""
    inputs_before = None if entry.inputs == prior_entry.inputs else prior_entry.inputs
    return replace(entry, outputs={**prior_entry.outputs, **entry.outputs}, before=inputs_before)


def mapping(value: Any, location: str) -> dict[str, Any]:
    """Return the value; refuse any but a mapping.

    Raises:
        FileError: it is none.
    """
    if not isinstance(value, dict):
        raise wrong_type_error(value, location, "a mapping")
    return value


def list_of(value: Any, location: str) -> list[Any]:
    """Return the value; refuse any but a list.

    Raises:
        FileError: it is none.
    """
    if not isinstance(value, list):
        raise wrong_type_error(value, location, "a list")
    return value


def text(value: Any, location: str) -> str:
    """Return the value; refuse any but text.

    Raises:
        FileError: it is none.
    """
    if not isinstance(value, str):
        raise wrong_type_error(value, location, "text")
    return value if value.isascii() else whole_text(value)


def urns(value: Any, location: str) -> list[str]:
    """Return the value; refuse any but a list of text; null is an empty list.

    Raises:
        FileError: it is none.
    """
    return [text(item, location) for item in list_of(value or [], location)]


def urn_of(value: Mapping[str, Any], location: str) -> str:
    """Return the URN of an entry: urn:pulumi:STACK::PROJECT::TYPE::NAME.

    Raises:
        FileError: it has none, or its value is not one.
    """
    return sys.intern(_urn(text(value.get("urn"), f"{location}.urn"), f"{location}.urn"))


def wrong_type_error(value: Any, location: str, expected: str) -> FileError:
    """Return the fault of a value of another type than Pulumi writes there."""
    kind = _KINDS.get(type(value), "something else")
    fault = "is missing" if value is None else f"is {kind}, but must be {expected}"
    return FileError(f"{location} {fault}")


def _parent(document: Mapping[str, Any], location: str) -> str:
    urn = text(document.get("parent") or "", f"{location}.parent")
    return _urn(urn, f"{location}.parent") if urn else ""


def _urn(urn: str, location: str) -> str:
    parts = urn.split("::", 3)
    if len(parts) != 4 or not urn.startswith("urn:pulumi:") or not all(parts):  # noqa: PLR2004
        raise FileError(
            f"{location} is not a URN",
            value=urn[:_MAX_SHOWN],
            allowed="urn:pulumi:STACK::PROJECT::TYPE::NAME",
        )
    return urn


def no_circle(entries: Mapping[str, ResourceEntry]) -> None:
    """Refuse entries that are their own ancestors, since following parents would never end.

    Raises:
        FileError: with one of them.
    """
    done: set[str] = set()
    for start in entries:
        if start in done:
            continue
        open_: dict[str, Iterator[str]] = {start: _dependencies(entries[start])}
        while open_:
            urn, unvisited = next(reversed(open_.items()))
            for other in unvisited:
                if other in open_:
                    raise FileError(
                        f"{other} depends on itself, through parents or property dependencies"
                    )
                if other in entries and other not in done:
                    open_[other] = _dependencies(entries[other])
                    break
            else:
                done.add(urn)
                del open_[urn]


def _dependencies(entry: ResourceEntry) -> Iterator[str]:
    if entry.parent:
        yield entry.parent
    for relation in entry.relations.values():
        yield from relation
