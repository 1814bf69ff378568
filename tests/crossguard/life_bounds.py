"""What a cap has to let through of a small engine's update, and what it can't see of one."""

from collections.abc import Sequence
from decimal import Decimal

from tests.crossguard.engine_life import Life
from tests.crossguard.life_workloads import PRICES, Machines, Workload

UNBOUNDED = Decimal("Infinity")


def outside(life: Life, program: Sequence[Workload]) -> Decimal:
    """USD/h of what a program imports: that is paid already, and is not yet the stack's."""
    found = (life.imports(each) for each in program)
    return sum((each.workload.price for each in found if each is not None), Decimal(0))


def hides(life: Life, program: Sequence[Workload]) -> bool:
    """Whether an update replaces what the engine shows to no policy: policies/README.md lists it.

    By an import over what stands, or by a replaceOnChanges that this update adds.
    """
    return any(_hides(life, each) for each in map(life.checked, program))


def _hides(life: Life, workload: Workload) -> bool:
    old = life.current(workload)
    if old is not None and life.imports(workload) is not None:
        return True
    if old is not None and workload.strict and not old.workload.strict and _changes(old, workload):
        return True
    template = life.templates.get((workload.kind, workload.name))
    return (
        template is not None
        and workload.renews
        and not template.versions[-1].renews
        and template.versions[-1].launch != workload.launch
    )


def _changes(old: Machines, new: Workload) -> bool:
    return old.inputs != new.inputs(old.group)


def most(life: Life, program: Sequence[Workload]) -> Decimal:
    """USD/h that a program may come to while it runs, in whatever order its resources come.

    All that stands, what comes beside it, and of what is changed in place the dearer. Without
    a bound where the version of a template is none that the state has, and for reservations,
    which are paid with machines in them or without.
    """
    program = [life.checked(each) for each in program]
    everything = [*program, *(each.workload for each in life.running)]
    if any(not _is_known(life, each, program) for each in everything):
        return UNBOUNDED
    total = life.per_hour + life.used + outside(life, program)
    return total + sum((_more(life, each) for each in program), Decimal(0))


def _more(life: Life, workload: Workload) -> Decimal:
    """What one workload may add."""
    old = life.imports(workload) or life.current(workload)
    reserved = (
        PRICES["aws"][workload.reserved] * workload.room if workload.reserved else Decimal(0)
    )
    size = max(workload.size or 1, workload.scheduled, old.scheduled if old else 0)
    after = workload.price * size
    if old is None:
        return after + reserved
    before = meanwhile = life.price(old) * old.most
    if old.workload.name == workload.name and workload.template:
        # Its template changes first: for a while the group as it was starts the new.
        meanwhile = max(before, workload.price * old.most)
    goes_first = workload.deletes_first and not old.workload.stays
    twice = life.replaces(old, workload) or (old.workload.strict and _changes(old, workload))
    twice = twice or bool(old.workload.trigger)
    if twice and not goes_first:
        return meanwhile - before + after + reserved
    further = max(size - old.most, 0) * workload.price
    return max(meanwhile, after, before + further) - before + reserved


def _is_known(life: Life, workload: Workload, program: Sequence[Workload]) -> bool:
    """Whether the version that a group names is the latest, before and after the program."""
    made = life.template_of(workload)
    if workload.renews:
        return False
    if made is None or workload.version == "$Latest":
        return True
    changed = any(
        (each.kind, each.name) == (workload.kind, workload.name)
        and each.launch != made.versions[-1].launch
        for each in program
    )
    return len(made.versions) == 1 and not changed
