"""The facts everyone shares: machines, prices, and the plan that is priced, judged and built.

Plan-time values only: frozen, cloud-blind, standard library. Money is `Decimal` US dollars
unless a row names another currency; memory is GiB; networks are Gbit/s; NVLink is GB/s.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Literal

from gpuinfra.records import record


class Unknown(Enum):
    """A value that cannot be known yet; never zero, never false."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN

Known = bool | Unknown
"""Three-valued truth: true, false, or not knowable yet."""

Purpose = Literal["training", "inference", "unknown"]
OUTDATED_AFTER_DAYS: Final = 400
"""From how many days on a list price is outdated, unless a setting says otherwise."""

FAR_DAYS: Final = 120
"""An end that is further away ends no run: no cloud limits one by itself for longer.
https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime"""

SPOT_OUTDATED_AFTER_DAYS: Final = 365
"""From how many days on a spot price, which moves within hours, stands in no expected figure."""

Origin = Literal["catalog", "refreshed", "user", "lock", "bound"]
"""Where a price comes from: the shipped tables, a refresh, the user's own list, or a lock."""

Capacity = Literal["on-demand", "spot", "capacity-block", "reserved"]
CLOUD_PLACED: Final[frozenset[Capacity]] = frozenset({"capacity-block", "reserved"})
"""Ways to buy whose machines stand where the reservation was made."""

NOWHERE: Final = "unknown"
"""The region of resources whose region is not stated."""

FabricWish = Literal["required", "preferred", "none"]
RegionsAre = Literal["offered", "priced"]
"""What the regions of a machine type are: where its cloud offers it, or where it lists a price."""


@record
class Machine:
    """One machine type of one cloud, as its sourced table has it; None is unknown.

    `gpu` is a key of the GPU table (H100-SXM-80GB); `gpu_memory_gib` is per GPU and usable as the
    cloud reports it, `gpu_memory_nominal_gb` what the GPU is sold as (80 for an 80 GB H100).
    `network_gbps` is the most that its network carries, `network_sustained_gbps` what it carries
    without end: less where the network may burst. `fabric` names the kind of network between GPUs
    (efa, roce, infiniband, gpudirect-tcpx, gpudirect-tcpxo) or is None; `fabric_interfaces` counts
    the interfaces that speak it: 0 where the cloud says that there are none, None where it is not
    stated. `network_cards` counts the cards of the machine. `nvlink` says whether NVLink joins
    any GPUs of it, `nvlink_gbs` how fast each, in both directions together;
    `nvlink_domain` counts the GPUs that one NVLink fabric joins: 1 for none, 2 where bridges join
    pairs, more than the machine has where it is rented as a part of a rack.
    """

    cloud: str
    type: str
    gpu: str
    gpu_count: Decimal
    gpu_memory_gib: Decimal | None
    gpu_memory_nominal_gb: Decimal | None
    vcpu: int | None
    memory_gib: Decimal | None
    local_storage_gb: Decimal | None
    network_gbps: Decimal | None
    network_sustained_gbps: Decimal | None = None
    fabric: str | None
    fabric_interfaces: int | None
    fabric_gbps: Decimal | None
    network_cards: int | None
    interfaces_per_card: tuple[int, ...] | None
    nvlink: bool | None
    nvlink_gbs: Decimal | None
    nvlink_domain: int | None
    architecture: str | None
    usage_classes: tuple[str, ...]
    status: str
    regions: tuple[str, ...]
    regions_are: RegionsAre = "offered"
    source: str
    as_of: str
    notes: str = ""


@record
class Gpu:
    """One GPU model: memory in GB as sold, dense rates in TFLOPS, watts; None is unknown.

    `bandwidth_gbs` is of its memory, `nvlink_gbs` of its NVLink in both directions together (None
    where it has none, too), both in GB/s. `fp32_tflops` is of the vector units. `unverified` names
    the cells that the table's maker recalled and did not read again.
    """

    key: str
    name: str
    architecture: str
    memory_gb: Decimal | None
    bandwidth_gbs: Decimal | None
    fp32_tflops: Decimal | None
    fp16_tflops: Decimal | None
    bf16_tflops: Decimal | None
    fp8_tflops: Decimal | None
    nvlink_gbs: Decimal | None
    watts: Decimal | None
    aliases: tuple[str, ...]
    source: str
    as_of: str
    unverified: tuple[str, ...] = ()
    notes: str = ""


