"""Edits as code of a Pulumi program in Python or TypeScript.

Names of properties are in snake case in Python, and keys of maps of the user's own stay:
https://www.pulumi.com/docs/iac/languages-sdks/python/
https://www.pulumi.com/docs/iac/languages-sdks/javascript/
https://www.pulumi.com/docs/iac/concepts/inputs-outputs/apply/
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuinfra.fixes.fix import Edit, Path
from gpuinfra.model import Unknown
from gpuinfra.urns import name_of

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_REFERENCE: Final = re.compile(r"\$\{([^}.]+)\.(\w+)\}")
"""A property of another resource, as a program in YAML names it."""

_OWN_KEYS: Final = frozenset({"tags", "tagsAll", "tags_all", "labels", "metadata", "variables"})
"""Properties whose keys are the user's own words."""


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def _camel(name: str) -> str:
    return re.sub("-([a-z])", lambda match: match[1].upper(), name)


def _python_text(parts: Sequence[str], names: Sequence[str]) -> str:
    if not names:
        return _quote_text("".join(parts))
    escaped = [part.replace("{", "{{").replace("}", "}}") for part in parts]
    form = escaped[0] + "".join(f"{{{at}}}{part}" for at, part in enumerate(escaped[1:]))
    return f"pulumi.Output.format({_quote_text(form)}, {', '.join(names)})"


def _typescript_text(parts: Sequence[str], names: Sequence[str]) -> str:
    if not names:
        return json.dumps("".join(parts), ensure_ascii=False)
    escaped = [re.sub(r"([`\\]|\$(?=\{))", r"\\\1", part) for part in parts]
    values = (f"${{{name}}}{part}" for name, part in zip(names, escaped[1:], strict=True))
    return f"pulumi.interpolate`{escaped[0]}{''.join(values)}`"


@dataclass(frozen=True)
class _Language:
    """How a language writes what an edit needs.

    Attributes:
        property_name: a property's name from that of the provider's schema.
        variable: a variable's name from that of a resource.
        true_and_false: the two words.
        colon: what is between an argument and its value.
        call: a new resource, of its class and its arguments.
        json: the function that writes a mapping as JSON.
        text: a text from its constant parts and the variables between them.
    """

    property_name: Callable[[str], str]
    variable: Callable[[str], str]
    true_and_false: tuple[str, str]
    colon: str
    call: str
    json: str
    text: Callable[[Sequence[str], Sequence[str]], str]

    def edit(self, edit: Edit) -> str:
        """Return one edit of a resource: the argument to pass or the property to set."""
        name = name_of(edit.resource)
        kind = _class(edit.type)
        if edit.removes_resource:
            return f"{kind} `{name}`: remove it"
        if edit.adds_resource:
            call = self.call.format(kind, self._arguments(edit.after))
            return f"add for `{name}`: {call}"
        if edit.after is None:
            return f"{kind} `{name}`: remove {self._path_code(edit.path)}"
        return f"{kind} `{name}`: {self._assignment(edit)}"

    def _assignment(self, edit: Edit) -> str:
        """Return an argument with its nested value, or an assignment to a part of one.

        A part is assigned where the property has other values; an index is inside of a list.
        """
        path, value = edit.path, edit.after
        if edit.is_inside or any(isinstance(part, int) for part in path):
            return f"{self._path_code(path)} = {self._value(value, own=path[-1] in _OWN_KEYS)}"
        first, *inner = path
        for part in reversed(inner):
            value = {part: value}
        return self._argument(str(first), value)

    def _path_code(self, path: Path) -> str:
        spell = self.property_name
        if path[0] in _OWN_KEYS:
            return spell(str(path[0])) + "".join(f"[{json.dumps(part)}]" for part in path[1:])
        words = "".join(
            f"[{part}]" if isinstance(part, int) else f".{spell(part)}" for part in path
        )
        return words.removeprefix(".")

    def _arguments(self, value: Any) -> str:
        if not isinstance(value, Mapping):
            return self._value(value)
        return ", ".join(self._argument(str(key), inner) for key, inner in value.items())

    def _argument(self, key: str, value: Any) -> str:
        return f"{self.property_name(key)}{self.colon}{self._value(value, own=key in _OWN_KEYS)}"

    def _value(self, value: Any, *, own: bool = False, deep: bool = False) -> str:
        """Return a value as code; `own` keeps the keys of a map, `deep` those at all depths."""
        if isinstance(value, Mapping):
            pairs = (
                f'"{key if own else self.property_name(str(key))}": '
                f"{self._value(inner, own=deep or key in _OWN_KEYS, deep=deep)}"
                for key, inner in value.items()
            )
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, list | tuple):
            return f"[{', '.join(self._value(inner, own=deep, deep=deep) for inner in value)}]"
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bool):
            return self.true_and_false[not value]
        return "…" if isinstance(value, Unknown) else str(value)

    def _text(self, value: str) -> str:
        """Return a string as code; JSON by its function, a reference as the property itself."""
        document = _document(value)
        if document is not None:
            return f"{self.json}({self._value(document, own=True, deep=True)})"
        references = list(_REFERENCE.finditer(value))
        names = [
            f"{self.variable(reference[1])}.{self.property_name(reference[2])}"
            for reference in references
        ]
        if _REFERENCE.fullmatch(value):
            return names[0]
        starts = [0, *(reference.end() for reference in references)]
        ends = [*(reference.start() for reference in references), len(value)]
        parts = [value[start:end] for start, end in zip(starts, ends, strict=True)]
        return self.text(parts, names)


def _class(type_: str) -> str:
    """Return the class of a resource type: aws.ec2.Instance for aws:ec2/instance:Instance."""
    package, _, rest = type_.partition(":")
    module, _, class_ = rest.rpartition(":")
    first, _, last = module.rpartition("/")
    if first and last.lower() == class_.lower():
        module = first
    parts = [part for part in (package.replace("-", "_"), *module.split("/"), class_) if part]
    return ".".join(part for part in parts if part != "index")


def _document(text: str) -> Any:
    """Return the mapping in a JSON text; None for any other text."""
    try:
        value = json.loads(text) if text.startswith("{") else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _quote_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


_PYTHON: Final = _Language(
    property_name=_snake,
    variable=lambda name: _snake(name).replace("-", "_"),
    true_and_false=("True", "False"),
    colon="=",
    call="{}(…, {})",
    json="pulumi.Output.json_dumps",
    text=_python_text,
)

_TYPESCRIPT: Final = _Language(
    property_name=str,
    variable=_camel,
    true_and_false=("true", "false"),
    colon=": ",
    call='new {}("…", {{{}}})',
    json="pulumi.jsonStringify",
    text=_typescript_text,
)

WRITERS: Final[Mapping[str, Callable[[Edit], str]]] = {
    "python": _PYTHON.edit,
    "nodejs": _TYPESCRIPT.edit,
}
"""The function that writes an edit as code, by the runtime of the program."""
