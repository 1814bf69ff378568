"""Parses Python source, whatever the tests before left behind."""

import ast
import gc


def parsed(source: str, feature_version: tuple[int, int] | None = None) -> ast.Module:
    """The syntax tree of a source, with nothing collected while it is made.

    What a collection ends may run code, such as an outcome of Pulumi's that was never awaited; the
    traceback that shows its failure parses the line of it, and in CPython 3.11.7 a parse within a
    parse makes a SystemError of the outer one: https://github.com/python/cpython/issues/106905
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source, feature_version=feature_version)
    finally:
        if collects:
            gc.enable()