STALE: Final = "STALE"
"""How the tables mark a price in its notes that the cloud has changed since."""


@record
class Price:
    """One sourced price. `item` is a machine type or a service item (nat-gateway-hour).

    `mode` is on-demand, spot, reserved-1y, reserved-3y, capacity-block and the like, or list for
    services. `as_of` is a day, a month, a year, an interval from/to, or undated. `tiers` are the
    later prices of a unit, each with the hours of continuous use after which it holds. `said` is
    what a reader of the figure has to know: that it was converted, or paid beforehand. `prepaid`
    is the share of `per_unit` (0 to 1) that was paid beforehand: it counts, used or not.
    """

    cloud: str
    item: str
    region: str
    zone: str | None
    mode: str
    unit: str
    per_unit: Decimal
    currency: str
    source: str
    as_of: str
    maximum: Decimal | None = None
    notes: str = ""
    origin: Origin = "catalog"
    tiers: tuple[tuple[Decimal, Decimal], ...] = ()
    said: str = ""
    prepaid: Decimal = Decimal(0)

    @property
    def stale(self) -> bool:
        """Whether the table knows that the cloud has changed this price since."""
        return STALE in self.notes


@record
class Interruption:
    """How often a cloud takes spot machines of a type back in a region, as it publishes it.

    `low` and `high` bound the share (0 to 1) of the machines that were interrupted in a month;
    `high` None is no bound.
    """

    machine: str
    region: str
    low: Decimal
    high: Decimal | None
    source: str
    as_of: str


@record
class Rung:
    """One step of a group's capacity ladder: how it is bought, as which machine, where.

    `max_price` is the ceiling in USD per node-hour written into a spot request. For a pool that
    holds both kinds, `capacity` is the kind above `on_demand_base`, and `spot_share_above_base`
    is the share (0 to 1) of machines above the base that are spot. `image` is the id of the image
    that a lock froze for it; None leaves the look-up to the build. `reservation` is the one whose
    machines are used, `reserve` says that the build makes one first, and `ends` when a capacity
    block is over (ISO 8601, UTC). `placement_group` is the one that the reservation was made in.
    """

    capacity: Capacity
    machine: str
    region: str
    zones: tuple[str, ...]
    max_price: Decimal | None = None
    on_demand_base: int = 0
    spot_share_above_base: Decimal = Decimal(0)
    image: str | None = None
    reservation: str | None = None
    reserve: bool = False
    ends: str | None = None
    placement_group: str | None = None

    @property
    def label(self) -> str:
        """The rung's name in tables and in the `gpuinfra:rung.<workload>` config."""
        return f"{self.capacity}@{self.region}"


@record
class Fault:
    """Something wrong with a row, for the rule that reports it.

    `rule` is the rule's id, `message` what is wrong in the user's words, `fix` what to change
    where it is not the rule's own fix, and `where` the property or the part of the row that it is
    about, where one is at fault. `known` False: what the rule has to know is not shown, and may be
    wrong.
    """

    rule: str
    message: str = ""
    fix: str = ""
    where: str = ""
    known: bool = True


def faults_of(faults: Iterable[Fault], rule: str) -> tuple[str, ...] | Unknown:
    """Return what a rule reports of a row, each once; UNKNOWN where something may be wrong."""
    own = [fault for fault in faults if fault.rule == rule]
    certain = dict.fromkeys(fault.message for fault in own if fault.known)
    return tuple(certain) if certain or not own else UNKNOWN


