"""The energy that the GPUs of a plan use, also with a data centre's overhead and CO2."""

from collections.abc import Iterator
from decimal import Decimal

from gpuinfra.catalog import gpu
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Group, Machine, Plan, Unknown
from gpuinfra.records import record
from gpuinfra.units import HOURS_PER_MONTH


@record
class EnergyUse:
    """The energy of one workload's GPUs at full power, without hosts and networks.

    Attributes:
        group: the workload.
        gpus: how many run at most.
        gpu: the model.
        watts: of one, as its maker rates it; None is unknown.
        hours: of the run's `duration`, which leaves writing checkpoints and interruptions out; or
            of a month where no `duration` is stated.
        period: "run" or "month".
        kwh: of the GPUs alone: watts × hours.
        pue: power usage effectiveness, as the stack says it; None when it does not.
        total_kwh: with the data centre's losses: kwh × pue.
        carbon_kg: CO2, at the intensity that the stack says.
        source: of the watts.
        as_of: of the watts.
    """

    group: str
    gpus: Decimal
    gpu: str
    watts: Decimal | None
    hours: Decimal
    period: str
    kwh: Decimal | None
    pue: Decimal | None
    total_kwh: Decimal | None
    carbon_kg: Decimal | None
    source: str
    as_of: str


def energies(plan: Plan, pue: Decimal | None, carbon: Decimal | None) -> Iterator[EnergyUse]:
    """Yield the energy of each workload of a plan on its active rung.

    Args:
        plan: what runs.
        pue: kWh that a data centre draws for each kWh of its computers.
        carbon: grams of CO2 per kWh.
    """
    for group in plan.groups:
        energy = _energy(group, pue, carbon)
        if energy is not None:
            yield energy


def _energy(group: Group, pue: Decimal | None, carbon: Decimal | None) -> EnergyUse | None:
    machine = _highest_power_machine(group)
    if machine is None or isinstance(group.maximum, Unknown):
        return None
    gpu_row = gpu(machine.gpu)
    count = machine.gpu_count * group.maximum
    hours = HOURS_PER_MONTH if group.needs.hours is None else group.needs.hours
    watts = gpu_row.watts if gpu_row else None
    kwh = None if watts is None else watts * count * hours / 1000
    total = None if kwh is None or pue is None else kwh * pue
    return EnergyUse(
        group=group.name,
        gpus=count,
        gpu=machine.gpu,
        watts=watts,
        hours=hours,
        period="month" if group.needs.hours is None else "run",
        kwh=kwh,
        pue=pue,
        total_kwh=total,
        carbon_kg=None if total is None or carbon is None else total * carbon / 1000,
        source=gpu_row.source if gpu_row else "",
        as_of=gpu_row.as_of if gpu_row else "",
    )


def _highest_power_machine(group: Group) -> Machine | None:
    """Return a group's machine type with the highest GPU power, unknown power first."""
    names = group.machines or (group.rung.machine,)
    machines = [priced_cloud_of(group.cloud).machines.get(name) for name in names]
    known_machines = [machine for machine in machines if machine is not None]
    return (
        max(known_machines, key=_watts)
        if known_machines and len(known_machines) == len(machines)
        else None
    )


def _watts(machine: Machine) -> Decimal:
    gpu_facts = gpu(machine.gpu)
    if gpu_facts is None or gpu_facts.watts is None:
        return Decimal("Infinity")
    return gpu_facts.watts * machine.gpu_count
