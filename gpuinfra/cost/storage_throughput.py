"""The storage throughput of a run: reads, writes, and the bottleneck for the GPUs."""

from decimal import Decimal
from typing import Final, Literal

from gpuinfra.model import Machine
from gpuinfra.records import record

BYTES: Final = Decimal(125_000_000)
"""Bytes a second of one Gbit/s."""


@record
class Storage:
    """The rates of all machines of a run together, in bytes per second; None is unknown.

    Attributes:
        gpu_read_rate: what the GPUs read, as the stack says.
        stated_write_rate: how fast a checkpoint is written, as the stack says.
        network: what the machines' network takes besides the fabric between GPUs.
        rate_kind: whether it takes that `sustained`, or only in a `burst` whose end is not known;
            empty where neither is stated.
        bottleneck: in words, which of the known rates on the way of a checkpoint is the smallest.
        is_too_slow: whether the network gives less than the GPUs read; None is not known.
        source: of the network's rate.
    """

    gpu_read_rate: Decimal | None
    stated_write_rate: Decimal | None
    network: Decimal | None
    rate_kind: Literal["sustained", "burst", ""]
    bottleneck: str
    is_too_slow: bool | None
    source: str

    @property
    def write_rate(self) -> Decimal | None:
        """The write rate of a checkpoint, limited by the network."""
        known_rates = [rate for rate in (self.stated_write_rate, self.network) if rate is not None]
        return None if self.stated_write_rate is None else min(known_rates)


def storage(
    machine: Machine, machines: int, reads: Decimal | None, writes: Decimal | None
) -> Storage:
    """Return the rates of a run on so many machines; a bucket's own rate is in no table."""
    gbps_per_machine = ip_gbps(machine)
    network = None if gbps_per_machine is None else gbps_per_machine * BYTES * machines
    return Storage(
        gpu_read_rate=reads,
        stated_write_rate=writes,
        network=network,
        rate_kind=_bandwidth_kind(machine),
        bottleneck=_narrowest(writes, network),
        is_too_slow=None if reads is None or network is None else reads > network,
        source=f"{machine.source}, {machine.as_of}",
    )


def ip_gbps(machine: Machine) -> Decimal | None:
    """Return a machine's network rate without the fabric between its GPUs, sustained if known.

    The table's rate is the fabric's own (Azure counts InfiniBand apart), holds both (Google
    Cloud), or is that of cards which all speak the fabric and of which the first one carries IP
    (EFA as gpuinfra lays it out).
    """
    network, fabric = machine.network_sustained_gbps, machine.fabric_gbps
    network = machine.network_gbps if network is None else network
    if network is None or fabric is None or network < fabric:
        return network
    return network - fabric if network > fabric else network / (machine.network_cards or 1)


def _bandwidth_kind(machine: Machine) -> Literal["sustained", "burst", ""]:
    if machine.network_sustained_gbps is not None:
        return "sustained"
    return "burst" if "network is burst" in machine.notes else ""


def _narrowest(writes: Decimal | None, network: Decimal | None) -> str:
    if writes is None and network is None:
        return ""
    if writes is None or (network is not None and network < writes):
        return "the machines' network"
    return "checkpoints.write"
