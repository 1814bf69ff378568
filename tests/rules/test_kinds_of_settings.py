"""What each kind of setting takes: shares, whole numbers, money, words."""

from decimal import Decimal

import pytest

from gpuinfra.rules.rule import Setting
from gpuinfra.rules.settings import parse_setting, settings_by_workload
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
