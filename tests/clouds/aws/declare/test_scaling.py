"""The expressions that a pool on a queue follows, worked out on numbers as CloudWatch does."""

import operator
import re
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.declare.scaling import ASLEEP, MESSAGES_PER_MACHINE

Minutes = Mapping[str, list[float | None]]
_OPERATORS = {
    "+": operator.add,
    "/": operator.truediv,
    ">": lambda left, other: float(left > other),
    "==": lambda left, other: float(left == other),
}
_BINDING = (("==", ">"), ("+",), ("/",))
"""The operators that the expressions use, the loosest first."""


def evaluated(expression: str, minutes: Minutes) -> list[float | None]:
    """An expression over minutes, as CloudWatch has it: without a figure there is no result.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
    """
    tokens = re.findall(r"[A-Za-z_]+|[0-9.]+|==|[-+/*><(),]", expression)
    assert "".join(tokens) == expression.replace(" ", "")
    count = len(next(iter(minutes.values())))
    value, rest = _part(tokens, 0, minutes, count)
    assert not rest
    return value


def _part(
    tokens: list[str], level: int, minutes: Minutes, count: int
) -> tuple[list[float | None], list[str]]:
    if level == len(_BINDING):
        return _operand(tokens, minutes, count)
    left, rest = _part(tokens, level + 1, minutes, count)
    while rest and rest[0] in _BINDING[level]:
        apply = _OPERATORS[rest[0]]
        right, rest = _part(rest[1:], level + 1, minutes, count)
        left = [
            None if left is None or other is None else apply(left, other)
            for left, other in zip(left, right, strict=True)
        ]
    return left, rest


def _operand(
    tokens: list[str], minutes: Minutes, count: int
) -> tuple[list[float | None], list[str]]:
    first, rest = tokens[0], tokens[1:]
    if first == "(":
        value, rest = _part(rest, 0, minutes, count)
        assert rest[0] == ")"
        return value, rest[1:]
    if first in {"IF", "FILL"}:
        arguments, rest = [], ["(", *rest[1:]]
        while rest[0] in "(,":
            value, rest = _part(rest[1:], 0, minutes, count)
            arguments.append(value)
        assert rest[0] == ")"
        function = _if if first == "IF" else _fill
        return function(*arguments), rest[1:]
    if first[0].isdigit():
        return [float(first)] * count, rest
    return list(minutes[first]), rest


def _if(
    condition: list[float | None], then: list[float | None], otherwise: list[float | None]
) -> list[float | None]:
    return [
        None if when is None else (then_value if when else other)
        for when, then_value, other in zip(condition, then, otherwise, strict=True)
    ]


def _fill(values: list[float | None], by: list[float | None]) -> list[float | None]:
    return [other if value is None else value for value, other in zip(values, by, strict=True)]


COUNTS = st.integers(0, 10_000).map(float)
SEEN = st.none() | COUNTS
ROWS = st.lists(st.tuples(SEEN, SEEN, SEEN), min_size=1, max_size=5)


@given(ROWS)
def test_each_machines_share_counts_what_is_in_work_and_guesses_nothing(
    rows: list[tuple[float | None, float | None, float | None]],
) -> None:
    visible, taken, running = (list(column) for column in zip(*rows, strict=True))
    minutes = {"visible": visible, "taken": taken, "running": running}

    for (waits, works, machines), each in zip(
        rows, evaluated(MESSAGES_PER_MACHINE, minutes), strict=True
    ):
        if waits is None or machines is None:
            assert each is None
        else:
            assert each == (waits + (works or 0)) / max(machines, 1)


@given(COUNTS, COUNTS)
def test_no_pool_shrinks_to_nothing_while_a_message_is_left(waits: float, works: float) -> None:
    minutes = {"visible": [waits], "taken": [works], "running": [1.0]}

    (each,) = evaluated(MESSAGES_PER_MACHINE, minutes)

    assert (each == 0) is (waits + works == 0)


@given(st.lists(st.tuples(SEEN, SEEN), min_size=1, max_size=5))
def test_only_a_pool_that_is_to_have_no_machine_is_woken(
    rows: list[tuple[float | None, float | None]],
) -> None:
    visible, desired = (list(column) for column in zip(*rows, strict=True))
    values = evaluated(ASLEEP, {"visible": visible, "wanted": desired})

    for (waits, machines), asleep in zip(rows, values, strict=True):
        woken = asleep is not None and asleep >= 1
        assert woken is (machines == 0 and waits is not None and waits >= 1)
