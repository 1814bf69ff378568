from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import lock
from gpuinfra.errors import InputError, Problem
from gpuinfra.lock import text
from tests.lock.conftest import Stack, locked, made
from tests.lock.forging import forge, set_price


def problems(path: Path, change: Callable[[dict[str, Any]], object]) -> tuple[Problem, ...]:
    locked(path)
    forge(lock.lock_path(path), change)
    with pytest.raises(InputError) as caught:
        lock.read_lock(lock.lock_path(path))
    return caught.value.problems


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"per_unit": "-50"}, "is not above zero"),
        ({"per_unit": "0"}, "is not above zero"),
        ({"maximum": "-1"}, "is not above zero"),
        ({"tiers": [["0", "1"]]}, "is not above zero"),
        ({"per_unit": "1e999999"}, "is out of range"),
        ({"per_unit": "1e-999999"}, "is out of range"),
        ({"per_unit": "1e19"}, "is out of range"),
        ({"mode": "gift"}, "has a purchase option that its cloud doesn't offer"),
        ({"cloud": "lambda"}, "is of lambda, which gpuinfra does not support"),
        ({"currency": "CNY"}, "is not in USD, or has no unit or no source"),
        ({"source": ""}, "is not in USD, or has no unit or no source"),
        ({"origin": "user"}, "is marked as yours, and no prices.yaml was locked"),
    ],
)
def test_a_price_that_no_lock_is_written_with_is_refused(
    stack: Stack, values: dict[str, Any], why: str
) -> None:
    told = problems(stack(), set_price("g6.8xlarge", **values))

    assert all(problem.message.startswith("the price of g6.8xlarge (") for problem in told)
    assert all(problem.message.endswith(why) for problem in told)
    assert all(problem.position and "--update" in problem.fix for problem in told)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_no_amount(stack: Stack, value: str) -> None:
    (problem,) = problems(stack(), set_price("g6.8xlarge", per_unit=value))

    assert "per_unit" in problem.message


def test_a_service_of_the_tables_may_be_free(stack: Stack) -> None:
    path = stack()
    locked(path)
    forge(lock.lock_path(path), set_price("ebs-gp3-storage", per_unit="0"))

    lock.read_lock(lock.lock_path(path))


def test_an_amount_beside_the_prices_is_bounded_too(stack: Stack) -> None:
    def change(content: dict[str, Any]) -> None:
        content["totals"]["per_hour"]["ceiling"] = "1e999999"

    (problem,) = problems(stack(), change)

    assert problem.message == "the lock has an amount that is out of range"


def test_the_row_is_shown_where_it_stands_as_it_was_written(stack: Stack) -> None:
    path = stack()
    locked(path)
    place = lock.lock_path(path)
    forge(place, set_price("g6.8xlarge", per_unit="0"))
    content = text._parse_json(place.read_text(), "x")
    head = {"schema": content.pop("schema"), "digest": content.pop("digest")}
    place.write_text(text._json_layout({**head, **content}))

    with pytest.raises(InputError) as caught:
        lock.read_lock(place)

    (problem, *_) = caught.value.problems
    assert problem.position is not None
    assert "g6.8xlarge" in problem.position.text
    assert problem.position.line > 1


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('{"schema": ' + "1" * 6000 + "}", "a number in it is too long"),
        (
            '{"schema": 1, "digest": "x", "a": "\\ud800"}',
            "the lock contains half of a surrogate pair",
        ),
    ],
    ids=["a number of 6,000 digits", "the lock contains half of a surrogate pair"],
)
def test_what_python_cannot_read_is_told_in_words(written: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        text.read(written, "gpuinfra.lock")

    assert why in caught.value.problems[0].message


def test_a_text_that_ends_inside_a_string_is_cut_off(stack: Stack) -> None:
    written = text.write(made(stack()))
    at = written.index("g6.8xlarge") + 3

    with pytest.raises(InputError) as caught:
        text.read(written[:at], "here/gpuinfra.lock")

    (problem,) = caught.value.problems
    assert problem.message == "the lock is truncated: it ends here"
    assert problem.fix == "write it again: gpuinfra lock here --update"
