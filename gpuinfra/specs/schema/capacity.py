"""The location of machines, their purchase options, and the scaling signal of a pool."""

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from gpuinfra.specs import shorthand
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import JsonSchema
from gpuinfra.specs.forms import Form, ListRule, RequiredKeyForm, RequiredKeys

Regions = Annotated[
    tuple[v.Region, ...], ListRule("regions: [us-east-1]", empty=False, repeated=False)
]
Zones = Annotated[tuple[v.Zone, ...], ListRule("zones: [us-east-1a]", repeated=False)]


class Where(Form):
    """The cloud, and the regions in the order of trial."""

    filled_in_fields = frozenset({"cloud", "regions"})

    cloud: v.Cloud = Field(
        description="aws, gcp, azure, or any for the cheapest; by default that of the regions."
    )
    regions: Regions = Field(
        description="Regions, tried in this order; by default the one that the cloud's tools use."
    )
    zones: Zones = Field(default=(), description="Only these zones of the regions.")


class Step(Form):
    """One step of a capacity ladder: how to buy, and where else or up to which price.

    Written as `spot`, or as `{spot: {region: us-west-2}}`.
    """

    fields_without_key = frozenset({"kind"})

    kind: v.Kind
    region: v.Region | None = Field(
        default=None,
        description="Region of this step, of the same cloud; it need not be listed in `where`.",
    )
    max_price: v.Money | None = Field(
        default=None, description="Maximum price of this step in USD per node-hour."
    )
    reservation: v.Reservation | None = Field(
        default=None, description="The reservation of a reserved or capacity-block step."
    )
    ends: v.Moment | None = Field(
        default=None, description="When a capacity block ends, for example 2026-12-01T11:30Z."
    )
    reserve: v.Flag = Field(
        default=False,
        description="on-demand: reserve the machines first; billed from then on, used or not.",
    )
    placement_group: v.PlacementGroup | None = Field(
        default=None,
        description="reserved: the cluster placement group of the reservation.",
    )

    @model_validator(mode="after")
    def _check_step(self) -> Self:
        shorthand.whole_step(self.kind, self.reservation, self.ends, reserve=self.reserve)
        shorthand.placed_step(self.kind, self.placement_group)
        return self

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.step_schema(super()._user_schema(mapping))


Ladder = Annotated[
    tuple[Annotated[Step, BeforeValidator(shorthand.step)], ...],
    ListRule(
        "capacity: [spot, on-demand]", empty=False, repeated=False, single=shorthand.KIND_SCHEMA
    ),
    BeforeValidator(shorthand.ladder),
]


class Queue(Form):
    """The queue of a pool: a new one, or an existing one by name."""

    messages_per_machine: v.Messages = Field(
        description="Messages that one machine processes before another is started."
    )
    name: v.QueueName | None = Field(
        default=None, description="The name of an existing queue; one is created when absent."
    )


class ScaleOn(RequiredKeyForm):
    """The metric that a pool scales on."""

    needs = RequiredKeys(
        keys=("gpu_utilization", "gpu_memory", "requests_per_target", "queue"),
        exactly_one=True,
        fix="write scale_on: {gpu_utilization: 70%}",
    )

    gpu_utilization: v.Target | None = Field(
        default=None, description="Mean GPU use, for example 70%."
    )
    gpu_memory: v.Target | None = Field(
        default=None, description="Mean GPU memory use, for example 80%."
    )
    requests_per_target: v.Requests | None = Field(
        default=None, description="Requests per machine and minute."
    )
    queue: Queue | None = Field(
        default=None,
        description="Messages in the queue; only this lets a pool start at 0 machines.",
    )


class PoolCapacity(Form):
    """The purchase options of a pool: an on-demand base, and the kind above it."""

    on_demand_base: v.Base = Field(default=0, description="Machines that are always on demand.")
    above: v.PoolKind = Field(
        default="on-demand", description="Purchase option of the machines above the base."
    )

    @classmethod
    def spelled_out(cls, raw_value: Any) -> Any:
        """Return the mapping that a short form stands for; anything else unchanged."""
        return shorthand.pool(raw_value)

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.pool_schema(super()._user_schema(mapping))
