"""Groups of machines, with their fabric, security, lifecycle and purchase facts."""

from dataclasses import field
from decimal import Decimal
from typing import Final, Literal

from gpuinfra.model.faults import Fault, Reachability
from gpuinfra.model.rungs import Rung
from gpuinfra.model.unknown import UNKNOWN, Known, Unknown
from gpuinfra.records import record

Purpose = Literal["training", "inference", "unknown"]

FAR_DAYS: Final = 120
"""An end that is further away ends no run: no cloud limits one by itself for longer.
https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime"""

FabricRequirement = Literal["required", "preferred", "none"]


@record
class FabricFirewall:
    """The security groups of a fabric's interfaces.

    `ingress` are those that they may allow all traffic from, `egress` those that they may allow
    all traffic to.
    """

    groups: frozenset[str]
    ingress: frozenset[str]
    egress: frozenset[str]


@record
class Fabric:
    """The network between the machines of a group, as the resources declare it.

    `requirement` is what was asked for (a raw stack asks for it by declaring fabric interfaces).
    `interfaces` counts the fabric interfaces per machine: those that are declared or, where the
    cloud declares none, those that come by themselves (InfiniBand in a scale set). `faults` are
    what keeps them from working, or the cloud refuses of them. `placement` is the strategy, None
    for none. `self_ingress` and `self_egress` are None where no firewall is between the
    interfaces. `sites` are the networks of its machines, `placements` the policies or
    groups that keep them near, and `firewalls` the security groups of its interfaces, one for each
    way to start, as far as they are known. `zone_ids` are the zones that its subnets name by id,
    and `subnets` the subnets themselves, each of one zone, where they have one.
    """

    requirement: FabricRequirement
    interfaces: int | Unknown
    faults: tuple[Fault, ...] = ()
    one_zone: Known = UNKNOWN
    placement: str | Unknown | None = UNKNOWN
    self_ingress: Known | None = UNKNOWN
    self_egress: Known | None = UNKNOWN
    public_ip: Known = UNKNOWN
    driver_image: Known = UNKNOWN
    sites: tuple[frozenset[str], ...] = ()
    placements: tuple[str, ...] = ()
    firewalls: tuple[FabricFirewall, ...] = ()
    zone_ids: tuple[str, ...] = ()
    subnets: tuple[str, ...] = ()


@record
class Safety:
    """The security basics of a group's machines, as the resources declare them.

    `hop_limit` is how many network hops an answer of the metadata service may take; None where the
    cloud has no such limit, or where nothing answers. `runs_containers` says whether the machines
    are those of a container platform. `secure_boot` is None where the machine has
    none. `secrets` says in words which passwords and keys are in the start-up script or in the
    metadata, and where; never the secret. `measured_boot` says whether the machine measures how it
    boots; None where the cloud has no such setting. `host_encrypted` says whether temporary disks
    and caches are encrypted as well; None where no setting of the machine decides it.
    `open_ports` say in words which ports `open_login` is about, as far as that is sure.
    `opened_by_keys` names the storage accounts of its data that take keys without an end; None
    where the cloud's storage has none.
    """

    metadata_v2: Known = UNKNOWN
    hop_limit: int | Unknown | None = UNKNOWN
    runs_containers: bool = False
    disks_encrypted: Known = UNKNOWN
    public_ip: Known = UNKNOWN
    open_login: Known = UNKNOWN
    open_ports: tuple[str, ...] = ()
    administrator: Known = UNKNOWN
    long_lived_key: Known = UNKNOWN
    secrets: tuple[str, ...] | Unknown = UNKNOWN
    secure_boot: Known | None = UNKNOWN
    measured_boot: Known | None = None
    host_encrypted: Known | None = None
    opened_by_keys: tuple[str, ...] | Unknown | None = None


@record
class CheckpointWrites:
    """The statements on how a run writes checkpoints: what one holds, how fast, how often.

    Attributes:
        size: bytes of one checkpoint.
        rate: bytes a second, of all machines of the run together.
        every: hours of work between two.
    """

    size: Decimal
    rate: Decimal
    every: Decimal


@record
class WorkloadNeeds:
    """The user's statements about a group: its duration, and the needs of its work.

    `expected` is how many of its machines run on average. `hours` are those of a run, which
    nothing enforces, and `runs` is how many there are in a month; `ends_after` are the hours after
    which something that the stack makes ends the machines; `ends_claimed` are the same by the word
    of a program alone, which counts where what ends them shows its time. `interruptible` says
    whether the work tolerates the loss of a machine, `checkpoints` whether it saves its state.
    `writes` says how it writes checkpoints, which takes time beside `hours`; None where a part of
    that is not stated. `restart` are the hours until a run works again after an interruption, and
    `interrupted_share` is the user's figure of the machines that are interrupted in a month; None
    where it is not stated. `nvlink` and `fabric` say how the GPUs and the machines are to be
    joined; None where it is not stated.
    """

    expected: Decimal | None = None
    hours: Decimal | None = None
    ends_after: Decimal | None = None
    ends_claimed: Decimal | None = None
    runs: Decimal = Decimal(1)
    checkpoints: Known = UNKNOWN
    interruptible: Known = UNKNOWN
    writes: CheckpointWrites | None = None
    restart: Decimal | None = None
    interrupted_share: Decimal | None = None
    nvlink: bool = False
    fabric: FabricRequirement | None = None


