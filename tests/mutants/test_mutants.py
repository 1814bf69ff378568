"""The mutants themselves: what is changed, who notices, and what nobody notices."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.__main__ import FILES
from tests.mutants.accepted import ACCEPTED, reason
from tests.mutants.mutations import mutants_of

ROOT = Path(__file__).parents[2]


def changes(folder: Path, text: str) -> set[tuple[str, str]]:
    file = folder / "subject.py"
    file.write_text(text)
    return {(mutant.was, mutant.now) for mutant in mutants_of(file)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", {("a < b", "a >= b"), ("a < b", "a <= b")}),
        ("a is None", {("a is None", "a is not None")}),
        ("a and 1", {("a and 1", "a or 1"), ("a and 1", "not a and 1"), ("1", "2")}),
        ("not a", {("not a", "a")}),
        ("b if a else c", {("b if a else c", "b if not a else c")}),
        ("[a for a in b if a]", {("[a for a in b if a]", "[a for a in b if not a]")}),
        ("any(a)", {("any(a)", "all(a)")}),
        ("violated(a, fix=b)", {("violated(a, fix=b)", "fine(a)")}),
        ("a * 2", {("a * 2", "a / 2"), ("2", "3")}),
        ("f(strict=True, alone=True)", {("True", "False")}),
        ("a in {'x', 'y'}", {
            ("a in {'x', 'y'}", "a not in {'x', 'y'}"),
            ("a in {'x', 'y'}", "a in {'x'}"),
            ("a in {'x', 'y'}", "a in {'y'}"),
        }),
        ("of(lambda a: a.b)", {
            ("of(lambda a: a.b)", "of(lambda a: turned(a.b))"),
            ("of(lambda a: a.b)", "of(lambda a: trusted(a.b))"),
        }),
        ("fact(a.b, a.c, d)", {
            ("fact(a.b, a.c, d)", "fact(a.b, turned(a.c), d)"),
            ("fact(a.b, a.c, d)", "fact(a.b, trusted(a.c), d)"),
        }),
        ("fact(a.b, c(a), d(e))", {
            ("fact(a.b, c(a), d(e))", "fact(a.b, turned(c(a)), d(e))"),
            ("fact(a.b, c(a), d(e))", "fact(a.b, trusted(c(a)), d(e))"),
        }),
        ("f'{a} of {b:,}' + 'x'", set()),
    ],
)  # fmt: skip
def test_each_condition_is_changed_one_at_a_time(tmp_path, text, expected):
    assert changes(tmp_path, f"x = {text}") == expected


def test_what_ends_early_goes_on(tmp_path):
    pairs = changes(
        tmp_path, "def f(a):\n  for one in a:\n    if one:\n      yield one\n      return\n"
    )
    assert ("yield one", "if False: yield one") in pairs
    assert ("return", "if False: return") in pairs
    assert any(now.startswith("if not one") for _, now in pairs)


def test_types_and_docstrings_are_no_conditions(tmp_path):
    text = (
        '@frozen(slots=True)\nclass A:\n  """1 < 2."""\n  a: b[1]\ndef f(a: x[1] = 1) -> b[2]: ...'
    )
    assert changes(tmp_path, text) == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_accepted_is_still_there(name):
    files = [file for file in FILES if file.stem == name]
    made = [reason(mutant) for file in files for mutant in mutants_of(file)]
    assert len([why for why in made if why]) == len(ACCEPTED[name])
    assert not all(made)


SUBJECT = """
from dataclasses import dataclass, field
from collections.abc import Callable
from functools import cache
from gpuinfra.records import record

@dataclass(frozen=True)
class Rule:
    check: Callable
    alone: bool = False

def check(number):
    return number > 3 and endless(number)

def endless(number):
    while number < 3:
        number += 1
    return number

def unseen(number):
    return number == 1

def rule(number):
    return Rule(
        check=lambda given: given > number,
        alone=not False,
    )

def at_least(limit):
    return lambda number: number >= limit

def limited(limit):
    def check_limit(number):
        return limit(number) > 5

    return check_limit

RULE = Rule(check=check, alone=True)
MADE = rule(3)
LIMITED = Rule(check=limited(lambda number: number + 2))
@cache
def doubled(number):
    return number * 2

def positive(number):
    return number >= 0

