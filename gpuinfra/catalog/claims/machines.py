"""The checks of claims about machines and GPUs, which read the current tables."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.claims.verdict import (
    ClaimVerdict,
    Outcome,
    plain,
    share,
    unknown,
    verdict_from,
)
from gpuinfra.catalog.gpus import gpu as gpu_of
from gpuinfra.catalog.gpus import matching
from gpuinfra.clouds import all_machines, priced_cloud_of
from gpuinfra.model import Machine

BITS: Final = 8
"""Bits of a byte; a transfer carries one bit over each lane."""


def sold(machine: str) -> ClaimVerdict:
    """Judge whether a machine type can still be rented."""
    row = _machine(machine)
    is_current = row.status == "current"
    status_text = "current" if is_current else f"{row.status}: no region offers it"
    return verdict_from("right" if is_current else "wrong", status_text, (row,))


def machine_gpu(machine: str, gpu: str, count: int) -> ClaimVerdict:
    """Judge whether a machine has the claimed number of a GPU."""
    row = _machine(machine)
    is_right = row.gpu in matching(gpu) and row.gpu_count == count
    return verdict_from("right" if is_right else "wrong", _gpu_text(row), (row,))


def gpu_memory(machine: str, gb: int) -> ClaimVerdict:
    """Judge whether each GPU of a machine has the claimed memory, as it is sold."""
    row = _machine(machine)
    size = row.gpu_memory_nominal_gb
    if size is None:
        return unknown("its GPU memory is unknown")
    statement = f"{_gpu_text(row)}: {plain(size)} GB each"
    other_types = [
        other.type
        for other in priced_cloud_of(row.cloud).machines.all_machines()
        if other.gpu_memory_nominal_gb == gb
        and other.gpu_count == row.gpu_count
        and other.gpu.partition("-")[0] == row.gpu.partition("-")[0]
    ]
    if size == gb:
        return verdict_from("right", statement, (row,))
    hint = f"; {gb} GB is {', '.join(other_types)}" if other_types else ""
    return verdict_from("wrong", statement + hint, (row,))


def family_gpu(cloud: str, family: str, gpus: Sequence[str]) -> ClaimVerdict:
    """Judge whether the machines of a family have exactly these GPUs."""
    machines = list(_family(cloud, family))
    if not machines:
        return unknown(f"no machine type in the tables begins with {family}")
    keys = {machine.gpu for machine in machines}
    claimed = {gpu_word: keys.intersection(matching(gpu_word)) for gpu_word in gpus}
    claimed_models = frozenset().union(*claimed.values())
    missing = [gpu_word for gpu_word, those in claimed.items() if not those]
    outcome: Outcome = (
        "wrong"
        if not claimed_models
        else "partly"
        if missing or keys - claimed_models
        else "right"
    )
    statement = f"{family}… has {', '.join(sorted(keys))}"
    if missing:
        statement += f", not {', '.join(missing)}"
        statement += "".join(_gpu_family_note(cloud, gpu_word) for gpu_word in missing)
    return verdict_from(outcome, statement, machines)


def family_exists(cloud: str, family: str) -> ClaimVerdict:
    """Judge whether machine types of that name are known."""
    machines = list(_family(cloud, family))
    if machines:
        types = ", ".join(machine.type for machine in machines)
        return verdict_from(
            "right",
            f"{types}, with {', '.join(sorted({machine.gpu for machine in machines}))}",
            machines,
        )
    count = len(priced_cloud_of(cloud).machines.all_machines())
    return unknown(f"none of the {count} known types of {cloud} begins with it")


def fabric(machine: str, fabric: str) -> ClaimVerdict:
    """Judge whether a machine has a kind of fabric."""
    row = _machine(machine)
    if not row.fabric and row.fabric_interfaces is None:
        return unknown(f"no source says whether {machine} has a fabric")
    if not row.fabric:
        return verdict_from("wrong", f"{machine} has no fabric", (row,))
    rate = "unknown" if row.fabric_gbps is None else plain(row.fabric_gbps)
    is_right = row.fabric == fabric
    return verdict_from("right" if is_right else "wrong", f"{row.fabric}, {rate} Gbps", (row,))


def gpu_fact(gpu: str, fact: str, low: float, high: float) -> ClaimVerdict:
    """Judge whether a figure of GPU models is between two values."""
    models = [row for key in matching(gpu) if (row := gpu_of(key)) is not None]
    figures = {model.key: getattr(model, fact) for model in models}
    values = {key: value for key, value in figures.items() if value is not None}
    if not values:
        return unknown(f"unknown for {', '.join(figures)}")
    agreeing = sum(low <= value <= high for value in values.values())
    statement = ", ".join(
        f"{key} {plain(value)}{_unverified_mark(key, fact)}" for key, value in values.items()
    )
    return verdict_from(
        share(agreeing, len(values)), statement, [model for model in models if model.key in values]
    )


def bus(rate: str, lanes: int, payload: str, gbs: str, source: str, as_of: str) -> ClaimVerdict:
    """Judge whether a bus with this many lanes at a rate in GT/s carries the claimed GB/s.

    `payload` is the share of the bits that its line code leaves for data, for example 128/130.
    """
    data, _, sent = payload.partition("/")
    raw = Decimal(rate) * lanes / BITS
    bus_gbps = raw * Decimal(data) / Decimal(sent)
    statement = (
        f"{rate} GT/s × {lanes} lanes is {plain(raw)} GB/s each way, {plain(2 * raw)} in both"
        f" directions together; {bus_gbps:.1f} each way are left by the line code {payload}"
    )
    outcome: Outcome = "right" if Decimal(gbs) == 2 * raw else "wrong"
    return ClaimVerdict(outcome=outcome, evidence=statement, source=source, as_of=as_of)


def stated(
    claimed: str, values: Mapping[str, str], source: str, as_of: str, at_least: bool = False
) -> ClaimVerdict:
    """Judge whether a figure matches a source; `values` has the source's figures by name.

    With `at_least`, a larger figure of the source matches, too.
    """
    matches = operator.ge if at_least else operator.eq
    matching_count = sum(matches(Decimal(value), Decimal(claimed)) for value in values.values())
    figures_text = "; ".join(f"{name}: {value}" for name, value in values.items())
    return ClaimVerdict(
        outcome=share(matching_count, len(values)),
        evidence=figures_text,
        source=source,
        as_of=as_of,
    )


def gpu_nvlink(gpu: str) -> ClaimVerdict:
    """Judge whether NVLink connects a GPU in the machines that have several."""
    machines = [
        machine
        for machine in all_machines()
        if machine.gpu in matching(gpu) and machine.gpu_count > 1 and machine.nvlink is not None
    ]
    if not machines:
        return unknown("no machine type with several of them is known")
    nvlink_count = sum(bool(machine.nvlink) for machine in machines)
    types = f"the {len(machines)} types with several {gpu}"
    statement = f"NVLink connects them in {nvlink_count or 'none'} of {types}"
    return verdict_from(share(nvlink_count, len(machines)), statement, machines)


def host(gpus: Sequence[str], vcpu: int, memory_gib: int) -> ClaimVerdict:
    """Judge whether the machines with these GPUs have this many vCPUs and GiB per GPU."""
    keys = {key for gpu_word in gpus for key in matching(gpu_word)}
    machines = [
        machine
        for machine in all_machines()
        if machine.gpu in keys
        and machine.status == "current"
        and machine.vcpu
        and machine.memory_gib
    ]
    enough = [
        machine
        for machine in machines
        if (machine.vcpu or 0) >= vcpu * machine.gpu_count
        and (machine.memory_gib or 0) >= memory_gib * machine.gpu_count
    ]
    short = [machine.type for machine in machines if machine not in enough]
    statement = f"{len(enough)} of {len(machines)} machine types with {', '.join(gpus)} have it"
    if short:
        statement += f"; not {', '.join(short[:4])}" + (" …" if len(short) > 4 else "")  # noqa: PLR2004
    return verdict_from(share(len(enough), len(machines)), statement, machines)


def unsourced(missing: str) -> ClaimVerdict:
    """Return the verdict on a claim that no table of the catalog covers."""
    return unknown(f"the catalog has no source for it; it would take {missing}")


def _gpu_text(machine: Machine) -> str:
    return f"{machine.type} has {plain(machine.gpu_count)} × {machine.gpu}"


def _gpu_family_note(cloud: str, gpu_word: str) -> str:
    """Return a note on the cloud's families that have a GPU instead."""
    keys = matching(gpu_word)
    machines = [
        machine
        for machine in priced_cloud_of(cloud).machines.all_machines()
        if machine.gpu in keys
    ]
    names = dict.fromkeys(_family_of_type(machine.type) for machine in machines)
    return f"; {gpu_word} is {', '.join(names)}" if names else ""


def _family_of_type(type_: str) -> str:
    """Return the family in a machine type's name."""
    head, mark, _ = type_.partition("-")
    return head if mark else type_.rpartition(".")[0] or type_


def _unverified_mark(key: str, fact: str) -> str:
    model = gpu_of(key)
    return " (unverified)" if model is not None and fact in model.unverified else ""


def _machine(type_: str) -> Machine:
    return next(machine for machine in all_machines() if machine.type == type_)


def _family(cloud: str, start: str) -> Iterator[Machine]:
    return (
        machine
        for machine in priced_cloud_of(cloud).machines.all_machines()
        if machine.type.startswith(start)
    )
