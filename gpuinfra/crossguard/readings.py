"""The settings under which the rules of a pack are judged: its own, and those of each program."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuinfra.crossguard.configuration import Given
from gpuinfra.crossguard.settings import Said, bare
from gpuinfra.rules import WAIVERS, Finding, Rule
from gpuinfra.rules.rule import Level
from gpuinfra.rules.settings import WORKLOADS, by_workload
from gpuinfra.rules.waivers import Names, pattern_of

_ORDER: tuple[Level, ...] = ("disabled", "advisory", "mandatory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one entrance says.

    Attributes:
        settings: by rule id, as `judge` takes them, and without levels: what is found is given its
            level afterwards, since a pack may lower what a stack file may not.
        only: the rules of which it speaks.
        given: what the pack says of each rule; a program may raise a level and never lower it.
        levels: by rule id, a program's levels; empty for the pack's own reading.
    """

    settings: Mapping[str, Mapping[str, Any]]
    only: frozenset[str]
    given: Mapping[str, Given]
    levels: Mapping[str, Mapping[str, Any]]

    def level(self, finding: Finding, names: Names) -> Level:
        """The level of what a rule says in this reading."""
        pack = _level(self.given[finding.rule].written, finding, names, "mandatory")
        own = _level(self.levels.get(finding.rule, {}), finding, names, pack)
        return max(pack, own, key=_ORDER.index)


def readings(
    rules: Sequence[Rule], given: Mapping[str, Given], programs: Iterable[Said]
) -> tuple[Reading, ...]:
    """The readings of rules: what the pack says, its defaults where nobody speaks, each program.

    Rule settings are not merged, since only the rule knows which value is the stricter: it is
    judged under each.
    """
    programs = tuple(programs)
    asked = [
        rule.id
        for rule in rules
        if _runs(given[rule.id].written) or any(_runs(one.levels.get(rule.id)) for one in programs)
    ]
    spoken = {rule for program in programs for rule in program.rules}
    own = frozenset(one for one in asked if _speaks(given[one]) or one not in spoken)
    days = _most_days(given, programs)
    first = Reading(
        settings={**_settings(rules, {one: given[one].settings for one in own}), **days},
        only=own,
        given=given,
        levels={},
    )
    others = (_of_program(rules, asked, program, given, days) for program in programs)
    return (first, *(one for one in others if one.only))


def _of_program(
    rules: Sequence[Rule],
    asked: Sequence[str],
    program: Said,
    given: Mapping[str, Given],
    days: Mapping[str, Any],
) -> Reading:
    said = {one: program.rules[one] for one in asked if one in program.rules}
    return Reading(
        settings={**_settings(rules, said), **days},
        only=frozenset(said),
        given=given,
        levels=program.levels,
    )


def _settings(
    rules: Sequence[Rule], said: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """What `judge` is given of rules: settings without levels, and no more than it needs."""
    found = {rule.id: bare(said[rule.id]) for rule in rules if said.get(rule.id)}
    asleep = {rule.id for rule in rules if rule.id in said and rule.level == "disabled"}
    return found | {one: {**found.get(one, {}), "level": "mandatory"} for one in asleep}


def _speaks(given: Given) -> bool:
    """Whether the pack gives a setting; a level alone is none."""
    apart = given.settings.get(WORKLOADS) or {}
    named = {name for one in (given.settings, *apart.values()) for name in one}
    return bool(named - {"level", WORKLOADS})


def _runs(said: Mapping[str, Any] | None) -> bool:
    """Whether somebody wants a rule to run on anything."""
    apart = by_workload(said or {}).values()
    return any(one.get("level", "disabled") != "disabled" for one in (said or {}, *apart))


def _level(said: Mapping[str, Any], finding: Finding, names: Names, otherwise: Level) -> Level:
    apart = by_workload(said)
    pattern = pattern_of(finding.subject, apart, names)
    level: Level = (said if pattern is None else apart[pattern]).get("level") or otherwise
    return level


def _most_days(given: Mapping[str, Given], programs: Sequence[Said]) -> dict[str, Any]:
    """How far ahead a waiver may end: the least that anybody says."""
    spoken = (given[WAIVERS.id].settings, *(one.rules.get(WAIVERS.id, {}) for one in programs))
    said = [int(one["most_days"]) for one in spoken if one.get("most_days") is not None]
    return {WAIVERS.id: {"most_days": min(said)}} if said else {}
