"""No module imports itself through others, be it in a function or for types alone."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import gpuinfra
from tests.parsing import parsed

PACKAGE = Path(gpuinfra.__file__).parent


def named(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {named(path): path for path in PACKAGE.rglob("*.py")}


def imports(tree: ast.AST, modules: set[str]) -> Iterator[str]:
    """The modules that a module names in its imports, wherever they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield from {inner if inner in modules else node.module} & modules
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & modules


def cycle(sources: dict[str, str]) -> list[str]:
    """The modules of a cycle, in the order of their imports; empty where there is none."""
    graph = {name: {*imports(parsed(text), {*sources})} - {name} for name, text in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [*reversed(error.args[1])]
    return []


def test_no_module_imports_itself_through_others() -> None:
    assert cycle({name: path.read_text("utf-8") for name, path in FILES.items()}) == []


@pytest.mark.parametrize(
    "text",
    [
        "from a import b",
        "def late():\n    from a.b import thing",
        "if TYPE_CHECKING:\n    import a.b",
    ],
)
def test_a_cycle_is_seen_wherever_the_import_stands(text: str) -> None:
    there = {"a": "", "a.b": "from a.c import x", "a.c": ""}

    assert cycle(there) == []
    assert set(cycle({**there, "a.c": text})) == {"a.b", "a.c"}
