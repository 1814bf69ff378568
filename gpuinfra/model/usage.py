"""Facts that no resource shows, as the user states them."""

from collections.abc import Mapping
from dataclasses import field, fields
from decimal import Decimal

from gpuinfra.model.groups import CheckpointWrites, FabricRequirement, Purpose, WorkloadNeeds
from gpuinfra.model.unknown import UNKNOWN
from gpuinfra.records import record


@record
class Trust:
    """A user's trust in resources outside the stack that an input refers to.

    `value` is a pattern of ids, or of the names of the stacks that they come from; None for any.
    `private` says that subnets give no public address, and that security groups, networks and
    firewalls allow no traffic from the internet; `limited` that roles and accounts have no
    administrator permissions.
    """

    input: str
    value: str | None = None
    private: bool = False
    limited: bool = False
    why: str


@record
class Usage:
    """Facts that no resource shows, stated by the user by group or bucket name.

    Given to both entrances of the invariant: run hours, hours until they end, runs a month,
    expected machines, gigabytes stored, and of checkpoints and old versions beside them, requests
    to read and to write a month. `checkpoint_writes` have the amounts of `CheckpointWrites`.
    `ends_claimed` are hours until they end by a program's own word where its judge does not take
    it alone. `data` is the whole stack's: a month's gigabytes (10^9 bytes) or counts, by the words
    of the stack file's `usage`. `trust` is of references out of the stack.
    """

    hours: Mapping[str, Decimal] = field(default_factory=dict)
    ends_after: Mapping[str, Decimal] = field(default_factory=dict)
    ends_claimed: Mapping[str, Decimal] = field(default_factory=dict)
    expected: Mapping[str, Decimal] = field(default_factory=dict)
    runs: Mapping[str, Decimal] = field(default_factory=dict)
    gigabytes: Mapping[str, Decimal] = field(default_factory=dict)
    versions: Mapping[str, Decimal] = field(default_factory=dict)
    checkpoints: Mapping[str, bool] = field(default_factory=dict)
    checkpoint_writes: Mapping[str, Mapping[str, Decimal]] = field(default_factory=dict)
    purpose: Mapping[str, Purpose] = field(default_factory=dict)
    nvlink: Mapping[str, bool] = field(default_factory=dict)
    fabric: Mapping[str, FabricRequirement] = field(default_factory=dict)
    reads: Mapping[str, Decimal] = field(default_factory=dict)
    writes: Mapping[str, Decimal] = field(default_factory=dict)
    data: Mapping[str, Decimal] = field(default_factory=dict)
    trust: tuple[Trust, ...] = ()

    def needs_of(self, name: str) -> WorkloadNeeds:
        """Return the statements about one group; work that saves checkpoints is interruptible."""
        saves = self.checkpoints.get(name, UNKNOWN)
        return WorkloadNeeds(
            expected=self.expected.get(name),
            hours=self.hours.get(name),
            ends_after=self.ends_after.get(name),
            ends_claimed=self.ends_claimed.get(name),
            runs=self.runs.get(name, Decimal(1)),
            checkpoints=saves,
            interruptible=saves,
            nvlink=self.nvlink.get(name, False),
            fabric=self.fabric.get(name),
            writes=self._checkpoint_writes(name),
        )

    def _checkpoint_writes(self, name: str) -> CheckpointWrites | None:
        writes = self.checkpoint_writes.get(name, {})
        is_complete = all(writes.get(field.name) for field in fields(CheckpointWrites))
        return CheckpointWrites(**writes) if is_complete else None
