"""The grammar of a `prices.yaml`."""

from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.fields import text
from gpuinfra.specs.forms import Form, ListRule, RequiredKeyForm, RequiredKeys
from gpuinfra.specs.numbers import measure, whole_number_reader
from gpuinfra.specs.schema.capacity import Regions
from gpuinfra.units import parse_share

ON_DEMAND: Final = "on-demand"
SERVICES: Final = "services"
"""The word of a discount for what is no machine."""

Cloud = Annotated[str, text(r"[a-z][a-z0-9-]*", "a cloud, for example aws", longest=32)]
Mode = Annotated[
    str,
    text(r"[a-z0-9]+(?:-[a-z0-9]+)*", "a purchase option, for example on-demand or reserved-1y"),
]
ServiceItem = Annotated[
    str, text(r"[a-z0-9][a-z0-9._-]*", "a service's key, for example nat-gateway-hour")
]
Gpus = Annotated[
    str,
    text(
        r"[A-Za-z][A-Za-z0-9._-]*:[1-9][0-9]{0,2}", "a GPU and its count, for example V100-32GB:8"
    ),
]
Off = Annotated[
    Decimal,
    measure(
        parse_share,
        r"[0-9]{1,2}(?:\.[0-9]{1,6})? ?%",
        "a share below 100%, for example 12%",
        done=Decimal,
    ),
]
Covered = Annotated[int, whole_number_reader(1, 100_000)]

Machines = Annotated[
    tuple[v.Instance, ...], ListRule("machines: [p5.48xlarge]", empty=False, repeated=False)
]
Modes = Annotated[tuple[Mode, ...], ListRule("modes: [on-demand]", empty=False, repeated=False)]


class UserPrice(Form):
    """The common fields of user prices."""

    currency: v.Currency | None = Field(
        default=None, description="Another currency than the file's, for example CNY."
    )
    until: v.Day | None = Field(
        default=None,
        description="The last day on which it applies; after it a note reports the end.",
    )
    note: v.Sentence | None = Field(
        default=None, description="A remark, for example: a private offer."
    )


class Tier(Form):
    """A later price of a machine that runs on."""

    after: v.Duration = Field(
        description="Continuous use after which it applies, for example 720h."
    )
    per_hour: v.Cost = Field(description="Price per hour from then on.")


Tiers = Annotated[
    tuple[Tier, ...], ListRule("tiers: [{after: 720h, per_hour: 2.38}]", empty=False)
]


class MachinePrice(UserPrice, RequiredKeyForm):
    """A user price of a machine in a region.

    A machine that was paid for beforehand (a reservation) counts at an effective rate: what was
    paid, over its term, used or not. A cloud applies a matching reservation by itself, so that
    the machines of an on-demand rung are the reserved ones: the row then keeps the mode
    on-demand and states the origin of the price in `basis`. `covers` says for how many
    machines; a stack that may hold more of them is refused.
    """

    needs = RequiredKeys(
        keys=("per_hour", "paid"),
        lacks="no price",
        fix="write per_hour: 1.38, or paid: 12088.80 and term: 365d",
    )

    cloud: Cloud = Field(description="The cloud, for example aws.")
    machine: v.Instance = Field(description="A machine type, for example p5.48xlarge.")
    region: v.Region = Field(description="A region, for example us-east-1.")
    mode: Mode = Field(
        default=ON_DEMAND, description="Purchase option: on-demand, spot, reserved-1y …"
    )
    per_hour: v.Cost | None = Field(default=None, description="Price per machine-hour.")
    paid: v.Cost | None = Field(
        default=None,
        description="Upfront price of one machine for its term; with or without per_hour. A month "
        "counts all of its 730 hours, used or not.",
    )
    term: v.Duration | None = Field(
        default=None, description="Term of the upfront price, for example 365d."
    )
    basis: Mode | None = Field(
        default=None, description="The commitment behind an on-demand price: reserved-1y …"
    )
    covers: Covered | None = Field(
        default=None, description="Number of machines that it covers; unlimited when absent."
    )
    tiers: Tiers = Field(default=(), description="Lower prices after hours of continuous use.")


