"""Benchmarks are not run by the suite: their programs, most of them texts, still have to run."""

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import choosing, fixing, linear

MODULES = sorted(Path(__file__).parent.glob("*.py"))


def programs(path: Path) -> Iterator[ast.Module]:
    """A module, and each text in it that is a program or a part of one."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    yield module
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and "\n" in str(node.value):
            try:
                yield ast.parse(str(node.value))
            except SyntaxError:
                continue  # prose


def taken(path: Path) -> set[tuple[str, str]]:
    """What the programs take from modules of gpuinfra: by import, or as an attribute of one."""
    nodes = [node for program in programs(path) for node in ast.walk(program)]
    names = {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("gpuinfra")
        for alias in node.names
    }
    attributes = {
        (".".join(names[node.value.id]), node.attr)
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        and is_module(".".join(names[node.value.id]))
    }
    return {*names.values(), *attributes}


def is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of a name in a module that is no package
        return False


def test_benchmarks_take_what_is_there() -> None:
    names = {(path.name, *pair) for path in MODULES for pair in taken(path)}
    assert ("preview.py", "gpuinfra.engine.lifecycle", "current_status") in names
    missing = [
        f"{file}: {module}.{name}"
        for file, module, name in sorted(names)
        if not hasattr(importlib.import_module(module), name) and not is_module(f"{module}.{name}")
    ]
    assert not missing


@pytest.mark.slow
def test_benchmarks_without_an_engine_run_at_their_smallest(monkeypatch) -> None:
    for module in (choosing, fixing, linear):
        monkeypatch.setattr(module, "RUNS", 1)
    assert choosing.measure(1)[1] > 0
    assert fixing.measure(2)[2] > 0
    for where, work in linear.CASES.values():
        assert linear.measure(2, where, work)[0] > 0
