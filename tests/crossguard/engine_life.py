"""A small engine and a small cloud: what an update does in which order, and what then runs.

It knows nothing of gpuinfra but six list prices. What it does, the real engine does:
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go
(creates before deletes, `deleteBeforeReplace`, deletes last and only after a whole program,
`ignoreChanges` before a policy sees the inputs, an import before that: what is imported is in the
state by then, replaces what stands under its name, and may not be replaced itself; of a
replacement trigger only a change replaces, and neither adding one nor taking it away),
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

from gpuinfra.crossguard.existing_resources import ExistingResource
from tests.crossguard.life_workloads import (
    BY_IMAGE,
    FOUND,
    PRICES,
    RESERVATION,
    SCHEDULE,
    Machines,
    Template,
    Workload,
    schedule,
    state_of,
)
from tests.crossguard.wire import provider, urn

Ending = Literal["refused", "failed"]


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
        replaced: templates that wait for their delete: on Google Cloud each change makes another.
        reservations: by workload, the reservations that stand: the last is the current one.
        peak: USD/h of the last update's dearest moment, by machines alone.
        outside: of what was imported once, its type and image; None where it was deleted since.
        blocked: something protected was to be deleted: the engine deletes what comes before it,
            and of what it leaves here everything is left, which costs most.
    """

    running: list[Machines] = field(default_factory=list)
    templates: dict[tuple[str, str], Template] = field(default_factory=dict)
    replaced: list[Template] = field(default_factory=list)
    reservations: dict[str, list[Workload]] = field(default_factory=dict)
    outside: dict[str, tuple[str, int] | None] = field(default_factory=dict)
    peak: Decimal = Decimal(0)
    blocked: bool = False
    _made: int = 0

    @property
    def per_hour(self) -> Decimal:
        """What the machines and reservations cost that the stack's state has."""
        machines = sum((each.cost(self.price(each)) for each in self.running), Decimal(0))
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
    def used(self) -> Decimal:
        """What reservations cost more once the machines in them leave."""
        everything = [(name, kept) for name in self.reservations for kept in self._kept(name)]
        each = (PRICES["aws"][kept.reserved] * kept.room for _, kept in everything)
        full = sum(each, Decimal(0))
        return full - sum((self._unused(*each) for each in everything), Decimal(0))

    def price(self, machines: Machines) -> Decimal:
        """A group starts what the version says that it names."""
        workload = machines.workload
        made = self.template_of(workload) if workload.cloud == "aws" else None
        return workload.price if made is None else made.started(workload.version).price

    def template_of(self, workload: Workload) -> Template | None:
        """The template that a group stands on: maybe one that waits for its delete."""
        templates = (self.templates.get((workload.kind, workload.name)), *self.replaced)
        for made in templates:
            if made is not None and made.versions[-1].template == workload.template:
                return made
        return None

    def standing(self) -> Iterator[ExistingResource]:
        """The state, as `pulumi stack export` has it at this moment."""
        for template in (*self.templates.values(), *self.replaced):
            latest = template.versions[-1]
            numbers = {"latestVersion": len(template.versions), "defaultVersion": 1}
            kind, identity = latest.template or ("", "")
            name = f"{latest.name}-template"
            made = state_of(latest, kind, name, latest.launch, id=identity, **numbers)
            yield replace(
                made,
                replaced_on=("*",) if latest.renews else (),
                awaits_deletion=template in self.replaced,
            )
        for name, reservations in self.reservations.items():
            for number, kept in enumerate(reservations, 1):
                made = state_of(
                    kept, RESERVATION, f"{name}-kept", kept.reservation, id=f"cr-{name}"
                )
                yield replace(made, awaits_deletion=number < len(reservations))
        for machines in self.running:
            workload = machines.workload
            made = state_of(
                workload, workload.kind, workload.name, machines.inputs, id=machines.group
            )
            yield replace(
                made,
                awaits_deletion=machines.leftover,
                replaced_on=("*",) if workload.strict else (),
                retained=workload.stays,
                may_be_replaced=bool(workload.trigger),
            )
            if machines.scheduled:
                inputs = schedule(machines, machines.scheduled)
                made = state_of(workload, SCHEDULE, f"{workload.name}-schedule", inputs, id="s")
                yield replace(made, awaits_deletion=machines.leftover)

    def update(self, program: Sequence[Workload], pack: Pack, *, stops_after: int | None) -> bool:
        """Run a program; gives whether the pack refused anything of it.

        Args:
            program: in the order in which its resources come.
            pack: is shown each resource before it is made.
            stops_after: after so many workloads the program fails by itself; None for never.
        """
        for each in self.running:
            each.started = each.most, self.price(each)
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
            if not self._imported(workload):
                return False
            ending = self._step(self.checked(workload), pack)
            if ending is not None:
                return ending == "refused"
        self._delete({each.name: each for each in program})
        return not self.blocked and bool(pack.end())

    def imports(self, workload: Workload) -> Machines | None:
        """What a workload is about to import: it stands, and not yet as this in the state."""
        old = self.current(workload)
        if not workload.imported or (old is not None and old.group == workload.found):
            return None
        stands = self.outside.get(workload.found, FOUND[workload.name])
        if stands is None:
            return None
        return Machines(replace(workload, machine=stands[0], edition=stands[1]), workload.found)

    def _imported(self, workload: Workload) -> bool:
        """Import what a workload says; gives whether the update goes on.

        Its cost counts from the end of that step: until then it is what already stood.
        """
        old, found = self.current(workload), self.imports(workload)
        if found is None:
            gone = workload.imported and self.outside.get(workload.found, workload) is None
            return not gone or (old is not None and old.group == workload.found)
        if old is not None:
            old.leftover = True
        self.outside[workload.found] = found.workload.machine, found.workload.edition
        self.running.append(found)
        return True

    def checked(self, workload: Workload) -> Workload:
        """A workload as the engine checks it: what it ignores stays as it stands.

        With another template than the one that stands, where a template can't be changed.
        """
        old = self.imports(workload) or self.current(workload)
        if old is not None and workload.ignores:
            workload = replace(workload, machine=old.workload.machine)
        made = self.templates.get((workload.kind, workload.name))
        if made is None or workload.template is None:
            return workload
        last = made.versions[-1]
        anew = workload.cloud == "gcp" or workload.renews
        further = anew and last.launch != workload.launch
        return replace(workload, generation=last.generation + further)

    def _step(self, workload: Workload, pack: Pack) -> Ending | None:
        """One workload; how it ends the update, if it does."""
        if workload.template and not self._template(workload, workload.template[0], pack):
            return "refused"
        if workload.reserved and not self._reserve(workload, pack):
            return "refused"
        old = self.current(workload)
        replaces = old is not None and self.replaces(old, workload)
        new = old is None or replaces
        made = Machines(workload, f"{workload.name}-{self._made}" if new else old.group)
        options: dict[str, Any] = {"deleteBeforeReplace": workload.deletes_first}
        options["deleteBeforeReplaceDefined"] = workload.deletes_first
        if workload.elsewhere:
            options["given"] = provider(region=workload.region)
        aliases = [urn(workload.kind, workload.former)] if workload.former else []
        if pack.show(workload.kind, workload.name, made.inputs, aliases=aliases, **options):
            return "refused"
        if old is not None and self._refused(old, workload):
            return "failed"
        if workload.reserved not in {"", workload.machine}:
            return "failed"
        if old is not None and not replaces:
            old.workload = workload
        else:
            self._make(made, old)
        self._look()
        return self._schedule(workload, pack)

    def _refused(self, old: Machines, new: Workload) -> bool:
        """Whether the engine or the cloud refuses a change."""
        if self.replaces(old, new):
            return new.imported or (old.workload.protected and new.protected)
        return old.vanished and old.inputs != new.inputs(old.group)

    def _make(self, made: Machines, old: Machines | None) -> None:
        self._made += 1
        if old is not None and made.workload.deletes_first and not old.workload.retained:
            self._leave([old])
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

    def current(self, workload: Workload) -> Machines | None:
        """What a workload is now: by its own name, else by the one that it had."""
        former = replace(workload, name=workload.former)
        for named in (workload, former):
            for each in self.running:
                if self._is(each, named):
                    return each
        return None

    def _template(self, workload: Workload, kind: str, pack: Pack) -> bool:
        if pack.show(kind, f"{workload.name}-template", workload.launch):
            return False
        key = workload.kind, workload.name
        made = self.templates.get(key)
        if made is None or made.versions[-1].template != workload.template:
            self.replaced += [made] if made else []
            self.templates[key] = Template([workload])
        elif made.versions[-1].launch != workload.launch:
            made.versions.append(workload)
        else:
            made.versions[-1] = workload
        self._look()
        return True

    @staticmethod
    def replaces(old: Machines, new: Workload) -> bool:
        if new.strict and old.inputs != new.inputs(old.group):
            return True
        triggers = {old.workload.trigger, new.trigger} - {0}
        if len(triggers) > 1 or old.workload.region != new.region:
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
        self.blocked = any(each.workload.protected and not each.leftover for each in gone)
        if self.blocked:
            return
        self._leave(gone)
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

    def _leave(self, gone: Sequence[Machines]) -> None:
        """Take machines out of the state: they are deleted in the cloud too, or retained there."""
        self.running = [each for each in self.running if each not in gone]
        for each in gone:
            if each.group not in self.outside:
                continue
            if each.workload.retained:
                self.outside[each.group] = each.workload.machine, each.workload.edition
                continue
            self.outside[each.group] = None
            for other in self.running:
                other.vanished = other.vanished or other.group == each.group

    def _look(self) -> None:
        self.peak = max(self.peak, self.per_hour)