@record
class Fabric:
    """What joins the machines of a group, as the resources declare it.

    `wish` is what was asked for (a raw stack asks for it by declaring fabric interfaces).
    `interfaces` counts the fabric interfaces per machine: those that are declared or, where the
    cloud declares none, those that come by themselves (InfiniBand in a scale set). `faults` are
    what keeps them from working, or the cloud refuses of them. `placement` is the strategy, None
    for none. `self_ingress` and `self_egress` are None where no firewall stands between the
    interfaces.
    """

    wish: FabricWish
    interfaces: int | Unknown
    faults: tuple[Fault, ...] = ()
    one_zone: Known = UNKNOWN
    placement: str | Unknown | None = UNKNOWN
    self_ingress: Known | None = UNKNOWN
    self_egress: Known | None = UNKNOWN
    public_ip: Known = UNKNOWN
    driver_image: Known = UNKNOWN


@record
class Safety:
    """The security basics of a group's machines, as the resources declare them.

    `hop_limit` is how many network hops an answer of the metadata service may take; None where the
    cloud has no such limit, or where nothing answers. `secure_boot` is None where the machine has
    none. `secrets` says in words which passwords and keys stand in the start-up script or in the
    metadata, and where; never the secret. `measured_boot` says whether the machine measures how it
    boots, and `login_faults` name in words how people log in without an identity of their own;
    both are None where the cloud has no such setting. `host_encrypted` says whether
    temporary disks and caches are encrypted as well, where a setting of the machine says it.
    `opened_by_keys` names the storage accounts of its data that take keys without an end; None
    where the cloud's storage has none.
    """

    metadata_v2: Known = UNKNOWN
    hop_limit: int | Unknown | None = UNKNOWN
    disks_encrypted: Known = UNKNOWN
    public_ip: Known = UNKNOWN
    open_login: Known = UNKNOWN
    administrator: Known = UNKNOWN
    long_lived_key: Known = UNKNOWN
    secrets: tuple[str, ...] | Unknown = UNKNOWN
    secure_boot: Known | None = UNKNOWN
    measured_boot: Known | None = None
    login_faults: tuple[str, ...] | Unknown | None = None
    host_encrypted: Known | None = None
    opened_by_keys: tuple[str, ...] | Unknown | None = None


@record
class Reach:
    """What a group's machines reach, and who reaches them, as far as the stack shows it.

    `ways` name in words what is open, for example a NAT gateway; `faults` what is surely closed.
    """

    ways: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


@record
class Wishes:
    """What resources do not show: how long a group runs, and what its work needs.

    `expected` is how many of its machines run on average. `hours` are those of a run, which
    nothing enforces, and `runs` is how many there are in a month; `ends_after` are the hours after
    which something that the stack makes ends the machines. `interruptible` says whether the work
    tolerates the loss of a machine, `checkpoints` whether it saves its state. `nvlink` and
    `fabric` say how the GPUs and the machines are to be joined; None where it is not stated.
    """

    expected: Decimal | None = None
    hours: Decimal | None = None
    ends_after: Decimal | None = None
    runs: Decimal = Decimal(1)
    checkpoints: Known = UNKNOWN
    interruptible: Known = UNKNOWN
    nvlink: bool = False
    fabric: FabricWish | None = None


@record
class Kept:
    """How a group of machines is kept.

    `ends` says whether something ends a training run by itself after a time, `stops_idle` whether
    something stops machines that do nothing; None where nothing of the kind is asked of the group.
    `grows` says whether anything tells the group to grow and shrink; None where its size is fixed.
    `image_pinned` says whether its image stays the same from one start of a machine to the next.
    `maintenance` says whether the machines end at host maintenance, as some clouds demand of GPU
    machines; None where the cloud demands nothing. `surge` is how many machines an update may
    bring beside the old ones: caps count them, too. `upkeep` says how machines are replaced; None
    where nothing replaces them by itself.
    """

    ends: Known | None = None
    stops_idle: Known | None = None
    grows: Known | None = None
    image_pinned: Known = UNKNOWN
    maintenance: Known | None = None
    surge: int | Unknown = 0
    upkeep: Reach | None = None


