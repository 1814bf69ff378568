"""`budget` and `prices`: the caps of a stack, and the maximum age of its prices."""

from typing import Annotated

from pydantic import Field

from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Form, ListRule
from gpuinfra.specs.operations import Mails

TypeTokens = Annotated[tuple[v.TypeToken, ...], ListRule("not_counted: [aws:ec2/eip:Eip]")]


class Budget(Form):
    """The spending caps of the stack in US dollars, and the addresses to notify."""

    per_hour: v.Money | None = Field(
        default=None, description="Maximum cost per hour of everything that may run at once."
    )
    per_run: v.Money | None = Field(
        default=None,
        description="Maximum cost of the machines and disks of each training run; requires a "
        "duration.",
    )
    per_month: v.Money | None = Field(
        default=None, description="Maximum cost of a month of 730 hours."
    )
    covers: v.Covers = Field(
        default="machines",
        description="Resources without a known price that make a cap fail. `machines`: those that "
        "may start machines; the others are listed. `everything`: all resource types.",
    )
    notify: Mails = Field(default=(), description="Recipients of the cloud budget's mails.")
    on_breach: v.Breach = Field(
        default="alert",
        description="At the monthly cap: alert sends mails, stop deletes all machines and keeps "
        "data.",
    )
    billing_account: v.BillingAccount | None = Field(
        default=None,
        description="Google Cloud billing account for the monthly budget; without it no budget is "
        "created.",
    )


class Prices(Form):
    """The maximum age of a price, and the treatment of unknown prices."""

    accept_outdated: v.Flag = Field(
        default=False,
        description="Accept outdated list prices even if current prices may exceed a cap.",
    )
    outdated_after_days: v.Days = Field(
        default=OUTDATED_AFTER_DAYS, description="Days until a list price is outdated."
    )
    bound_unknown: v.Flag = Field(
        default=False,
        description="Count a service whose price is unknown in a region at 1.5 times its highest "
        "known price in the cloud.",
    )
    not_counted: TypeTokens = Field(
        default=(),
        description="Resource types without a price that the caps ignore, or all of a service: "
        "aws:rds/*.",
    )
    exchange_rates: dict[v.Foreign, v.ExchangeRate] = Field(
        default={},
        description="US dollars per unit of another price currency, for example CNY.",
    )
