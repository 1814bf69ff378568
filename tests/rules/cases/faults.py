"""One change to a good case, whichever cloud it is of, and the plan that comes of it."""

from collections.abc import Callable
from typing import Any

from gpuinfra.model import Plan
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Moment


def changed(part: str, **inputs: Any) -> Callable[[Any], None]:
    return lambda case: case.program.change(getattr(case, part), **inputs)


def seen(case: Any, moment: Moment = "created") -> Plan:
    return of_resources(case.program.resources(moment))
