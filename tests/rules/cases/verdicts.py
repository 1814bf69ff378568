"""What a rule says of a plan, outcome and words."""

from typing import Any

from gpuinfra.model import Plan
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.program import Moment, Program


def verdicts(judged: Plan, rule: str, settings: Any = None) -> list[tuple[str, str]]:
    return [(finding.outcome, finding.message) for finding in findings(judged, rule, settings)]


def applicable(program: Program, rule: str, moment: Moment = "created") -> list[tuple[str, str]]:
    """What a rule says of a program, but for what it does not apply to."""
    found = verdicts(of_resources(program.resources(moment)), rule)
    return [row for row in found if row[0] != "not-applicable"]


def login(program: Program, moment: Moment = "created") -> list[tuple[str, str]]:
    """What the rule on openings to the internet says of a program."""
    return applicable(program, "open-login", moment)


def login_of(token: str, moment: Moment = "created", **inputs: Any) -> list[tuple[str, str]]:
    """What that rule says of one resource of AWS."""
    program = Program()
    program.add(token, "it", **inputs)
    return login(program, moment)


def login_outcomes(program: Program, moment: Moment = "created") -> list[str]:
    return [outcome for outcome, _ in login(program, moment)]


def login_faults(program: Program, moment: Moment = "created") -> list[str]:
    """The outcomes of the rule on openings to the internet, but for what is fine."""
    return [outcome for outcome in login_outcomes(program, moment) if outcome != "fine"]


def outcome_of(program: Program, rule: str, moment: Moment = "created") -> str:
    """The outcome of the one finding of a rule on a program."""
    (outcome,) = outcomes(of_resources(program.resources(moment)), rule)
    return outcome
