"""`usage`: the metered usage of a stack in a month."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Form
from gpuinfra.units import gigabytes

_COUNT_KEYS: Final = frozenset({"requests", "custom_metrics"})
"""The words of `usage` that are no data."""


class Usage(Form):
    """The monthly usage of the stack, for the quote; unset items show only their rate."""

    data_out: v.Size | None = Field(
        default=None, description="Data to the internet per month, for example 2TB."
    )
    between_zones: v.Size | None = Field(default=None, description="Data between zones per month.")
    between_regions: v.Size | None = Field(
        default=None, description="Data between regions per month."
    )
    nat_data: v.Size | None = Field(
        default=None, description="Data through NAT gateways per month, both directions."
    )
    logs: v.Size | None = Field(default=None, description="Logs per month, for example 50GB.")
    balancer_data: v.Size | None = Field(
        default=None, description="Data through load balancers per month, both directions."
    )
    requests: v.Tally | None = Field(
        default=None, description="Requests to load balancers per month, for example 50M."
    )
    custom_metrics: v.Tally | None = Field(
        default=None, description="Metrics of your own that machines send, for example 40."
    )

    @property
    def amounts(self) -> Mapping[str, Decimal]:
        """The stated amounts by key: data in GB of 10^9 bytes, the rest as counts."""
        known_amounts = {
            usage_key: value for usage_key, value in dict(self).items() if value is not None
        }
        return {
            usage_key: Decimal(value) if usage_key in _COUNT_KEYS else gigabytes(value)
            for usage_key, value in known_amounts.items()
        }
