"""A small engine and a small cloud: what an update does in which order, and what then runs.

It knows nothing of gpuinfra but six list prices. What it does, the real engine does:
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go
(creates before deletes, `deleteBeforeReplace`, deletes last and only after a whole program,
`ignoreChanges` before a policy sees the inputs),
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/deployment_executor.go (a pack
sees the whole last of all, after the deletes, and only where no step failed),
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_executor.go (what was made
before a failure stays in the state). What the clouds change in place is from their references: an
instance's type (it is stopped meanwhile), sizes, a launch template by a version. AWS refuses a
machine whose type is not that of the reservation which it names:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html.
`tests/policies/test_engine_lives.py` runs the same programs on the real engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, Protocol

from gpuinfra.crossguard.state import StandingResource
from tests.crossguard.life_workloads import (
    BY_IMAGE,
    PRICES,
    RESERVATION,
    SCHEDULE,
    Machines,
    Template,
    Workload,
    schedule,
    state_of,
)
from tests.crossguard.wire import urn

Ending = Literal["refused", "failed"]

UNBOUNDED = Decimal("Infinity")


class Pack(Protocol):
    """What refuses: gives what it holds against a resource, and against the whole."""

    def show(self, kind: str, name: str, inputs: Mapping[str, Any], **options: Any) -> object: ...

    def end(self) -> object: ...


@dataclass
class Life:
    """One stack, its state, and the most that it cost at any moment.

    Attributes:
        running: what runs and is in the state.
        templates: by kind of group and workload.
        replaced: templates of Google Cloud that wait for their delete; there each is made anew.
        reservations: by workload, the reservations that stand: the last is the current one.
        peak: USD/h of the last update's dearest moment, by machines alone.
        blocked: something protected was to be deleted: the engine deletes what comes before it,
            and of what it leaves here everything is left, which costs most.
    """

    running: list[Machines] = field(default_factory=list)
    templates: dict[tuple[str, str], Template] = field(default_factory=dict)
    replaced: list[Workload] = field(default_factory=list)
    reservations: dict[str, list[Workload]] = field(default_factory=dict)
    peak: Decimal = Decimal(0)
    blocked: bool = False
    _made: int = 0

    @property
    def per_hour(self) -> Decimal:
        """What the machines and reservations cost that the stack's state has."""
        machines = sum((each.cost(self._price(each)) for each in self.running), Decimal(0))
        return machines + sum(
            (self._unused(name, kept) for name in self.reservations for kept in self._kept(name)),
            Decimal(0),
        )

    def _kept(self, name: str) -> list[Workload]:
        return self.reservations.get(name, [])

    def _unused(self, name: str, kept: Workload) -> Decimal:
        """A reservation is paid but for machines of its type that run in the current one."""
        current = kept is self._kept(name)[-1]
        users = sum(
            each.workload.name == name
            and bool(each.workload.reserved)
            and each.workload.machine == kept.reserved
            for each in self.running
        )
        used = min(users, kept.room) if current else 0
        return PRICES["aws"][kept.reserved] * (kept.room - used)

    @property
    def _used(self) -> Decimal:
        """What reservations cost more once the machines in them leave."""
        everything = [(name, kept) for name in self.reservations for kept in self._kept(name)]
        each = (PRICES["aws"][kept.reserved] * kept.room for _, kept in everything)
        full = sum(each, Decimal(0))
        return full - sum((self._unused(*each) for each in everything), Decimal(0))

    def _price(self, machines: Machines) -> Decimal:
        """A group starts what the version says that it names."""
        workload = machines.workload
        made = self.templates.get((workload.kind, workload.name))
        if made is None or workload.cloud != "aws":
            return workload.price
        return made.started(workload.version).price

    def standing(self) -> Iterator[StandingResource]:
        """The state, as `pulumi stack export` has it at this moment."""
        for (_, name), made in self.templates.items():
            latest = made.versions[-1]
            numbers = {"latestVersion": len(made.versions), "defaultVersion": 1}
            kind, identity = latest.template or ("", "")
            yield state_of(latest, kind, f"{name}-template", latest.launch, id=identity, **numbers)
        for each in self.replaced:
            kind, identity = each.template or ("", "")
            made = state_of(each, kind, f"{each.name}-template", each.launch, id=identity)
            yield replace(made, leftover=True)
        for name, reservations in self.reservations.items():
            for number, kept in enumerate(reservations, 1):
                made = state_of(
                    kept, RESERVATION, f"{name}-kept", kept.reservation, id=f"cr-{name}"
                )
                yield replace(made, leftover=number < len(reservations))
        for machines in self.running:
            workload = machines.workload
            made = state_of(
                workload, workload.kind, workload.name, machines.inputs, id=machines.group
            )
            marks = {"strict": workload.strict, "retained": workload.retained}
            yield replace(made, leftover=machines.leftover, **marks)
            if machines.scheduled:
                inputs = schedule(machines, machines.scheduled)
                made = state_of(workload, SCHEDULE, f"{workload.name}-schedule", inputs, id="s")
                yield replace(made, leftover=machines.leftover)

    def update(self, program: Sequence[Workload], pack: Pack, *, stops_after: int | None) -> bool:
        """Run a program; gives whether the pack refused anything of it.

        Args:
            program: in the order in which its resources come.
            pack: is shown each resource before it is made.
            stops_after: after so many workloads the program fails by itself; None for never.
        """
        for each in self.running:
            each.started = each.most, self._price(each)
        self.peak = self.per_hour
        refused = self._run(program, pack, stops_after)
        for each in self.running:
            # The state does not tell of older machines: by the next update they are made anew.
            each.started = 0, Decimal(0)
        return refused

    def _run(self, program: Sequence[Workload], pack: Pack, stops_after: int | None) -> bool:
        for number, workload in enumerate(program):
            if number == stops_after:
                return False
            ending = self._step(self._checked(workload), pack)
            if ending is not None:
                return ending == "refused"
        self._delete({each.name: each for each in program})
        return not self.blocked and bool(pack.end())

    def _checked(self, workload: Workload) -> Workload:
        """A workload as the engine checks it: what it ignores stays as it stands.

        With another template than the one that stands, where a template can't be changed.
        """
        old = self._old(workload)
        if old is not None and workload.ignores:
            workload = replace(workload, machine=old.workload.machine)
        made = self.templates.get((workload.kind, workload.name))
        if made is None or workload.cloud != "gcp":
            return workload
        last = made.versions[-1]
        further = last.launch != workload.launch
        return replace(workload, generation=last.generation + further)

    def _step(self, workload: Workload, pack: Pack) -> Ending | None:
        """One workload; how it ends the update, if it does."""
        if workload.template and not self._template(workload, workload.template[0], pack):
            return "refused"
        if workload.reserved and not self._reserve(workload, pack):
            return "refused"
        old = self._old(workload)
        replaces = old is not None and self._replaces(old, workload)
        new = old is None or replaces
        made = Machines(workload, f"{workload.name}-{self._made}" if new else old.group)
        options = {"deleteBeforeReplace": workload.deletes_first}
        options["deleteBeforeReplaceDefined"] = workload.deletes_first
        aliases = [urn(workload.kind, workload.former)] if workload.former else []
        if pack.show(workload.kind, workload.name, made.inputs, aliases=aliases, **options):
            return "refused"
        if old is not None and replaces and old.workload.protected:
            return "failed"
        if workload.reserved not in {"", workload.machine}:
            return "failed"
        if old is not None and not replaces:
            old.workload = workload
        else:
            self._make(made, old)
        self._look()
        return self._schedule(workload, pack)

    def _make(self, made: Machines, old: Machines | None) -> None:
        self._made += 1
        if old is not None and made.workload.deletes_first and not old.workload.retained:
            self.running.remove(old)
        elif old is not None:
            old.leftover = True
        self.running.append(made)

    def _schedule(self, workload: Workload, pack: Pack) -> Ending | None:
        if not workload.scheduled:
            return None
        (current,) = (each for each in self.running if self._is(each, workload))
        inputs = schedule(current, workload.scheduled)
        if pack.show(SCHEDULE, f"{workload.name}-schedule", inputs):
            return "refused"
        current.scheduled = workload.scheduled
        self._look()
        return None

    def _reserve(self, workload: Workload, pack: Pack) -> bool:
        if pack.show(RESERVATION, f"{workload.name}-kept", workload.reservation):
            return False
        known = self.reservations.setdefault(workload.name, [])
        if not known or known[-1].reserved != workload.reserved:
            known.append(workload)
        known[-1] = workload
        self._look()
        return True

    @staticmethod
    def _is(machines: Machines, workload: Workload) -> bool:
        own = machines.workload
        return not machines.leftover and (own.name, own.kind) == (workload.name, workload.kind)

    def _old(self, workload: Workload) -> Machines | None:
        """What a workload is now: by its own name, else by the one that it had."""
        former = replace(workload, name=workload.former)
        for named in (workload, former):
            for each in self.running:
                if self._is(each, named):
                    return each
        return None

    def most(self, program: Sequence[Workload]) -> Decimal:
        """USD/h that a program may come to while it runs, in whatever order its resources come.

        All that stands, what comes beside it, and of what is changed in place the dearer. Without
        a bound where the version of a template is none that the state has, and for reservations,
        which are paid with machines in them or without.
        """
        program = [self._checked(each) for each in program]
        everything = [*program, *(each.workload for each in self.running)]
        if any(not self._is_known(each, program) for each in everything):
            return UNBOUNDED
        total = self.per_hour + self._used
        for workload in program:
            old = self._old(workload)
            before = self._price(old) * old.most if old else Decimal(0)
            size = max(workload.size or 1, workload.scheduled, old.scheduled if old else 0)
            after = workload.price * size
            goes_first = workload.deletes_first and old is not None and not old.workload.retained
            meanwhile = before
            if old is not None and old.workload.name == workload.name and workload.template:
                # Its template changes first: for a while the group as it was starts the new.
                meanwhile = max(before, workload.price * old.most)
            if old is None or (self._replaces(old, workload) and not goes_first):
                total += meanwhile - before + after
            else:
                more = max(size - old.most, 0) * workload.price
                total += max(meanwhile, after, before + more) - before
            if workload.reserved:
                total += PRICES["aws"][workload.reserved] * workload.room
        return total

    def _is_known(self, workload: Workload, program: Sequence[Workload]) -> bool:
        """Whether the version that a group names is the latest, before and after the program."""
        made = self.templates.get((workload.kind, workload.name))
        if made is None or workload.version == "$Latest":
            return True
        changed = any(
            (each.kind, each.name) == (workload.kind, workload.name)
            and each.launch != made.versions[-1].launch
            for each in program
        )
        return len(made.versions) == 1 and not changed

    def _template(self, workload: Workload, kind: str, pack: Pack) -> bool:
        if pack.show(kind, f"{workload.name}-template", workload.launch):
            return False
        key = workload.kind, workload.name
        made = self.templates.get(key)
        if made is None or made.versions[-1].template != workload.template:
            self.replaced += made.versions[-1:] if made else []
            self.templates[key] = Template([workload])
        elif made.versions[-1].launch != workload.launch:
            made.versions.append(workload)
        self._look()
        return True

    @staticmethod
    def _replaces(old: Machines, new: Workload) -> bool:
        if old.workload.strict and old.inputs != new.inputs(old.group):
            return True
        return new.kind in BY_IMAGE and old.workload.edition != new.edition

    def _delete(self, program: Mapping[str, Workload]) -> None:
        """What is left over or no longer in the program."""
        gone = [
            each
            for each in self.running
            if each.leftover
            or each.workload.name not in program
            or not self._is(each, program[each.workload.name])
        ]
        self.blocked = any(each.workload.protected for each in gone)
        if self.blocked:
            return
        self.running = [each for each in self.running if each not in gone]
        for each in self.running:
            each.scheduled = program[each.workload.name].scheduled
        kept = {(each.kind, each.name) for each in program.values()}
        self.replaced = []
        self.templates = {key: made for key, made in self.templates.items() if key in kept}
        self.reservations = {
            name: known[-1:]
            for name, known in self.reservations.items()
            if name in program and program[name].reserved
        }

    def _look(self) -> None:
        self.peak = max(self.peak, self.per_hour)
