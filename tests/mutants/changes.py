"""What may be changed in a rule: conditions, limits, outcomes and early ends, one at a time."""

import ast
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

Change = Callable[[Any], ast.AST]
"""Changes a node of a tree of its own; gives the node, or another to stand in its place."""

FLIPPED: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.GtE, ast.LtE),
    ast.LtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
"""The opposite of a comparison, and for an order also its limit moved by the least."""

SWAPPED: Mapping[str, str] = {
    "fine": "violated",
    "violated": "fine",
    "not_knowable": "fine",
    "not_applicable": "violated",
    "any": "all",
    "all": "any",
    "min": "max",
    "max": "min",
}
"""Functions by name, and what is called instead."""

ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}

GUESSING = """
def turned(fact):
    if isinstance(fact, tuple):
        return () if fact else ("a fault",)
    return not fact if isinstance(fact, bool) else fact

def trusted(fact):
    return True if type(fact).__name__ == "Unknown" else fact

def faultless(faults):
    return () if type(faults).__name__ == "Unknown" else faults
"""
"""What a mutant makes of a fact, or of faults, of which a rule only says where they are read."""


def changes(node: ast.stmt | ast.expr) -> Iterator[Change]:
    """All that may be changed in one statement or expression, not in what it holds."""
    for kind, changes_of in _CHANGES.items():
        if isinstance(node, kind):
            yield from changes_of(node)


def _is_bare(node: ast.expr) -> bool:
    """Whether nothing else flips it."""
    is_negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    others = (ast.Compare, ast.BoolOp, ast.Constant, ast.JoinedStr, ast.List, ast.Tuple)
    return not (is_negated or isinstance(node, others))


def _negated(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=node)


def _dropped(_: ast.stmt) -> Iterator[Change]:
    """Never reach it: without it the function might know less of its surroundings."""
    yield lambda clone: ast.If(test=ast.Constant(value=False), body=[clone], orelse=[])


def _returns(node: ast.Return) -> Iterator[Change]:
    if node.value is None:
        yield from _dropped(node)


def _does(node: ast.Expr) -> Iterator[Change]:
    if isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield from _dropped(node)


def _tests(node: ast.If | ast.IfExp | ast.While) -> Iterator[Change]:
    def change(clone: ast.If) -> ast.AST:
        clone.test = _negated(clone.test)
        return clone

    if _is_bare(node.test):
        yield change


def _compares(node: ast.Compare) -> Iterator[Change]:
    def operator(index: int, other: type[ast.cmpop]) -> Change:
        def change(clone: ast.Compare) -> ast.AST:
            clone.ops[index] = other()
            return clone

        return change

    def without(index: int, at: int) -> Change:
        def change(clone: ast.Compare) -> ast.AST:
            named = clone.comparators[index]
            assert isinstance(named, ast.Set | ast.Tuple)
            del named.elts[at]
            return clone

        return change

    for index, operator_ in enumerate(node.ops):
        yield from (operator(index, other) for other in FLIPPED[type(operator_)])
        named = node.comparators[index]
        if isinstance(named, ast.Set | ast.Tuple) and len(named.elts) > 1:
            yield from (without(index, at) for at in range(len(named.elts)))


def _joins(node: ast.BoolOp) -> Iterator[Change]:
    def other(clone: ast.BoolOp) -> ast.AST:
        clone.op = ast.And() if isinstance(clone.op, ast.Or) else ast.Or()
        return clone

    def operand(index: int) -> Change:
        def change(clone: ast.BoolOp) -> ast.AST:
            clone.values[index] = _negated(clone.values[index])
            return clone

        return change

    yield other
    yield from (operand(index) for index, operand_ in enumerate(node.values) if _is_bare(operand_))


def _turns(node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, ast.Not):
        yield lambda clone: clone.operand


def _filters(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> Iterator[Change]:
    def negated(loop: int, index: int) -> Change:
        def change(clone: ast.ListComp) -> ast.AST:
            tests = clone.generators[loop].ifs
            tests[index] = _negated(tests[index])
            return clone

        return change

    for loop, loop_ in enumerate(node.generators):
        yield from (negated(loop, index) for index, test in enumerate(loop_.ifs) if _is_bare(test))


def _reckons(node: ast.BinOp) -> Iterator[Change]:
    def change(clone: ast.BinOp) -> ast.AST:
        clone.op = ARITHMETIC[type(clone.op)]()
        return clone

    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    sides = (node.left, node.right)
    is_text = any(isinstance(side, texts) or _is_word(side) for side in sides)
    if type(node.op) in ARITHMETIC and not is_text:
        yield change


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _holds(node: ast.Constant) -> Iterator[Change]:
    def change(clone: ast.Constant) -> ast.AST:
        value = clone.value
        clone.value = (not value) if isinstance(value, bool) else value + 1
        return clone

    if type(node.value) in {bool, int}:
        yield change


def _calls(node: ast.Call) -> Iterator[Change]:
    if not isinstance(node.func, ast.Name):
        return
    name = node.func.id
    guess = "faultless" if "fault" in name else "trusted"
    for index, given in enumerate(node.args):
        is_fact = name == "fact" and index == 1 and isinstance(given, ast.Attribute | ast.Call)
        if is_fact or (isinstance(given, ast.Lambda) and _reads(given.body)):
            yield from (_wraps(index, wrapper) for wrapper in ("turned", guess))
    if name in SWAPPED:
        yield _calls_another
    elif name == "Rule":
        yield _of_another_level
    elif name == "Decimal" and _is_number(node.args[0]):
        yield _one_more


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and _is_word(node) and Decimal(node.value).is_finite()


def _reads(body: ast.expr) -> bool:
    """Whether a lambda says nothing but where a fact stands."""
    is_turned = isinstance(body, ast.Call) and ast.unparse(body.func) == "opposite"
    return is_turned or isinstance(body, ast.Attribute)


def _wraps(index: int, function: str) -> Change:
    def change(clone: ast.Call) -> ast.AST:
        given = clone.args[index]
        inner = given.body if isinstance(given, ast.Lambda) else given
        read = ast.Call(func=ast.Name(function, ast.Load()), args=[inner], keywords=[])
        if isinstance(given, ast.Lambda):
            given.body = read
        else:
            clone.args[index] = read
        return clone

    return change


def _calls_another(clone: ast.Call) -> ast.AST:
    assert isinstance(clone.func, ast.Name)
    clone.func.id = SWAPPED[clone.func.id]
    if clone.func.id in {"fine", "not_applicable"}:
        clone.keywords = []
    return clone


def _of_another_level(clone: ast.Call) -> ast.AST:
    levels = [keyword for keyword in clone.keywords if keyword.arg == "level"]
    clone.keywords = [keyword for keyword in clone.keywords if keyword.arg != "level"]
    if not levels:
        clone.keywords.append(ast.keyword(arg="level", value=ast.Constant("advisory")))
    return clone


def _one_more(clone: ast.Call) -> ast.AST:
    number = clone.args[0]
    assert isinstance(number, ast.Constant)
    clone.args[0] = ast.Constant(str(Decimal(number.value) + 1))
    return clone


_CHANGES: Mapping[Any, Callable[[Any], Iterator[Change]]] = {
    ast.Return: _returns,
    ast.Expr: _does,
    ast.Continue: _dropped,
    ast.Break: _dropped,
    (ast.If, ast.IfExp, ast.While): _tests,
    ast.Compare: _compares,
    ast.BoolOp: _joins,
    ast.UnaryOp: _turns,
    (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp): _filters,
    ast.BinOp: _reckons,
    ast.Constant: _holds,
    ast.Call: _calls,
}
