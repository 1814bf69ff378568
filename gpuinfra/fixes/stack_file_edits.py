"""The edits written into the text of a stack file, with everything else unchanged."""

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node

from gpuinfra.errors import InputError, Problem
from gpuinfra.fixes.fix import Edit, Path
from gpuinfra.fixes.options import is_left_alone
from gpuinfra.fixes.property_paths import with_value
from gpuinfra.specs import Stack
from gpuinfra.stackfile import problems_of
from gpuinfra.stackfile.references import bucket_problems, reference_problems
from gpuinfra.stackfile.starter_settings import STARTER_COMMENTS
from gpuinfra.stackfile.yaml_composer import compose
from gpuinfra.stackfile.yaml_edit import leaf_nodes, refusal, set_value, yaml_text


def write(text: str, edits: Sequence[Edit]) -> str:
    """Return the text of a stack file with edits; quotes, line ends and users' comments are kept.

    Raises:
        InputError: an edit can't be written without touching more than it names, or it would
            change what no fix may.
    """
    composed_before = compose(text, "the stack file")
    for edit in edits:
        if is_left_alone(edit):
            raise refusal(
                edit.path, "fixes do not change requirements, permissions or counted usage"
            )
        text = _apply_edit(text, edit)
    composed_after = compose(text, "the stack file")
    if composed_after.problems or composed_after.value != with_edits(composed_before.value, edits):
        raise refusal(edits[0].path, "the YAML around it can't be edited automatically")
    return text


def difference(text_before: str, text_after: str, name: str, state: str = "fixed") -> str:
    """Return the unified diff of two texts, without their line ends."""
    lines = unified_diff(
        text_before.splitlines(), text_after.splitlines(), name, f"{name} ({state})", lineterm=""
    )
    return "\n".join(lines)


def _apply_edit(text: str, edit: Edit) -> str:
    node = _node(YAML(typ="safe", pure=True).compose(text), edit.path)
    if isinstance(node, CollectionNode) and not node.flow_style:
        return _collapse_to_line(text, node, edit)
    return set_value(_without_starter_comment(text, node, edit), edit.path, edit.after)


def _without_starter_comment(text: str, node: Node | None, edit: Edit) -> str:
    """Return the text without the comment that `init` writes after the value of a key."""
    comment = STARTER_COMMENTS.get(str(edit.path[-1]))
    if node is None or comment is None:
        return text
    end = node.end_mark.index
    rest, line_break, further = text[end:].partition("\n")
    return text[:end] + line_break + further if rest.strip() == comment else text


def _node(node: Node | None, path: Path) -> Node | None:
    """Return the node at a path; None where there is none, or it is in a list."""
    for part in path:
        pairs = node.value if isinstance(node, MappingNode) else ()
        node = next((value for key, value in pairs if key.value == part), None)
    return node


def _collapse_to_line(text: str, node: CollectionNode, edit: Edit) -> str:
    """Return the text with a multi-line mapping or list put on one line, if it has no comment.

    Raises:
        InputError: a comment would be lost, or the value is shared through an anchor.
    """
    end = max((leaf.end_mark.index for leaf in leaf_nodes(node)), default=node.end_mark.index)
    start = text.rfind(":", 0, node.start_mark.index) + 1
    if node.anchor:
        raise refusal(edit.path, "it is shared through an anchor; write it out first")
    if "#" in text[start:end] or not start:
        raise refusal(edit.path, "it is written on several lines with comments in between")
    return f"{text[:start]} {yaml_text(edit.after)}{text[end:]}"


def with_edits(value: Any, edits: Sequence[Edit]) -> Any:
    """Return the value with edits applied; unchanged parts are shared, not copied."""
    for edit in edits:
        value = with_value(value, edit.path, edit.after)
    return value


def stack_of(value: Any) -> Stack:
    """Return the stack of a plain value.

    Raises:
        InputError: it has faults.
    """
    try:
        stack = Stack.model_validate(value)
    except ValidationError as error:
        raise InputError(problems_of(error, root=Stack)) from None
    problems: tuple[Problem, ...] = (*bucket_problems(value), *reference_problems(stack, value))
    if problems:
        raise InputError(problems)
    return stack
