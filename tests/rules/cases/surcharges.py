"""Systems that are paid by the hour, and the reasons why machines are not priced."""

import pytest

from gpuinfra.model import Resource
from tests.rules.cases.judging import of_resources

both = pytest.mark.parametrize("moment", ["preview", "created"])
WINDOWS = "its machines run Windows, and its licence price is unknown"
RED_HAT = "its machines run Red Hat Enterprise Linux, and its licence price is unknown"


def reasons(resources: list[Resource]) -> list[str]:
    return [row.reason for row in of_resources(resources).not_judged]