class ServicePrice(UserPrice):
    """A user price of a service."""

    cloud: Cloud = Field(description="The cloud, for example aws.")
    item: ServiceItem = Field(description="A service's key, for example nat-gateway-hour.")
    region: v.Region = Field(description="A region, for example us-east-1.")
    per_unit: v.Cost = Field(description="Price per unit; the unit is the list price's.")


_DISCOUNT_WORDS: Final = {"percent": "off", "discount": "off", "share": "off"}


class Discount(Form):
    """A share off the list prices of a cloud; of several that fit, the first counts."""

    key_synonyms = _DISCOUNT_WORDS

    cloud: Cloud = Field(description="The cloud, for example aws.")
    off: Off = Field(description="The discount, for example 12%.")
    machines: Machines | None = Field(default=None, description="Only of these machine types.")
    regions: Regions | None = Field(default=None, description="Only in these regions.")
    modes: Modes = Field(
        default=(ON_DEMAND,), description="on-demand, reserved-1y …, or services; on-demand."
    )
    until: v.Day | None = Field(default=None, description="The last day on which it applies.")
    note: v.Sentence | None = Field(default=None, description="A remark: an agreement's name.")


class Hardware(UserPrice):
    """A kind of machine that the user owns or rents somewhere; `choose` compares it."""

    gpu: Gpus = Field(description="Its GPUs, for example V100-32GB:8.")
    region: v.Region = Field(description="Location, for example berlin.")
    per_hour: v.Cost = Field(description="Total cost per hour.")
    vcpu: Annotated[int, whole_number_reader(1, 4096)] | None = Field(
        default=None, description="Processor threads."
    )
    memory: v.Size | None = Field(default=None, description="Main memory, for example 512GiB.")
    nvlink: v.Flag | None = Field(default=None, description="Whether NVLink connects its GPUs.")
    architecture: v.Architecture | None = Field(default=None, description="x86_64 or arm64.")


PriceRows = Annotated[
    tuple[MachinePrice, ...],
    ListRule("prices: [{cloud: aws, machine: …, region: …, per_hour: …}]"),
]
ServiceRows = Annotated[
    tuple[ServicePrice, ...], ListRule("services: [{cloud: aws, item: …, region: …, per_unit: …}]")
]
Discounts = Annotated[tuple[Discount, ...], ListRule("discounts: [{cloud: aws, off: 12%}]")]


_PRICES: Final = (
    "write prices: [{cloud: aws, machine: p5.48xlarge, region: us-east-1, per_hour: 40}]"
)
_FILE_WORDS: Final = {"machines": _PRICES, "machine": _PRICES}


class PriceFile(RequiredKeyForm):
    """A prices.yaml file: the user's own prices, which override the catalog's."""

    needs = RequiredKeys(
        keys=("prices", "services", "discounts", "hardware", "exchange_rates"),
        lacks="no prices",
        fix=_PRICES,
    )
    example = "`gpuinfra schema prices` lists the keys"
    key_hints = _FILE_WORDS

    version: v.Version = Field(description="Always 1.")
    currency: v.Currency = Field(
        default="USD", description="Currency of this file; US dollars when absent."
    )
    exchange_rates: dict[v.Foreign, v.ExchangeRate] = Field(
        default={}, description="US dollars per unit of a currency, for example CNY: 0.14."
    )
    prices: PriceRows = Field(default=(), description="The user's machine prices.")
    services: ServiceRows = Field(default=(), description="The user's prices of services.")
    discounts: Discounts = Field(default=(), description="Discounts on list prices.")
    hardware: dict[v.Name, Hardware] = Field(
        default={}, description="The user's own machines by name."
    )