TABLE = {"large": (lambda number: number > 100, lambda number: number > 200)}

def among(limit):
    return lambda number: number in (limit, 9)

@dataclass(frozen=True)
class Counted:
    number: int = 40
    name: str = ""
    parts: list = field(default_factory=list)

@record
class Kept:
    number: int
"""
TESTS = """
import gc
from time import process_time

import pytest
from subject import LIMITED, MADE, RULE, TABLE, Counted, Kept
from subject import among, at_least, check, doubled, positive

LARGE = at_least(7)
NINE = among(8)
FIRST, SECOND = TABLE["large"]
gc.freeze()

def test_a_large_number():
    assert check(5)

def test_a_small_number():
    assert not RULE.check(1)

def test_another():
    assert RULE.alone

def test_a_table_of_rules():
    assert MADE.alone

def test_what_was_made_before():
    assert LARGE(7)

def test_what_a_rule_was_made_of():
    assert LIMITED.check(4)

def test_what_stands_in_a_table():
    assert FIRST(101)
    assert not SECOND(200)

def test_what_knows_its_surroundings():
    assert NINE(8)

@pytest.mark.parametrize("number", [1, 2, 3])
def test_that_takes_a_while(number):
    end = process_time() + 0.3
    while process_time() < end:
        assert positive(number)

def test_that_fills_a_cache():
    doubled(3)

def test_that_is_answered_from_a_cache():
    assert doubled(3) == 6

def test_a_default():
    assert Counted(name="a").number == 40
    assert Counted().parts == []
    assert [Kept(number=number).number for number in range(9)] == list(range(9))

def test_that_fails_as_it_is():
    assert not check(4)
"""
OTHERS = """
import pytest

@pytest.mark.parametrize("number", range(30))
def test_of_something_else(number): ...
"""
RUN = """
import json, sys
from pathlib import Path
from tests.mutants import trials
from tests.mutants.mutations import mutants_of
trials.LONGEST = 0.6
trials.MOST = 20
found = trials.tried(list(mutants_of(Path(sys.argv[1]))), ["-c", *sys.argv[2:]])
done = [
    (one.mutant.was, one.mutant.now, one.killed, one.tests, one.applied) for one in found.done
]
print(json.dumps([done, found.failing]))
"""


@pytest.mark.slow
def test_who_is_killed_and_who_survives(tmp_path):
    (tmp_path / "subject.py").write_text(SUBJECT)
    (tmp_path / "test_subject.py").write_text(TESTS)
    (tmp_path / "test_others.py").write_text(OTHERS)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {tmp_path}\n")
    names = ("subject.py", "pytest.ini", "test_others.py", "test_subject.py")
    files = [str(tmp_path / name) for name in names]
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *files], capture_output=True, text=True, check=True, cwd=ROOT
    )
    done, failing = json.loads(ran.stdout.splitlines()[-1])
    fared = {(was, now): (killed, tests) for was, now, killed, tests, _ in done}
    untried = {now for _, now, _, _, applied in done if not applied}
    assert failing == ["test_subject.py::test_that_fails_as_it_is"]
    assert fared["number > 3", "number <= 3"] == (True, 2)
    assert fared["number > 3", "number >= 3"] == (False, 2), "nobody asks about 3"
    assert fared["number > 3 and endless(number)", "number > 3 or endless(number)"][0]
    assert fared["number == 1", "number != 1"] == (False, 0), "nobody runs it"
    assert fared["number < 3", "number >= 3"][0], "it never ends"
    assert fared["number >= 0", "number > 0"] == (False, 3), "long tests, of which each ends"
    assert fared["number >= limit", "number > limit"][0], "it was made before"
    assert fared["number + 2", "number - 2"][0], "a rule holds it as part of its check"
    assert fared["True", "False"][0], "a rule that others hold by its name changes inside"
    assert fared["number > 100", "number <= 100"][0], "it stands in a table"
    assert fared["number > 200", "number >= 200"][0], "it stands beside another"
    assert fared["number * 2", "number / 2"] == (True, 2), "its line runs once for both"
    assert fared["not False", "False"][0], "no test runs its function, but one reads its result"
    assert fared["40", "41"][0], "a default of a dataclass that was made before"
    assert untried == {"number in (9,)"}, "without its limit it is another function"
