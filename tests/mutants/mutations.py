"""What a mutant is, and every mutant of a file."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import CodeType

from tests.mutants.changes import GUESSING, changes

SHOWN = 60
"""Characters of a change that are shown; of a longer one what differs, and some of its context."""


@dataclass(frozen=True)
class Mutant:
    """A file with one thing changed.

    Attributes:
        file: the file as it is.
        line: where the change is.
        lines: the lines of the statement around it; None where it is done as the module is loaded,
            in a function that is called then, too.
        was: what stands there.
        now: what stands there instead.
        code: the changed file, compiled.
    """

    file: Path
    line: int
    lines: range | None
    was: str
    now: str
    code: CodeType


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    text = file.read_text()
    for index, (node, lines) in enumerate(_places(ast.parse(text))):
        for change in changes(node):
            tree = ast.parse(text)
            target, _ = list(_places(tree))[index]
            before = ast.unparse(target)
            instead = change(target)
            if instead is not target:
                tree = _Swap(target, instead).visit(tree)
            was, now = _difference(before, ast.unparse(instead))
            tree.body += ast.parse(GUESSING).body
            ast.fix_missing_locations(tree)
            code = compile(tree, str(file), "exec")
            yield Mutant(file=file, line=node.lineno, lines=lines, was=was, now=now, code=code)


def unchanged(file: Path) -> Mutant:
    """A file with nothing changed."""
    code = compile(file.read_text(), str(file), "exec")
    return Mutant(file=file, line=1, lines=None, was="", now="", code=code)


def _difference(was: str, now: str) -> tuple[str, str]:
    was, now = " ".join(was.split()), " ".join(now.split())
    if max(len(was), len(now)) <= SHOWN:
        return was, now
    start = max(0, _alike(was, now) - SHOWN // 4)
    end = max(0, _alike(was[:start:-1], now[:start:-1]) - SHOWN // 4)
    before, after = "…" if start else "", "…" if end else ""
    return tuple(f"{before}{text[start : len(text) - end]}{after}" for text in (was, now))


def _alike(left: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = zip(left, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _places(tree: ast.Module) -> Iterator[tuple[ast.stmt | ast.expr, range | None]]:
    """Statements and expressions that may change, each with the lines of its statement."""
    loaded = list(_loaded(tree))
    others = [each for each in loaded if not isinstance(each, ast.FunctionDef)]
    called = {name for statement in others for name in _called(statement)}
    for statement in loaded:
        if isinstance(statement, ast.FunctionDef) and statement.name not in called:
            yield from _within(statement)
        elif not _is_docstring(statement):
            yield from ((place, None) for place, _ in _within(statement))


def _called(node: ast.AST) -> Iterator[str]:
    """The functions that are called as a statement runs: not what a lambda of it calls later."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.func.id
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Lambda):
            yield from _called(child)


def _loaded(node: ast.Module | ast.ClassDef) -> Iterator[ast.stmt]:
    """The statements that run as a module is loaded, those of its classes too."""
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            yield from _loaded(statement)
        else:
            yield statement


def _within(statement: ast.stmt) -> Iterator[tuple[ast.stmt | ast.expr, range]]:
    inner = list(_inner(statement))
    first = min((statement.lineno for statement in inner), default=statement.end_lineno + 1)
    lines = range(statement.lineno, max(first, statement.lineno + 1))
    yield statement, lines
    for expression in _expressions(statement):
        yield expression, lines
    for inner_statement in inner:
        if not _is_docstring(inner_statement):
            yield from _within(inner_statement)


def _inner(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that stand in a statement."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.match_case | ast.excepthandler):
            yield from _inner(child)


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions below a statement or expression; neither types nor decorators."""
    skipped = {"annotation", "returns", "decorator_list"}
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        skipped |= {"args", "bases", "keywords"}
    for name, value in ast.iter_fields(node):
        for item in value if isinstance(value, list) else [value]:
            if name in skipped or isinstance(item, ast.stmt) or not isinstance(item, ast.AST):
                continue
            if isinstance(item, ast.keyword) and item.arg == "strict":
                continue  # of zip: it only says what is so
            if isinstance(item, ast.expr):
                yield item
            yield from _expressions(item)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class _Swap(ast.NodeTransformer):
    """Puts another node in the place of one."""

    def __init__(self, target: ast.AST, instead: ast.AST) -> None:
        self.target, self.instead = target, instead

    def visit(self, node: ast.AST) -> ast.AST:
        return self.instead if node is self.target else super().visit(node)
