"""Systems that are paid by the hour, and the reasons why machines are not priced."""

from gpuinfra.model import Resource
from tests.rules.cases.judging import of_resources

WINDOWS = "its machines run Windows, and its licence price is unknown"
RED_HAT = "its machines run Red Hat Enterprise Linux, and its licence price is unknown"


def reasons(resources: list[Resource]) -> list[str]:
    return [row.reason for row in of_resources(resources).not_judged]
