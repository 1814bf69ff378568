"""A rule is judged under the settings of the pack and of each program; the strictest counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.rules import RULES, Finding
from gpuinfra.rules.policy_sources import (
    JudgeContext,
    given_of,
    sources_of,
    strictest_verdict,
)
from gpuinfra.rules.waivers import own_names
from tests.rules.cases.fabric import training
from tests.rules.cases.judging import TODAY, group, plan, quoted

SHARE = "spot-share"
JUDGED = plan(group())
RULE = tuple(rule for rule in RULES if rule.id == SHARE)


@dataclass(frozen=True)
class Program:
    """What a program says of rules: settings and levels, by rule."""

    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def asks(share: str, level: str = "mandatory") -> Program:
    return Program({SHARE: {"minimum": share}}, {SHARE: {"level": level}})


def judged(given: Mapping[str, Any], *programs: Program) -> list[Finding]:
    context = JudgeContext(
        plan=JUDGED,
        quote=quoted(JUDGED),
        waivers=(),
        today=TODAY,
        names=own_names,
    )
    sources = sources_of(RULE, given_of({SHARE: given}), programs)
    return [it for it in strictest_verdict(context, sources, RULE).findings if it.rule == SHARE]


@pytest.mark.parametrize(
    ("given", "programs", "found"),
    [
        ({"minimum": "0%"}, (), [("fine", "mandatory")]),
        ({"minimum": "50%"}, (), [("violated", "mandatory")]),
        ({"level": "disabled", "minimum": "50%"}, (), []),
        ({"level": "disabled"}, (asks("50%"),), [("violated", "mandatory")]),
        ({"level": "disabled"}, (Program(), asks("50%")), [("violated", "mandatory")]),
        ({"level": "disabled"}, (asks("50%", "disabled"),), []),
        ({"level": "advisory"}, (asks("50%", "disabled"),), [("violated", "advisory")]),
        ({"level": "advisory"}, (asks("50%"),), [("violated", "mandatory")]),
        ({"minimum": "0%"}, (asks("50%"),), [("fine", "mandatory"), ("violated", "mandatory")]),
        ({"minimum": "50%"}, (asks("0%"),), [("violated", "mandatory")]),
        ({"minimum": "0%"}, (asks("0%"),), [("fine", "mandatory")]),
        (
            {"level": "advisory", "minimum": "50%"},
            (asks("50%"), asks("50%", "advisory")),
            [("violated", "mandatory")],
        ),
    ],
)
def test_what_any_source_has_against_the_stack_counts(
    given: Mapping[str, Any], programs: tuple[Program, ...], found: list[tuple[str, str]]
) -> None:
    assert [(it.outcome, it.level) for it in judged(given, *programs)] == found


@pytest.mark.parametrize(
    ("judge_level", "program_level", "refuses"),
    [
        (None, None, False),
        ("mandatory", None, True),
        (None, "mandatory", True),
        (None, "advisory", False),
        ("advisory", "mandatory", True),
    ],
)
def test_a_stated_level_holds_for_what_a_rule_only_warns_of(
    judge_level: str | None, program_level: str | None, *, refuses: bool
) -> None:
    rules = tuple(rule for rule in RULES if rule.id == "fabric-driver")
    unsure = plan(training(driver_image=UNKNOWN))
    context = JudgeContext(
        plan=unsure, quote=quoted(unsure), waivers=(), today=TODAY, names=own_names
    )
    given = {"fabric-driver": {} if judge_level is None else {"level": judge_level}}
    program = Program({"fabric-driver": {}}, {"fabric-driver": {"level": program_level}})
    sources = sources_of(rules, given_of(given), [] if program_level is None else [program])
    verdict = strictest_verdict(context, sources, rules)
    assert verdict.ok is not refuses
