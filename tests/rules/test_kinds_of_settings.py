"""What each kind of setting takes: shares, whole numbers, money, words."""

from decimal import Decimal

import pytest

from gpuinfra.rules import settings_problems
from gpuinfra.rules.rule import Setting
from gpuinfra.rules.settings import bare, levels_of, parse_setting, settings_by_workload
from gpuinfra.rules.waivers import own_names
from gpuinfra.units import UnitError


def setting(kind):
    return Setting(name="one", kind=kind, default=None, why="a test")


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("whole", 0, 0),
        ("whole", "0", 0),
        ("whole", 1, 1),
        ("whole", Decimal(2), 2),
        ("whole", 3.0, 3),
        ("money", 0, Decimal(0)),
        ("money", "0.5", Decimal("0.5")),
        ("money", Decimal(7), Decimal(7)),
        ("money", 12.25, Decimal("12.25")),
        ("money", "9" * 18, Decimal(10**18 - 1)),
        ("words", "owner", ("owner",)),
        ("words", ["owner", "team"], ("owner", "team")),
        ("words", ("owner",), ("owner",)),
        ("words", [], ()),
        ("share", "50%", Decimal("0.5")),
    ],
    ids=repr,
)
def test_what_a_setting_takes(kind, given, expected):
    value = parse_setting(setting(kind), given)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        ("whole", -1, "-1 is not a whole number"),
        ("whole", 1.5, "1.5 is not a whole number"),
        ("whole", "1.5", "'1.5' is not a whole number"),
        ("whole", "x", "'x' is not a whole number"),
        ("whole", True, "True is not a whole number"),
        ("whole", None, "None is not a whole number"),
        ("whole", "\u0663", "is not a whole number"),
        ("money", -1, "-1 is not an amount of money"),
        ("money", "-0.01", "'-0.01' is not an amount of money"),
        ("money", "much", "'much' is not an amount of money"),
        ("money", "NaN", "'NaN' is not an amount of money"),
        ("money", "Infinity", "'Infinity' is not an amount of money"),
        ("money", True, "True is not an amount of money"),
        ("money", "9" * 19, "'9{19}' is not an amount of money"),
        ("money", "9" * 80, "'9{59}… is not an amount of money"),
        ("words", 3, "3 is not a string"),
        ("words", None, "None is not a string"),
        ("words", {"owner": 1}, "is not a string"),
        ("words", ["owner", 3], "is not a string"),
        ("share", 60, "is not a share"),
    ],
    ids=repr,
)
def test_what_a_setting_refuses(kind, given, words):
    with pytest.raises(UnitError, match=words):
        parse_setting(setting(kind), given)


def test_a_workload_s_settings_stand_on_those_of_the_rule():
    given = {"minimum": "1%", "level": "advisory", "workloads": {"chat": {"minimum": "2%"}}}
    assert settings_by_workload(given) == {"chat": {"minimum": "2%", "level": "advisory"}}
    assert settings_by_workload({"minimum": "1%"}) == {}
    assert settings_by_workload({"minimum": "1%", "workloads": None}) == {}


@pytest.mark.parametrize("kind", ["whole", "money"])
def test_a_number_has_at_most_18_digits(kind):
    most = int("9" * 18)
    assert parse_setting(setting(kind), most) == most
    with pytest.raises(UnitError, match="is not a") as error:
        parse_setting(setting(kind), most + 1)
    assert "of at most 18 digits" in str(error.value.allowed)


@pytest.mark.parametrize(("length", "shown"), [(58, 60), (59, 61)])
def test_a_long_value_is_shortened_in_a_message(length, shown):
    with pytest.raises(UnitError) as error:
        parse_setting(setting("whole"), "x" * length)
    text = str(error.value).partition(" is not")[0]
    assert len(text) == shown
    assert text.endswith("…") == (shown == 61)


def test_levels_and_settings_are_taken_apart_for_each_workload():
    given = {"level": "advisory", "minimum": 1, "workloads": {"chat": {"level": "disabled"}}}
    assert bare(given) == {"minimum": 1, "workloads": {"chat": {}}}
    assert bare({"level": "advisory", "workloads": None}) == {}


def test_a_workload_without_a_level_has_the_rule_s():
    apart = {"workloads": {"chat": {"minimum": 2}, "docs": {"level": "disabled"}}}
    level = levels_of(apart, own_names)
    subjects = ("inference.chat", "inference.docs", "inference.other")
    assert [level(subject) for subject in subjects] == [None, "disabled", None]
    own = levels_of({**apart, "level": "mandatory"}, own_names)
    assert [own(subject) for subject in subjects] == ["mandatory", "disabled", "mandatory"]


def problems(workloads, subjects=None):
    return settings_problems({"spot-share": {"workloads": workloads}}, subjects)


def test_a_pattern_has_to_match_one_of_the_workloads():
    subjects = ("training.a", "training.b")
    assert problems({"a": {"level": "advisory"}}, subjects) == ()
    (problem,) = problems({"c": {"level": "advisory"}}, subjects)
    assert problem.message.startswith("unknown workload")
    assert problems(None, subjects) == ()


def test_workloads_have_no_workloads_of_their_own():
    (problem,) = problems({"a": {"workload": 1}})
    assert "workloads" not in problem.allowed
    (problem,) = settings_problems({"spot-share": {"workload": 1}})
    assert "workloads" in problem.allowed
