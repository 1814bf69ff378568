"""A plan: the rows of a whole stack, its other billed items, and its caps."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from decimal import Decimal
from itertools import chain
from operator import attrgetter
from typing import Any

from gpuinfra.model.access import ControlPlane, Credential, Exposure, Grant, Listener, OpenPorts
from gpuinfra.model.faults import Fault
from gpuinfra.model.groups import Group
from gpuinfra.model.storage import Bucket, Disk, FileSystem
from gpuinfra.model.unknown import UNKNOWN, Unknown
from gpuinfra.records import record


@record
class Item:
    """A billed item other than a machine: a disk, a NAT gateway, an address.

    `item` is a key of the cloud's price table, `quantity` counts `unit`s at the group's maximum
    (None: not known; the rate is printed). `monthly` quantities are used up in each month.
    `region` None follows the active rung of `group`. `per_machine` items are given per machine;
    those that are `kept_when_stopped` cost the whole month, however long the machines run. `mode`
    is that of the price row: `list`, or a way to buy for what is a share of a machine's price.
    `quantity_hint` says what to state where an unknown quantity is the cloud's own default.
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
    mode: str = "list"
    quantity_hint: str = ""


@record
class SharedNetwork:
    """The network that workloads share in a region, billed once while any of them is there.

    `workloads` are those with a rung in the region, `items` what the network holds as declared,
    with those that are there (none: it is not declared), `maximum_items` what it would with all of
    them.
    """

    cloud: str
    region: str
    workloads: tuple[str, ...]
    items: tuple[Item, ...] = ()
    maximum_items: tuple[Item, ...] = ()


@record
class Defect:
    """A resource with faults that no other row covers; `faults` is never empty.

    The cloud refuses it, or takes it and it has no effect.
    """

    name: str
    subject: str
    cloud: str
    faults: tuple[Fault, ...]


@record
class NotJudged:
    """A resource that no table judges: counted in coverage, and unpriced for the budget rules.

    `by_type` says that its type alone is why, so that a row on the type settles it; otherwise its
    own inputs are why. `may_start_machines` is False where a table says that no machine can be in
    its type; `hourly_maximum` is then the most that it costs an hour by its own inputs, in US
    dollars. `unseen_rights` are the identities and policies whose permissions alone are not
    judged. `lacks_price` says that its reason already says that no price is known. `fix` is what
    to change so that it is judged, where that is known.
    """

    subject: str
    type: str
    reason: str
    by_type: bool = False
    lacks_price: bool = False
    may_start_machines: bool = True
    hourly_maximum: Decimal = Decimal(0)
    unseen_rights: tuple[str, ...] = ()
    fix: str = ""


@record
class Caps:
    """The caps on the cost of the stack in USD per hour, per run and per month (730 h).

    `billing_account` is the Google Cloud billing account that a budget can be made on.
    """

    per_hour: Decimal | None = None
    per_run: Decimal | None = None
    per_month: Decimal | None = None
    notify: tuple[str, ...] = ()
    billing_account: str | None = None


@record(kw_only=False)
class BudgetDoubt:
    """Why the limit of a budget in the cloud is unknown, and what makes it known."""

    reason: str
    fix: str


@record
class Rows:
    """The rows of resources: of one, of a cloud, or of a whole stack; rows can be combined."""

    groups: tuple[Group, ...] = ()
    items: tuple[Item, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    file_systems: tuple[FileSystem, ...] = ()
    disks: tuple[Disk, ...] = ()
    listeners: tuple[Listener, ...] = ()
    open_ports: tuple[OpenPorts, ...] = ()
    control_planes: tuple[ControlPlane, ...] = ()
    grants: tuple[Grant, ...] = ()
    credentials: tuple[Credential, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    defects: tuple[Defect, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    undecided: tuple[NotJudged, ...] = ()
    """The resources that may start machines, depending on text that is not known yet."""
    unseen_rights: tuple[NotJudged, ...] = ()
    """The resources that run code with permissions from outside the stack; its cost is judged, or
    is among the above."""
    cloud_budget: Decimal | Unknown | None = None
    """The monthly limit of the budget kept in the cloud itself, None when there is none."""
    budget_doubts: tuple[BudgetDoubt, ...] = ()
    """Why that limit is unknown, where it is."""
    budget_words: tuple[str, ...] = ()
    """The shares at which it sends mail, and what it counts, as far as it is seen."""

    def rows_by_field(self) -> dict[str, Any]:
        """Return the rows by field, without the other fields of a `Plan`."""
        return {field.name: getattr(self, field.name) for field in fields(Rows)}


def combined_rows(rows: Iterable[Rows]) -> Rows:
    """Return combined rows; the budget is the smallest one, unknown if any is unknown."""
    all_rows = tuple(rows)
    budgets = [plan.cloud_budget for plan in all_rows if plan.cloud_budget is not None]
    listed = {
        field.name: tuple(chain.from_iterable(map(attrgetter(field.name), all_rows)))
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
    """The plan of a whole stack, to be priced, judged and built."""

    name: str
    owner: str | None
    caps: Caps
    data: Mapping[str, Decimal] | None = None
    """Gigabytes (10^9 bytes) a month by kind, as far as stated; None: a plan of a part."""
    networks: tuple[SharedNetwork, ...] = ()
    """The networks that workloads of a stack file share, in each region of their rungs."""
    notes: tuple[str, ...] = ()
    """Notes on the whole plan, for example how late a cloud's budget is."""
    disk_loss_notes: tuple[str, ...] = ()
    """Notes on machines that are deleted, with their disks, once they are idle."""
    from_file: bool = False
    """Whether a stack file was planned, whose keys a fix may name; else Pulumi resources were."""

    @property
    def not_fully_judged(self) -> tuple[NotJudged, ...]:
        """The resources whose cost is not judged, then those whose permissions are not."""
        return (*self.not_judged, *self.unseen_rights)

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The cloud and region of all machines and buckets on any rung, without duplicates."""
        regions = [(group.cloud, rung.region) for group in self.groups for rung in group.rungs]
        regions += [
            (bucket.cloud, bucket.region) for bucket in self.buckets if bucket.region is not None
        ]
        return tuple(dict.fromkeys(regions))