@record
class Market:
    """How a group's machines are bought, where its rung does not say all of it.

    `lowest_price` says whether spot machines of several kinds are taken by the lowest price alone;
    None where nothing is chosen. `ways` are the words of the machine table
    (`Machine.usage_classes`) of which one has to be there for the machines to be sold, where the
    cloud has other ways to buy than the rung's; None where the rung says it.
    """

    lowest_price: Known | None = None
    ways: tuple[str, ...] | Unknown | None = None


@record
class Group:
    """Machines that are bought and run together: a training node or cluster, or an inference pool.

    `subject` is what a message calls it: the path in the stack file or the resource's URN. A plan
    from a stack file has every rung of the ladder and `standing` tells which one stands; a plan
    from resources has exactly one. `weights` of mixed machines are not modelled: `machines` lists
    every type the group may hold, the most expensive is the ceiling. `faults` are what the cloud
    refuses of how the machines are bought, started, named and scaled, and of their disks. `reason`
    says why this cloud was chosen. `addresses` are how many the machines need of the subnet they
    stand in at most, and how many it has free; None where it is not stated. `notes` are what a
    reader of the plan has to know besides, for example what is not known of an image.

    `labels` are the keys of the tags or labels that the machines carry. `reach` is None
    where the stack shows nothing of the network.
    """

    name: str
    subject: str
    purpose: Purpose
    cloud: str
    rungs: tuple[Rung, ...]
    standing: int = 0
    machines: tuple[str, ...] = ()
    minimum: int | Unknown = 1
    maximum: int | Unknown = 1
    wishes: Wishes = field(default_factory=Wishes)
    fabric: Fabric | None = None
    safety: Safety = field(default_factory=Safety)
    faults: tuple[Fault, ...] = ()
    market: Market = field(default_factory=Market)
    addresses: tuple[int, int] | Unknown | None = None
    labels: frozenset[str] | Unknown = UNKNOWN
    kept: Kept = field(default_factory=Kept)
    reach: Reach | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def rung(self) -> Rung:
        """The rung that stands."""
        return self.rungs[self.standing]

    @property
    def ceiling(self) -> int | Unknown:
        """How many machines may run at once, those that an update brings among them."""
        if isinstance(self.maximum, Unknown) or isinstance(self.kept.surge, Unknown):
            return UNKNOWN
        return self.maximum + self.kept.surge if self.maximum else 0


@record
class Item:
    """Something besides machines that costs money: a disk, a NAT gateway, an address.

    `item` is a key of the cloud's price table, `quantity` counts `unit`s at the group's maximum
    (None: not known; the rate is printed). `monthly` quantities are used up in each month.
    `region` None follows the standing rung of `group`. `per_machine` items are given per machine;
    those that are `kept_when_stopped` cost the whole month, however long the machines run.
    """

    name: str
    subject: str
    kind: str
    cloud: str
    item: str
    unit: str
    quantity: Decimal | Unknown | None
    region: str | None = None
    group: str | None = None
    per_machine: bool = False
    resource: str = ""
    monthly: bool = False
    kept_when_stopped: bool = False


@record
class Bucket:
    """A data bucket and what its companion resources declare. `size_gb` is 10^9 bytes.

    `tls_only` and `owner_enforced` are None where the cloud's buckets have no such setting.
    `expires` says whether anything of it ever expires or moves to a cheaper class. `labels` are
    the keys of its tags or labels, `faults` what the cloud refuses of it, for example its name.
    `force_destroy` says whether its objects are deleted with it; None where it was not read.
    `safeguards` say what keeps its content and what opens it beside roles; None where not judged.
    """

    name: str
    subject: str
    cloud: str
    region: str | None
    size_gb: Decimal | None = None
    encrypted: Known = UNKNOWN
    public_blocked: Known = UNKNOWN
    tls_only: Known | None = UNKNOWN
    owner_enforced: Known | None = UNKNOWN
    versioned: Known = UNKNOWN
    expires_noncurrent: Known = UNKNOWN
    aborts_uploads: Known = UNKNOWN
    expires: Known = UNKNOWN
    labels: frozenset[str] | Unknown = UNKNOWN
    faults: tuple[Fault, ...] = ()
    force_destroy: Known | None = None
    safeguards: Reach | None = None


