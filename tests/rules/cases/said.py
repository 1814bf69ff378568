"""What a rule says of a plan, outcome and words."""

from typing import Any

from gpuinfra.model import Plan
from tests.rules.cases.judging import findings


def said(judged: Plan, rule: str, settings: Any = None) -> list[tuple[str, str]]:
    return [(one.outcome, one.message) for one in findings(judged, rule, settings)]
