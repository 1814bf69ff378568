"""The addition of entries to a list in the text of a YAML file; other characters are kept."""

from collections.abc import Mapping, Sequence
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from gpuinfra.errors import printable
from gpuinfra.records import record
from gpuinfra.stackfile.yaml_composer import compose
from gpuinfra.stackfile.yaml_edit import leaf_nodes, line_end, refusal, yaml_text

_INDENT: Final = 2
_UNUSUAL: Final = "the YAML around it can't be edited automatically"


@record(kw_only=False)
class ListEntry:
    """An entry to add to a list, and a comment to write above it."""

    entry: Mapping[str, str]
    comment_above: str = ""


def extend_list(text: str, key: str, added: Sequence[ListEntry]) -> str:
    """Return the text with more entries in the list under a key, which is added if absent.

    Comments, order, quotes and line ends stay. Where the list is in brackets, its new entries have
    no comment above them.

    Raises:
        InputError: the text is not YAML, or the list is not written so that it can be extended.
    """
    composed_before = compose(text, "the file")
    edited_text = _extend_list(text, YAML(typ="safe", pure=True).compose(text), key, added)
    composed_after = compose(edited_text, "the file")
    existing_keys = composed_before.value if isinstance(composed_before.value, dict) else {}
    listed = [*(existing_keys.get(key) or ()), *(dict(entry.entry) for entry in added)]
    if composed_after.problems or composed_after.value != {**existing_keys, key: listed}:
        raise refusal((key,), _UNUSUAL)
    return edited_text


def _extend_list(text: str, root: Node | None, key: str, added: Sequence[ListEntry]) -> str:
    if not isinstance(root, MappingNode):
        raise refusal((key,), _UNUSUAL)
    newline = "\r\n" if "\r\n" in text else "\n"
    node = next((value for name, value in root.value if name.value == key), None)
    if node is None and not root.flow_style:
        start = text if text.endswith(("\n", "\r")) else f"{text}{newline}"
        block = newline.join(_block(added, _INDENT))
        return f"{start}{newline}{key}:{newline}{block}{newline}"
    if not isinstance(node, SequenceNode) or node.anchor:
        raise refusal((key,), _UNUSUAL)
    if node.flow_style:
        return _insert_in_brackets(text, node, added, newline)
    text_index = line_end(text, max(leaf.end_mark.index for leaf in leaf_nodes(node)))
    block = newline.join(_block(added, node.start_mark.column))
    return f"{text[:text_index]}{newline}{block}{text[text_index:]}"


def _block(added: Sequence[ListEntry], column: int) -> list[str]:
    """Return the lines of entries, each under its comment."""
    lines = []
    for addition in added:
        if addition.comment_above:
            lines.append(f"{' ' * column}# {printable(addition.comment_above)}")
        for number, (name, value) in enumerate(addition.entry.items()):
            lines.append(f"{' ' * column}{'  ' if number else '- '}{name}: {yaml_text(value)}")
    return lines


def _insert_in_brackets(
    text: str, node: SequenceNode, added: Sequence[ListEntry], newline: str
) -> str:
    """Return the text with new entries before a list's closing bracket, one per line."""
    entries = [f"{newline}{' ' * _INDENT}{yaml_text(addition.entry)}" for addition in added]
    if node.value:
        text_index = node.value[-1].end_mark.index
        return f"{text[:text_index]}{''.join(f',{entry}' for entry in entries)}{text[text_index:]}"
    text_index = node.start_mark.index + 1
    return f"{text[:text_index]}{','.join(entries)}{text[text_index:]}"