@record
class FileSystem:
    """A parallel file system, as its resource declares it.

    `size_gib` is its capacity, `throughput_mbs` what it carries in all, MB/s of 10^6 bytes; None
    where it is not stated. `group` is the workload whose machines it stands beside. `faults` are
    what the cloud refuses of it.
    """

    name: str
    subject: str
    cloud: str
    kind: str
    region: str | None
    size_gib: int | Unknown | None = None
    throughput_mbs: Decimal | Unknown | None = None
    group: str | None = None
    encrypted: Known = UNKNOWN
    one_zone: Known = UNKNOWN
    faults: tuple[Fault, ...] = ()
    labels: frozenset[str] | Unknown = UNKNOWN


@record
class Disk:
    """A disk that stands by itself, attached to a machine or not.

    `faults` are what the cloud refuses of it.
    """

    name: str
    subject: str
    cloud: str
    encrypted: Known = UNKNOWN
    faults: tuple[Fault, ...] = ()


@record
class Front:
    """Where a stack listens for requests: a listener of a load balancer or a forwarding rule.

    `public` says whether the internet reaches it, `encrypted` whether it speaks TLS only (a mere
    redirect to TLS counts), `modern` whether it refuses TLS below 1.2; None where it speaks none.
    """

    name: str
    subject: str
    cloud: str
    public: Known = UNKNOWN
    encrypted: Known = UNKNOWN
    modern: Known | None = UNKNOWN


@record
class Door:
    """A firewall, or a rule of one, that no machines of the plan answer for.

    `open` says whether it lets anyone on the internet log in, or reach another such port.
    """

    name: str
    subject: str
    cloud: str
    open: Known = UNKNOWN


@record
class Grant:
    """A policy or a role that is granted; `faults` are what of it is too wide."""

    name: str
    subject: str
    cloud: str
    faults: tuple[Fault, ...] = ()


@record
class Credential:
    """A key that does not end by itself, made by the stack; `what` it is, in words."""

    name: str
    subject: str
    cloud: str
    what: str


@record
class Exposure:
    """A place with more readers than need it: a stack's outputs, an environment.

    `secrets` say in words which passwords and keys stand there, and where; never the secret.
    """

    subject: str
    secrets: tuple[str, ...] | Unknown = UNKNOWN


@record
class Defect:
    """What is wrong with a resource that no other row covers, in words: `faults`, never empty.

    The cloud refuses it, or takes it and it has no effect.
    """

    name: str
    subject: str
    cloud: str
    faults: tuple[str, ...]


@record
class NotJudged:
    """A resource no table knows: coverage, counted apart, and unpriced for the budget rules.

    `may_start_machines` is False where a table says that no machine can be in its type.
    """

    subject: str
    type: str
    reason: str
    may_start_machines: bool = True


@record
class Caps:
    """The budget: the most the stack may cost in USD per hour, per run and per month (730 h).

    `billing_account` is the Google Cloud billing account that a budget can be made on.
    """

    per_hour: Decimal | None = None
    per_run: Decimal | None = None
    per_month: Decimal | None = None
    notify: tuple[str, ...] = ()
    billing_account: str | None = None