@record
class GroupLifecycle:
    """The facts about how a group of machines ends, grows, stops when idle, and is replaced.

    `ends` says whether something ends a training run by itself after a time, and `ends_within` the
    hours within which that is due, where it shows them; `starts_again` whether something lets its
    machines run again after that, and `restarts_within` the hours within which what a schedule
    starts is due to end, where the schedules show them. `stops_idle` says whether something stops
    machines that do nothing; None where nothing of the kind is asked of the group.
    `grows` says whether anything tells the group to grow and shrink; None where its size is fixed.
    `image_pinned` says whether its image stays the same from one start of a machine to the next.
    `maintenance` says whether the machines end at host maintenance, as some clouds demand of GPU
    machines; None where the cloud demands nothing. `surge` is how many machines an update may
    bring beside the old ones: caps count them, too. `upkeep` says how machines are replaced; None
    where nothing replaces them by itself.
    """

    ends: Known | None = None
    ends_within: Decimal | None = None
    starts_again: bool = False
    restarts_within: Decimal | None = None
    stops_idle: Known | None = None
    grows: Known | None = None
    image_pinned: Known = UNKNOWN
    maintenance: Known | None = None
    surge: int | Unknown = 0
    upkeep: Reachability | None = None


@record
class MarketFacts:
    """Purchase facts of a group's machines that its rung does not have.

    `lowest_price` says whether spot machines of several kinds are taken by the lowest price alone;
    None where nothing is chosen. `usage_classes` are the words of the machine table
    (`Machine.usage_classes`) of which one has to be there for the machines to be sold, where the
    cloud has other ways to buy than the rung's; None where the rung says it.
    """

    lowest_price: Known | None = None
    usage_classes: tuple[str, ...] | Unknown | None = None


@record
class CloudReasons:
    """Why the cloud of a group was chosen, and what others offer; empty without a choice.

    `chosen` says why, and `elsewhere` what each other cloud offers that the file allows, by its
    name.
    """

    chosen: str = ""
    elsewhere: tuple[tuple[str, str], ...] = ()


@record
class Group:
    """Machines bought and run together: a training node or cluster, or an inference pool.

    `subject` is what a message calls it: the path in the stack file or the resource's URN. A plan
    from a stack file has every rung of the ladder and `active_rung` is the active index; a plan
    from resources has exactly one. `weights` of mixed machines are not modelled: `machines` lists
    every type the group may hold, the most expensive is the ceiling. `faults` are what the cloud
    refuses of how the machines are bought, started, named and scaled, and of their disks, and how
    people log in to them without an identity of their own. `addresses` are how many the machines
    need of their subnet at most, and how many it has free; None where it is not stated. `notes`
    are what a reader of the plan has to know besides, for example what is not known of an image.

    `labels` are the keys of the tags or labels that the machines carry, None where the resource
    takes none. `reach` is None where the stack shows nothing of the network.
    """

    name: str
    subject: str
    purpose: Purpose
    cloud: str
    rungs: tuple[Rung, ...]
    active_rung: int = 0
    machines: tuple[str, ...] = ()
    minimum: int | Unknown = 1
    maximum: int | Unknown = 1
    needs: WorkloadNeeds = field(default_factory=WorkloadNeeds)
    fabric: Fabric | None = None
    safety: Safety = field(default_factory=Safety)
    faults: tuple[Fault, ...] = ()
    market: MarketFacts = field(default_factory=MarketFacts)
    addresses: tuple[int, int] | Unknown | None = None
    labels: frozenset[str] | Unknown | None = UNKNOWN
    lifecycle: GroupLifecycle = field(default_factory=GroupLifecycle)
    reach: Reachability | None = None
    cloud_reasons: CloudReasons = field(default_factory=CloudReasons)
    notes: tuple[str, ...] = ()

    @property
    def rung(self) -> Rung:
        """The active rung."""
        return self.rungs[self.active_rung]

    @property
    def ends_after(self) -> Decimal | None:
        """The hours after which the machines end, the longest stated; None where none is stated.

        A moment shows the hours that are left; those that are stated begin with the machines.
        """
        needs = self.needs
        limits = (self.lifecycle.ends_within, needs.ends_after, needs.ends_claimed)
        return max((end for end in limits if end is not None), default=None)

    @property
    def ceiling(self) -> int | Unknown:
        """The most machines that may run at once, including those that an update adds."""
        if isinstance(self.maximum, Unknown) or isinstance(self.lifecycle.surge, Unknown):
            return UNKNOWN
        return self.maximum + self.lifecycle.surge if self.maximum else 0
