"""What a user may write in a stack file, and the normalised values that all other code reads."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any, Final, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from gpuinfra.model import OUTDATED_AFTER_DAYS
from gpuinfra.specs import reserved, shorthand
from gpuinfra.specs import values as v
from gpuinfra.specs.care import DeployRole, IdleStop, Monitoring
from gpuinfra.specs.energy import Energy
from gpuinfra.specs.fields import JsonSchema, wrong
from gpuinfra.specs.forms import Choice, Form, Listed, Needs
from gpuinfra.specs.framework import Framework
from gpuinfra.specs.gpu_request import GpuRequest
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.storage import Bucket, SharedStorage
from gpuinfra.units import gigabytes

Emails = Annotated[tuple[v.Email, ...], Listed("notify: [ml-platform@example.com]")]
Instances = Annotated[tuple[v.Instance, ...], Listed("mixed: [g6.xlarge]", repeated=False)]
TypeTokens = Annotated[tuple[v.TypeToken, ...], Listed("not_counted: [aws:ec2/eip:Eip]")]
Regions = Annotated[
    tuple[v.Region, ...], Listed("regions: [us-east-1]", empty=False, repeated=False)
]
Zones = Annotated[tuple[v.Zone, ...], Listed("zones: [us-east-1a]", repeated=False)]


class Budget(Form):
    """The most the stack may cost, in US dollars; and who hears about it."""

    per_hour: v.Money | None = Field(
        default=None, description="Maximum cost per hour of everything that may run at once."
    )
    per_run: v.Money | None = Field(
        default=None, description="Maximum cost of each training run; requires a duration."
    )
    per_month: v.Money | None = Field(
        default=None, description="Maximum cost of a month of 730 hours."
    )
    covers: v.Covers = Field(
        default="machines",
        description="What a cap refuses without a price: machines refuses what may be or start "
        "one and lists the rest, everything refuses every resource type.",
    )
    notify: Emails = Field(default=(), description="Recipients of the cloud budget's mails.")
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
    """How old a price may be, and what counts where none is known."""

    accept_outdated: v.Flag = Field(
        default=False,
        description="Accept outdated list prices even where a cap may not hold for them.",
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
        default=(), description="Resource types without a price that the caps ignore."
    )
    exchange_rates: dict[v.Foreign, v.ExchangeRate] = Field(
        default={},
        description="US dollars per unit of another price currency, for example CNY.",
    )


class Where(Form):
    """Which cloud, and which regions in the order in which they are tried."""

    filled = frozenset({"cloud", "regions"})

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

    unwritten = frozenset({"kind"})

    kind: v.Kind
    region: v.Region | None = Field(
        default=None, description="A region outside `where` for this step."
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
    def _whole(self) -> Self:
        shorthand.whole_step(self.kind, self.reservation, self.ends, reserve=self.reserve)
        shorthand.placed_step(self.kind, self.placement_group)
        return self

    @classmethod
    def _written(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.step_schema(super()._written(mapping))


Ladder = Annotated[
    tuple[Annotated[Step, BeforeValidator(shorthand.step)], ...],
    Listed(
        "capacity: [spot, on-demand]", empty=False, repeated=False, single=shorthand.KIND_SCHEMA
    ),
    BeforeValidator(shorthand.ladder),
]


class Mount(Form):
    """A bucket that the machines see as a folder."""

    bucket: v.Name = Field(description="A bucket of this file.")
    prefix: v.Prefix = Field(
        default="", description="Only this part of the bucket, for example tokens/ ."
    )
    mode: v.Mode = Field(default="read", description="read or write.")
    rate: v.Rate | None = Field(
        default=None,
        description="Read rate of all machines together, for example 4GB/s, for the quote.",
    )


Mounts = Annotated[tuple[Mount, ...], Listed("data: [{bucket: data, prefix: tokens/}]")]


class Checkpoints(Form):
    """Where a run saves itself, and how often."""

    bucket: v.Name = Field(description="A bucket of this file.")
    prefix: v.Prefix = Field(
        default="checkpoints/", description="The part of the bucket to write to."
    )
    every: v.Duration = Field(
        default=timedelta(minutes=10), description="Time between two checkpoints, for example 10m."
    )
    size: v.Size | None = Field(
        default=None, description="Size of one checkpoint, for example 140GB, for the quote."
    )
    keep: v.Runs | None = Field(
        default=None,
        description="Checkpoints of a run that the program keeps, for the quote; all when absent.",
    )
    write: v.Rate | None = Field(
        default=None, description="Write rate of all machines together, for example 2GB/s."
    )
    restart: v.Duration | None = Field(
        default=None, description="Time to resume training after an interruption, for example 10m."
    )


class Disk(Form):
    """The machine's own disk; a bare size like `500GB` is short for `{size: 500GB}`."""

    size: v.Size = Field(default=200 * 10**9, description="Size of the disk, for example 200GB.")
    iops: v.Iops | None = Field(
        default=None, description="IOPS, when more than the default are needed."
    )
    throughput: v.Throughput | None = Field(
        default=None, description="Throughput in MiB/s, when more is needed."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        return shorthand.disk(given)

    @classmethod
    def _written(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.disk_schema(super()._written(mapping))


class Workload(Choice):
    """What training and inference have in common."""

    later = reserved.WORKLOAD
    needs = Needs(
        keys=("gpu", "instance"),
        exactly=True,
        otherwise="has neither gpu nor instance",
        fix="write gpu: H100:8 to have a machine chosen, or instance: p5.48xlarge",
    )

    gpu: GpuRequest | None = Field(
        default=None, description="GPUs of one machine; or set `instance`."
    )
    instance: v.Instance | None = Field(default=None, description="A machine type; or set `gpu`.")
    max_price: v.Money | None = Field(
        default=None, description="Maximum spot price in USD per node-hour; counted by the caps."
    )
    data: Mounts = Field(default=(), description="Buckets that the machines see.")
    disk: Disk = Field(default_factory=Disk, description="The machine's own disk.")
    machine_image: v.MachineImage | None = Field(
        default=None, description="An image instead of the default."
    )
    where: Where | None = Field(default=None, description="Other regions than the stack's.")
    network: NetworkSpec | None = Field(
        default=None,
        description="Another network than the stack's: an existing one, or settings for a created "
        "one.",
    )
    time_to_live: v.Duration | None = Field(
        default=None,
        description="Maximum lifetime of its machines from the first up, for example 72h; without "
        "it a month counts 730 hours.",
    )


class Training(Workload):
    """A training run: a node, or a cluster whose nodes stand together."""

    nodes: v.Nodes = Field(default=1, description="Machines of the run.")
    fabric: v.Fabric = Field(
        default_factory=lambda data: "required" if data.get("nodes", 1) > 1 else "none",
        description="RDMA network between nodes; required when there are several.",
    )
    capacity: Ladder = Field(
        default_factory=lambda: (Step(kind="on-demand"),),
        description="Purchase options, tried in this order: spot, on-demand.",
    )
    duration: v.Duration | None = Field(
        default=None,
        description="Duration of a run, for example 72h, without writing checkpoints; the cap per "
        "run counts it, and a month only if time_to_live is set.",
    )
    runs: v.Runs = Field(default=1, description="Runs per month, for the quote.")
    interruptions: v.Interrupted | None = Field(
        default=None,
        description="Share of spot machines interrupted per month, for example 5%, for the quote.",
    )
    checkpoints: Checkpoints | None = Field(
        default=None, description="Where a run saves its checkpoints."
    )
    command: v.Command | None = Field(default=None, description="What each node starts.")
    framework: Framework | None = Field(
        default=None, description="Versions that the job requires of the machines' image."
    )
    shared_storage: SharedStorage | None = Field(
        default=None, description="A parallel file system beside the machines, at /shared."
    )
    idle_stop: IdleStop | None = Field(
        default=None, description="Stop the machines when their GPUs are idle."
    )
    all_or_nothing: v.Flag = Field(
        default=False,
        description="Request all machines at once, or none; a lost machine is not replaced.",
    )
    efa_layout: v.EfaLayout = Field(
        default="standard",
        description="EFA interfaces: standard, most-ip (bandwidth), fewest-ip or classic.",
    )
    ena_express: v.Flag = Field(
        default=False, description="ENA Express between the machines' IP interfaces."
    )
    preflight: v.Flag = Field(
        default=True, description="Check GPUs and fabric before a machine joins the run."
    )


class Queue(Form):
    """The messages that wait for a pool; it is made, or one that is there by its name."""

    messages_per_machine: v.Messages = Field(
        description="Messages that one machine processes before another is started."
    )
    name: v.QueueName | None = Field(
        default=None, description="The name of an existing queue; one is created when absent."
    )


class ScaleOn(Choice):
    """The one figure that a pool follows."""

    needs = Needs(
        keys=("gpu_utilization", "gpu_memory", "requests_per_target", "queue"),
        exactly=True,
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
    """How a pool is bought: so many on demand, and the kind above them."""

    on_demand_base: v.Base = Field(default=0, description="Machines that are always on demand.")
    above: v.PoolKind = Field(
        default="on-demand", description="Purchase option of the machines above the base."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        return shorthand.pool(given)

    @classmethod
    def _written(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.pool_schema(super()._written(mapping))


class Inference(Workload):
    """A pool of machines that serve behind one address, or work off a queue."""

    later = reserved.INFERENCE

    replicas: v.Replicas = Field(description="Machines: 2, or a range, for example 1..20.")
    expected: v.Base | None = Field(
        default=None,
        description="Mean number of machines, for the quote; the minimum when absent.",
    )
    scale_on: ScaleOn = Field(
        default_factory=lambda: ScaleOn.model_validate({"gpu_utilization": "70%"}),
        description="The one metric that the pool scales on; by default gpu_utilization: 70%.",
    )
    capacity: PoolCapacity = Field(
        default_factory=PoolCapacity,
        description="spot, on-demand, or a base and what is above it.",
    )
    image: v.Image = Field(description="The container that serves requests.")
    port: v.Port = Field(description="The container's port.")
    health: v.UrlPath = Field(
        default="/health", description="The path that answers 200 when ready."
    )
    mixed: Instances = Field(
        default=(), description="Other machine types for the pool, for example g5.xlarge."
    )
    certificate: v.Certificate | None = Field(
        default=None,
        description="Serve HTTPS with this certificate; without it plain HTTP inside the network.",
    )
    idle_timeout: v.Duration | None = Field(
        default=None,
        description="Maximum time without data on a connection, while a model computes; 5m when "
        "absent.",
    )

    @model_validator(mode="after")
    def _from_zero(self) -> Self:
        if self.replicas.minimum == 0 and self.scale_on.queue is None:
            raise wrong(
                "starts at 0 machines, and only a queue can wake a pool",
                allowed="replicas of at least 1, or, on AWS, scale_on: {queue: …}",
                fix="write replicas: 1..20, or, on AWS, "
                "scale_on: {queue: {messages_per_machine: 10}}",
                structural=False,
            )
        return self


_COUNTED: Final = frozenset({"requests", "custom_metrics"})
"""The words of `usage` that are no data."""


class Usage(Form):
    """What the whole stack uses up in a month, for the quote; what is not said prints its rate."""

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
        """What is stated, by its word: data in GB of 10^9 bytes, the rest as counts."""
        stated = {word: value for word, value in dict(self).items() if value is not None}
        return {
            word: Decimal(value) if word in _COUNTED else gigabytes(value)
            for word, value in stated.items()
        }


class WorkloadRule(Form):
    """A rule's level and its own settings for one workload, which the rule itself checks."""

    model_config = ConfigDict(extra="allow")

    level: v.Level | None = Field(default=None, description="mandatory, advisory or disabled.")

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        return shorthand.settings(given)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is written besides the level, as written."""
        return dict(self.model_extra or {})

    @classmethod
    def _written(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.settings_schema(super()._written(mapping))


class RuleSettings(WorkloadRule):
    """A rule's level and its own settings, and what holds for some workloads instead."""

    workloads: dict[v.Sentence, WorkloadRule] = Field(
        default={}, description="Another level or settings for workloads, by name or pattern."
    )

    @property
    def settings(self) -> Mapping[str, Any]:
        """What is written besides the level, as written."""
        apart = {
            name: {**({"level": rule.level} if rule.level else {}), **rule.settings}
            for name, rule in self.workloads.items()
        }
        return {**super().settings, **({"workloads": apart} if apart else {})}


class Waiver(Form):
    """A finding that is accepted until a day, for a reason."""

    rule: v.RuleId = Field(description="The rule's id, for example spot-share.")
    resource: v.Sentence = Field(description="What it is waived for: a workload or a resource.")
    reason: v.Sentence = Field(description="Why the finding is accepted.")
    owner: v.Owner = Field(description="Who is responsible for it.")
    until: v.Day = Field(description="The last day of the waiver, for example 2026-12-31.")


Waivers = Annotated[
    tuple[Waiver, ...],
    Listed("waivers: [{rule: …, resource: …, reason: …, owner: …, until: 2026-12-31}]"),
]


class Stack(Choice):
    """A whole stack file."""

    later = reserved.STACK
    whole = "the stack"
    example = "`gpuinfra init` writes a commented example"
    needs = Needs(
        keys=("training", "inference", "buckets"),
        otherwise="has neither training nor inference nor buckets",
        fix="add one of them; `gpuinfra init` writes an example",
    )

    filled = frozenset({"version", "name", "owner", "where"})

    version: v.Version = Field(description="The version of this grammar: 1, also by default.")
    name: v.StackName = Field(
        description="The stack's name, part of every resource's name; by default the folder's."
    )
    owner: v.Owner = Field(
        description="Who answers for it, a team or a person; a tag; by default the git user."
    )
    budget: Budget | None = Field(default=None, description="The maximum cost of the stack.")
    prices: Prices = Field(default_factory=Prices, description="How old prices may be.")
    where: Where = Field(
        description="Which cloud and which regions; by default those that its tools use."
    )
    tags: dict[v.TagKey, v.TagValue] = Field(
        default={},
        description="Tags on every resource, for example cost-center, beside gpuinfra's own.",
    )
    network: NetworkSpec | None = Field(
        default=None, description="An existing network, or settings for a created one."
    )
    monitoring: Monitoring | None = Field(
        default=None, description="Metrics, alarms and their recipients."
    )
    deploy_role: DeployRole | None = Field(
        default=None, description="A role for continuous integration, without long-lived keys."
    )
    target: v.RunsIn | None = Field(
        default=None, description="sandbox or cloud, when no option says."
    )
    training: dict[v.Name, Training] = Field(default={}, description="Training runs by name.")
    inference: dict[v.Name, Inference] = Field(default={}, description="Inference pools by name.")
    buckets: dict[v.Name, Bucket] = Field(default={}, description="Data buckets by name.")
    usage: Usage = Field(
        default_factory=Usage, description="Monthly usage of the stack, for the quote."
    )
    rules: dict[v.RuleId, RuleSettings] = Field(default={}, description="Settings of rules by id.")
    waivers: Waivers = Field(default=(), description="Accepted findings.")
    energy: Energy = Field(default_factory=Energy, description="For the energy use of the GPUs.")

    @property
    def subjects(self) -> tuple[str, ...]:
        """What rules speak of: the stack, then each workload and bucket by its path."""
        sections = ("training", "inference", "buckets")
        return (
            self.name,
            *(f"{section}.{name}" for section in sections for name in getattr(self, section)),
        )
