"""The account's vCPU quotas: which one applies to a machine type, and how to request more."""

import re
from functools import cache
from typing import Final, Literal

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.records import record

Market = Literal["on-demand", "spot"]

SERVICE: Final = "ec2"


@record
class Quota:
    """A vCPU quota in each region; `types` is a pattern for the start of its machine types."""

    code: str
    name: str
    market: Market
    types: str
    source: str
    as_of: str


@cache
def known_quotas() -> tuple[Quota, ...]:
    """Return every known vCPU quota."""
    return tuple(Quota(**row) for row in TABLES.rows("quotas"))


def quota(type_: str, market: Market) -> Quota | None:
    """Return the quota that a machine type draws on; None when the table has none for it."""
    for row in known_quotas():
        if row.market == market and re.match(row.types, type_):
            return row
    return None


def request(code: str, region: str, value: int, *, service: str = SERVICE) -> str:
    """Return the AWS CLI command that requests a quota of `value`, for example in vCPUs.

    https://docs.aws.amazon.com/cli/latest/reference/service-quotas/request-service-quota-increase.html
    """
    return (
        f"aws service-quotas request-service-quota-increase --service-code {service} "
        f"--quota-code {code} --desired-value {value} --region {region}"
    )
