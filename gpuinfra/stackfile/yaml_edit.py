"""The edit of one value in the text of a stack file; every other character is kept."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, SequenceNode

from gpuinfra.errors import InputError, PathPart
from gpuinfra.stackfile.grammar import path_text
from gpuinfra.stackfile.scalars import ScalarError, resolve
from gpuinfra.stackfile.yaml_composer import compose

Value = str | bool | int | Decimal | Sequence[Any] | Mapping[str, Any]
"""The types of values that can be written; fractions are decimals."""

_PLAIN_SCALAR: Final = re.compile(
    r"[A-Za-z0-9_./][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+-]+)*"
    r"|[A-Za-z](?:[A-Za-z0-9_./@+-]|:(?=[A-Za-z0-9]))*"
)
"""Texts that need no quotes: words, and one word with colons inside, for example H100:8. Digits
with colons between them are a time or a number to some readers."""


def set_value(text: str, path: Sequence[PathPart], value: Value) -> str:
    """Return the text with the value at a path; missing keys on the path are added.

    A mapping or a list is written on one line. Comments, order, quotes and line ends stay.

    Raises:
        InputError: the text is not YAML, the place can't hold the value, or the value there is
            shared through an anchor, so that a change would reach further than asked.
    """
    composed_before = compose(text, "the stack file")
    root = YAML(typ="safe", pure=True).compose(text)
    edited_text = _edited_text(text, root, tuple(path), value)
    composed_after = compose(edited_text, "the stack file")
    if (
        composed_before.problems
        or composed_after.problems
        or composed_after.value != _expected_value(composed_before.value, path, value)
    ):
        raise refusal(path, "the YAML around it can't be edited automatically")
    return edited_text


def _edited_text(text: str, node: Node | None, path: tuple[PathPart, ...], value: Value) -> str:
    """Return the edited text: the innermost existing node is replaced or gets a key."""
    for depth, part in enumerate(path):
        child_node = _child_node(node, part)
        if child_node is None:
            return _with_new_key(text, node, path, depth, value)
        start, node = child_node
        if node.start_mark.index < start or node.anchor:
            raise refusal(path, "it is shared through an anchor; write it out first")
    return _replace_value(text, node, value)


def _child_node(node: Node | None, part: PathPart) -> tuple[int, Node] | None:
    """Return the node under a key or index, and the earliest start of its text."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key.end_mark.index, value
    elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.start_mark.index, node.value[part]
    return None


def _replace_value(text: str, node: Node | None, value: Value) -> str:
    if node is None or (isinstance(node, CollectionNode) and not node.flow_style):
        raise refusal((), "a mapping or list on several lines can't be replaced as a whole")
    start, end = node.start_mark.index, node.end_mark.index
    old = text[start:end]
    blank = " " if not old and text[start - 1 : start] == ":" else ""
    return text[:start] + blank + yaml_text(value) + old[len(old.rstrip()) :] + text[end:]


def _with_new_key(
    text: str, node: Node | None, path: tuple[PathPart, ...], depth: int, value: Value
) -> str:
    """Return the text with a new key in a mapping; the keys below it are written as its value."""
    if not isinstance(node, MappingNode) or not all(
        isinstance(part, str) for part in path[depth:]
    ):
        raise refusal(path, "no mapping or list exists at this place")
    for key in reversed(path[depth + 1 :]):
        value = {str(key): value}
    entry = f"{yaml_text(str(path[depth]))}: {yaml_text(value)}"
    if node.flow_style:
        return _insert_in_braces(text, node, entry)
    ends = max((leaf.end_mark.index for leaf in leaf_nodes(node)), default=node.end_mark.index)
    text_index = line_end(text, ends)
    column = node.value[0][0].start_mark.column if node.value else 0
    newline = "\r\n" if "\r\n" in text else "\n"
    return f"{text[:text_index]}{newline}{' ' * column}{entry}{text[text_index:]}"


def line_end(text: str, index: int) -> int:
    """Return where the line ends that has the last character before an index, blanks aside."""
    start = len(text[:index].rstrip())
    breaks = (text.find(character, start) for character in "\r\n")
    return min((end for end in breaks if end >= 0), default=len(text))


def _insert_in_braces(text: str, node: MappingNode, entry: str) -> str:
    """Return the text with an entry before a closing brace."""
    closing = node.end_mark.index - 1
    text_before = text[node.start_mark.index + 1 : closing].rstrip()
    text_index = node.start_mark.index + 1 + len(text_before)
    comma = ", " if text_before and not text_before.endswith(",") else " " if text_before else ""
    return f"{text[:text_index]}{comma}{entry}{text[text_index:]}"


def leaf_nodes(node: Node) -> Iterator[Node]:
    """Yield the nodes whose end marks are exact: scalars, and collections in brackets."""
    if not isinstance(node, CollectionNode) or node.flow_style:
        yield node
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            # An alias has the node of its anchor, which stands elsewhere.
            yield from leaf_nodes(value if value.start_mark.index > key.start_mark.index else key)
    else:
        for value in node.value:
            yield from leaf_nodes(value)


def yaml_text(value: Value) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, str):
        return value if _is_plain(value) else _quote_text(value)
    if isinstance(value, Mapping):
        entries = (f"{yaml_text(str(key))}: {yaml_text(item)}" for key, item in value.items())
        return "{" + ", ".join(entries) + "}"
    return "[" + ", ".join(yaml_text(item) for item in value) + "]"


def _quote_text(value: str) -> str:
    """Return a text in double quotes, with non-printable characters escaped."""
    escaped = json.dumps(value, ensure_ascii=False)
    return "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}"
        for character in escaped
    )


def _is_plain(value: str) -> bool:
    """Return whether a text can be written without quotes and is still read as text."""
    if _PLAIN_SCALAR.fullmatch(value) is None or value.startswith(("...", "---")):
        return False
    try:
        return resolve(value) == value
    except ScalarError:
        return False


def _expected_value(value: Any, path: Sequence[PathPart], new: Value) -> Any:
    """Return the plain value with a change at a path."""
    if not path:
        return _plain_value(new)
    part, *inner_path = path
    if isinstance(value, list):
        return [
            _expected_value(item, inner_path, new) if entry_index == part else item
            for entry_index, item in enumerate(value)
        ]
    holder = value if isinstance(value, dict) else {}
    return {**holder, part: _expected_value(holder.get(part), inner_path, new)}


def _plain_value(value: Value) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain_value(item) for key, item in value.items()}
    if isinstance(value, str | bool | int | Decimal):
        return value
    return [_plain_value(item) for item in value]


def refusal(path: Sequence[PathPart], reason: str) -> InputError:
    """Return the error that the value at a path can't be edited automatically."""
    return InputError.of(
        f"{path_text(tuple(path))} can't be changed: {reason}",
        path=tuple(path),
        fix="edit the file by hand",
    )
