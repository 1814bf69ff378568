"""The account's quotas of vCPUs: which one a machine draws on, and how to ask for more."""

import re
from functools import cache
from typing import Final, Literal

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.records import record

Market = Literal["on-demand", "spot"]

SERVICE: Final = "ec2"


@record
class Quota:
    """A quota of vCPUs in each region; `types` is how the machine types begin that it is of."""

    code: str
    name: str
    market: Market
    types: str
    source: str
    as_of: str


@cache
def known_quotas() -> tuple[Quota, ...]:
    """Every quota of vCPUs that is known."""
    return tuple(Quota(**row) for row in TABLES.rows("quotas"))


def quota(type_: str, market: Market) -> Quota | None:
    """The quota that a machine type draws on; None when the table has none for it."""
    for row in known_quotas():
        if row.market == market and re.match(row.types, type_):
            return row
    return None


def request(code: str, region: str, value: int, *, service: str = SERVICE) -> str:
    """The command that asks AWS for a quota of so much, for example vCPUs.

    https://docs.aws.amazon.com/cli/latest/reference/service-quotas/request-service-quota-increase.html
    """
    return (
        f"aws service-quotas request-service-quota-increase --service-code {service} "
        f"--quota-code {code} --desired-value {value} --region {region}"
    )
