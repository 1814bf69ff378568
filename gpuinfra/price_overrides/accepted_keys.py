"""The mappings in a price file, each with the keys that the grammar accepts."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from gpuinfra.errors import PathPart
from gpuinfra.records import record
from gpuinfra.specs.forms import Form


@record
class KeyPath:
    """An entry of a list or a mapping, with its keys.

    Attributes:
        part: its index or its name.
        written_keys: the keys that have a value.
        valid_values: the values of the keys that the grammar takes, with the default of what is
            not written.
    """

    part: PathPart
    written_keys: frozenset[str]
    valid_values: Mapping[str, Any]

    def accepts_keys(self, *keys: str) -> bool:
        """Return whether the grammar accepts all of these keys."""
        return all(key in self.valid_values for key in keys)


def entries(value: Any, key: str, form: type[Form]) -> Iterator[KeyPath]:
    """Yield the entries below a key of a file's plain value that are mappings."""
    section = value.get(key) if isinstance(value, dict) else None
    mapping = section.items() if isinstance(section, dict) else ()
    for entry_index, entry in enumerate(section) if isinstance(section, list) else mapping:
        if isinstance(entry, dict):
            stated_keys = frozenset(
                name for name, entry_value in entry.items() if entry_value is not None
            )
            yield KeyPath(
                part=entry_index,
                written_keys=stated_keys,
                valid_values=dict(_valid_entries(entry, form)),
            )


def _valid_entries(entry: dict[str, Any], form: type[Form]) -> Iterator[tuple[str, Any]]:
    for name, field in form.model_fields.items():
        if name in entry:
            try:
                yield name, _reader(form, name).validate_python(entry[name])
            except ValidationError:
                continue  # The grammar tells it.
        elif not field.is_required():
            yield name, field.get_default()


@cache
def _reader(form: type[Form], name: str) -> TypeAdapter[Any]:
    field = form.model_fields[name]
    kind: Any = Annotated[field.annotation, field]
    return TypeAdapter(kind)
