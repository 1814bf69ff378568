"""Functions against their code: the handler that is called, and the variables that it reads."""

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import available_timezones

from gpuinfra.graph import Archive
from tests.parsing import parsed
from tests.witnesses.aws.stack import Stack, each


def complaints(stack: Stack) -> Iterator[str]:
    """What a function lacks that its code needs, and events that it would not read."""
    read = {}
    for resource, inputs in stack.of("Function"):
        code = resource.inputs.get("code")
        files = code.files if isinstance(code, Archive) else {}
        if not files:
            yield f"{resource.key}: it has no code"
            continue
        module, _, name = str(inputs.get("handler")).partition(".")
        tree = parsed(files.get(f"{module}.py", ""))
        if name not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            yield f"{resource.key}: its code has no {inputs.get('handler')}"
        variables = next(each(inputs, "environment.variables"), None) or {}
        yield from (f"{resource.key}: {words}" for words in _variables(tree, variables, stack))
        read[resource.key] = _keys(tree)
    for resource, inputs in stack.of("Schedule"):
        yield from (f"{resource.key}: {words}" for words in _event(inputs, read, stack))


def _variables(tree: ast.Module, given: Mapping[str, Any], stack: Stack) -> Iterator[str]:
    read = set(_environment(tree))
    if read != given.keys():
        yield f"its code and its environment differ in {sorted(read ^ given.keys())}"
    if "STACK" in given and ("gpuinfra:stack", given["STACK"]) not in stack.tags:
        yield f"nothing is of the stack {given['STACK']}"
    regions = given.get("REGIONS")
    if isinstance(regions, str) and not stack.regions.issuperset(regions.split(",")):
        yield f"the stack is not in {regions}"


def _environment(tree: ast.Module) -> Iterator[str]:
    """The variables that a module reads, as os.environ["NAME"] or os.environ.get("NAME")."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            yield ast.literal_eval(node.slice)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "os.environ.get":
            yield ast.literal_eval(node.args[0])


def _keys(tree: ast.Module) -> frozenset[str]:
    """The keys of an event that a module reads."""
    return frozenset(ast.literal_eval(key) for node in ast.walk(tree) for key in _keys_read(node))


def _keys_read(node: ast.AST) -> Iterator[ast.expr]:
    """The key under which a node reads the event."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "event":
        yield node.slice
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "event.get":
        yield node.args[0]


def _event(
    inputs: dict[str, Any], read: Mapping[str, frozenset[str]], stack: Stack
) -> Iterator[str]:
    zone = inputs.get("scheduleExpressionTimezone", "UTC")
    if zone not in available_timezones():
        yield f"{zone} is no time zone"
    target = inputs.get("target") or {}
    function = stack.named(target.get("arn"))
    event_input = target.get("input")
    if function is None or function.key not in read:
        return
    if event_input is None:
        if "workload" in read[function.key]:
            yield "its function is not told which workload"
        return
    event = json.loads(event_input) if isinstance(event_input, str) else {}
    if not {"workload", "cause"} <= event.keys() or not event.keys() <= read[function.key]:
        yield f"its function reads other words than {sorted(event)}"
    elif ("gpuinfra:workload", event["workload"]) not in stack.tags:
        yield f"the stack has no workload {event['workload']}"
    if target.get("deadLetterConfig") is None:
        yield "an event that fails is lost"
