"""Parsing while garbage waits whose end parses too."""

import ast
import gc
from typing import Final

import pytest

from tests.parsing import parsed

SOURCE: Final = "\n".join(
    f"def f{number}(x): return [x, {{'a': x}}, f(x)]" for number in range(300)
)
ROUNDS: Final = 20


class Parses:
    """What parses when a collection ends it, as a traceback does."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        ast.parse("a + b")


def test_what_is_collected_does_not_break_a_parse() -> None:
    for _ in range(ROUNDS):
        Parses()
        assert len(parsed(SOURCE).body) == SOURCE.count("\n") + 1


@pytest.mark.parametrize("collects", [True, False])
def test_collecting_goes_on_as_before(*, collects: bool) -> None:
    (gc.enable if collects else gc.disable)()
    try:
        parsed("a")
        with pytest.raises(SyntaxError):
            parsed("a b")

        assert gc.isenabled() == collects
    finally:
        gc.enable()
