"""What a rule says of a plan, outcome and words."""

from typing import Any

from gpuinfra.model import Plan
from tests.rules.cases.judging import findings


def verdicts(judged: Plan, rule: str, settings: Any = None) -> list[tuple[str, str]]:
    return [(finding.outcome, finding.message) for finding in findings(judged, rule, settings)]