@record
class Rows:
    """What resources hold: those of one, of a cloud's, or of a whole stack; they add up."""

    groups: tuple[Group, ...] = ()
    items: tuple[Item, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    file_systems: tuple[FileSystem, ...] = ()
    disks: tuple[Disk, ...] = ()
    fronts: tuple[Front, ...] = ()
    doors: tuple[Door, ...] = ()
    grants: tuple[Grant, ...] = ()
    credentials: tuple[Credential, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    defects: tuple[Defect, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    cloud_budget: Decimal | Unknown | None = None
    """The monthly limit of the budget kept in the cloud itself, None when there is none."""
    budget_words: tuple[str, ...] = ()
    """The shares at which it sends mail, and what it counts, as far as it is seen."""

    def only(self) -> dict[str, Any]:
        """The rows by field, without what a `Plan` has besides."""
        return {field.name: getattr(self, field.name) for field in fields(Rows)}


def together(rows: Iterable[Rows]) -> Rows:
    """The rows of several as those of one; of their budgets the smallest, if all are known."""
    every = tuple(rows)
    budgets = [one.cloud_budget for one in every if one.cloud_budget is not None]
    listed = {
        field.name: tuple(row for each in every for row in getattr(each, field.name))
        for field in fields(Rows)
        if field.name != "cloud_budget"
    }
    return Rows(
        **listed,
        cloud_budget=UNKNOWN
        if UNKNOWN in budgets
        else min((budget for budget in budgets if isinstance(budget, Decimal)), default=None),
    )


@record
class Plan(Rows):
    """All that a stack will hold: what is priced, judged and built."""

    name: str
    owner: str | None
    caps: Caps
    data: Mapping[str, Decimal] | None = None
    """Gigabytes (10^9 bytes) a month by kind, as far as stated; None: a plan of a part."""
    notes: tuple[str, ...] = ()
    """What a reader has to know of the whole, for example how late a cloud's budget is."""

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Everywhere that machines and buckets may stand: cloud and region, each once."""
        places = [(group.cloud, rung.region) for group in self.groups for rung in group.rungs]
        places += [
            (bucket.cloud, bucket.region) for bucket in self.buckets if bucket.region is not None
        ]
        return tuple(dict.fromkeys(places))


@record
class Resource:
    """A resource of any Pulumi program, as a preview, an update, a mock or a state shows it.

    `inputs` are in the provider's own camelCase; unknown values are `UNKNOWN`, secrets are
    unwrapped. `outputs` has what is known after creation (at least `id`), empty before.
    `relations` maps a top-level input to the URNs its value comes from (property dependencies);
    `region` is the provider's or the resource's own, None when neither says. `custom` tells
    whether a provider makes it; a component is none, which only groups others. `before` has the
    inputs to which `outputs` belong, where an update changes them; None where none is changed.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any] = field(default_factory=dict)
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parent: str | None = None
    region: str | None = None
    custom: bool = True
    before: Mapping[str, Any] | None = None

    def after(self, standing: "Resource") -> "Resource":
        """This resource as an update leaves it, with the outputs of the one that stands."""
        before = None if self.inputs == standing.inputs else standing.inputs
        return replace(self, outputs=standing.outputs, before=before)


@record
class Usage:
    """What no resource shows and a user has to say, by group or bucket name.

    Given to both entrances of the invariant: run hours, hours until they end, runs a month,
    expected machines, gigabytes stored, and of checkpoints and old versions beside them, requests
    to read and to write a month. `data` is the whole stack's: a month's gigabytes (10^9 bytes) or
    counts, by the words of the stack file's `usage`.
    """

    hours: Mapping[str, Decimal] = field(default_factory=dict)
    ends_after: Mapping[str, Decimal] = field(default_factory=dict)
    expected: Mapping[str, Decimal] = field(default_factory=dict)
    runs: Mapping[str, Decimal] = field(default_factory=dict)
    gigabytes: Mapping[str, Decimal] = field(default_factory=dict)
    versions: Mapping[str, Decimal] = field(default_factory=dict)
    checkpoints: Mapping[str, bool] = field(default_factory=dict)
    purpose: Mapping[str, Purpose] = field(default_factory=dict)
    nvlink: Mapping[str, bool] = field(default_factory=dict)
    fabric: Mapping[str, FabricWish] = field(default_factory=dict)
    reads: Mapping[str, Decimal] = field(default_factory=dict)
    writes: Mapping[str, Decimal] = field(default_factory=dict)
    data: Mapping[str, Decimal] = field(default_factory=dict)

    def wishes(self, name: str) -> Wishes:
        """What is said of one group; work that saves its state can be interrupted."""
        saves = self.checkpoints.get(name, UNKNOWN)
        return Wishes(
            expected=self.expected.get(name),
            hours=self.hours.get(name),
            ends_after=self.ends_after.get(name),
            runs=self.runs.get(name, Decimal(1)),
            checkpoints=saves,
            interruptible=saves,
            nvlink=self.nvlink.get(name, False),
            fabric=self.fabric.get(name),
        )
