"""A small engine and a small cloud: what an update does in which order, and what then runs.

It knows nothing of gpuinfra but two list prices. What it does, the real engine does:
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go
(creates before deletes, `deleteBeforeReplace`, deletes last and only after a whole program),
https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_executor.go (what was made
before a failure stays in the state). What AWS changes in place is from the EC2 and Auto Scaling
references: an instance's type (it is stopped meanwhile), a group's sizes, a template by a version.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, Protocol

from gpuinfra.crossguard.state import StandingResource
from gpuinfra.model import Resource
from tests.crossguard.wire import urn

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"

PRICES = {"p5.48xlarge": Decimal("55.04"), "g6.xlarge": Decimal("0.8048")}
"""USD/h on demand in us-east-1, of the shipped catalog."""


Ending = Literal["refused", "failed"]


@dataclass(frozen=True)
class Wanted:
    """One workload of a program: an instance, or a scaling group with a template of its own.

    `size` is a group's maximum; an instance is one machine. `edition` is its image, of which a
    change replaces an instance and gives a template another version.
    """

    name: str
    machine: str
    size: int = 0
    edition: int = 0
    deletes_first: bool = False
    strict: bool = False
    retained: bool = False
    protected: bool = False
    former: str = ""

    @property
    def kind(self) -> str:
        return GROUP if self.size else INSTANCE

    @property
    def per_hour(self) -> Decimal:
        return PRICES[self.machine] * (self.size or 1)

    @property
    def launch(self) -> dict[str, Any]:
        return {
            "instanceType": self.machine,
            "imageId" if self.size else "ami": f"ami-{self.edition:08}",
            **({} if self.size else {"associatePublicIpAddress": False}),
        }

    @property
    def scaling(self) -> dict[str, Any]:
        template = {"id": f"lt-{self.name}", "version": "$Latest"}
        return {"minSize": 0, "maxSize": self.size, "launchTemplate": template}

    @property
    def inputs(self) -> dict[str, Any]:
        return self.scaling if self.size else self.launch


class Pack(Protocol):
    """What refuses: gives what it holds against a resource, and against the whole."""

    def show(self, kind: str, name: str, inputs: Mapping[str, Any], **options: Any) -> object: ...

    def end(self) -> object: ...


@dataclass(eq=False)
class Machines:
    """Something that runs, as the cloud and the state have it; `leftover` waits for its delete."""

    wanted: Wanted
    leftover: bool = False


@dataclass
class Life:
    """One stack, its state, and the most that it cost at any moment.

    Attributes:
        running: what runs and is in the state.
        peak: USD/h of the last update's dearest moment, by machines alone.
    """

    running: list[Machines] = field(default_factory=list)
    templates: dict[str, Wanted] = field(default_factory=dict)
    peak: Decimal = Decimal(0)

    @property
    def per_hour(self) -> Decimal:
        """What the machines cost that the stack's state has."""
        return sum((self._cost(one.wanted) for one in self.running), Decimal(0))

    def _cost(self, one: Wanted) -> Decimal:
        """A group starts what its template says now."""
        made_of = self.templates.get(one.name, one) if one.size else one
        return PRICES[made_of.machine] * (one.size or 1)

    def standing(self) -> Iterator[StandingResource]:
        """The state, as `pulumi stack export` has it at this moment."""
        for one in self.templates.values():
            yield _stands(TEMPLATE, f"{one.name}-template", one.launch, id=f"lt-{one.name}")
        for number, machines in enumerate(self.running):
            one = machines.wanted
            made = _stands(one.kind, one.name, one.inputs, id=f"i-{one.name}-{number}")
            yield replace(
                made, leftover=machines.leftover, strict=one.strict, retained=one.retained
            )

    def update(self, program: Sequence[Wanted], pack: Pack, *, stops_after: int | None) -> bool:
        """Run a program; gives whether the pack refused anything of it.

        Args:
            program: in the order in which its resources come.
            pack: is shown each resource before it is made.
            stops_after: after so many resources the program fails by itself; None for never.
        """
        self.peak = self.per_hour
        for number, one in enumerate(program):
            if number == stops_after:
                return False
            ending = self._step(one, pack)
            if ending is not None:
                return ending == "refused"
        if pack.end():
            return True
        self._delete({one.name for one in program})
        return False

    def _step(self, one: Wanted, pack: Pack) -> Ending | None:
        """One workload; how it ends the update, if it does."""
        if one.size and not self._template(one, pack):
            return "refused"
        old = self._old(one)
        aliases = [urn(one.kind, one.former)] if one.former else []
        options = {"aliases": aliases, "deleteBeforeReplace": one.deletes_first}
        options["deleteBeforeReplaceDefined"] = one.deletes_first
        if pack.show(one.kind, one.name, one.inputs, **options):
            return "refused"
        if old is None:
            self.running.append(Machines(one))
        elif not self._replaces(old.wanted, one):
            old.wanted = one
        elif old.wanted.protected:
            return "failed"
        elif one.deletes_first and not old.wanted.retained:
            self.running.remove(old)
            self.running.append(Machines(one))
        else:
            old.leftover = True
            self.running.append(Machines(one))
        self._look()
        return None

    def _old(self, one: Wanted) -> Machines | None:
        """What a workload is now: by its own name, else by the one that it had."""
        named = {
            each.wanted.name: each
            for each in self.running
            if not each.leftover and each.wanted.kind == one.kind
        }
        return named.get(one.name) or named.get(one.former)

    def most(self, program: Sequence[Wanted]) -> Decimal:
        """USD/h that a program may come to while it runs, in whatever order its resources come.

        All that stands, what comes beside it, and of what is changed in place the dearer.
        """
        total = self.per_hour
        for one in program:
            old = self._old(one)
            before = self._cost(old.wanted) if old else Decimal(0)
            goes_first = one.deletes_first and old is not None and not old.wanted.retained
            meanwhile = before
            if old is not None and old.wanted.name == one.name and one.size:
                # Its template changes first: for a while the group as it was starts the new.
                meanwhile = max(before, PRICES[one.machine] * old.wanted.size)
            if old is None or (self._replaces(old.wanted, one) and not goes_first):
                total += meanwhile - before + one.per_hour
            else:
                total += max(meanwhile, one.per_hour) - before
        return total

    def _template(self, one: Wanted, pack: Pack) -> bool:
        if pack.show(TEMPLATE, f"{one.name}-template", one.launch):
            return False
        self.templates[one.name] = one
        self._look()
        return True

    @staticmethod
    def _replaces(old: Wanted, new: Wanted) -> bool:
        if old.strict and old.inputs != new.inputs:
            return True
        return not new.size and old.edition != new.edition

    def _delete(self, kept: set[str]) -> None:
        """What is left over or no longer in the program; nothing where one is protected."""
        gone = [one for one in self.running if one.leftover or one.wanted.name not in kept]
        if any(one.wanted.protected for one in gone):
            return
        self.running = [one for one in self.running if one not in gone]
        self.templates = {name: one for name, one in self.templates.items() if name in kept}

    def _look(self) -> None:
        self.peak = max(self.peak, self.per_hour)


def _stands(kind: str, name: str, inputs: Mapping[str, Any], **outputs: str) -> StandingResource:
    return StandingResource(
        resource=Resource(
            urn=urn(kind, name),
            type=kind,
            name=name,
            inputs=inputs,
            outputs={**inputs, **outputs},
            relations={"launchTemplate": (urn(TEMPLATE, f"{name}-template"),)}
            if kind == GROUP
            else {},
            region="us-east-1",
        )
    )
