"""Makes a component's children alike: named, placed, tagged, customised, under their parent."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import pulumi

from gpuinfra.clouds.building import customize
from gpuinfra.clouds.building.customize import Marks
from gpuinfra.clouds.building.shapes import arguments_of
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.order import Given, Order
from gpuinfra.errors import InputError

Kind = TypeVar("Kind", bound=pulumi.CustomResource)
Kinds = Mapping[str, type[pulumi.CustomResource]]


class Children(ABC):
    """The children of one component; each room says what its resources are marked with.

    Args:
        order: the component's name, region and tags.
        given: its parent and the caller's own arguments for children.
        kinds: every child that may be made, by name.

    Raises:
        InputError: `customize` names a child or an argument that does not exist, or tags of ours
            are set.
    """

    MARKS: ClassVar[Marks]
    """How the cloud's resources are marked."""
    LIMITS: ClassVar[Mapping[str, int]] = {}
    """Children whose physical name the cloud keeps short, and its most characters."""

    def __init__(self, order: Order, given: Given, kinds: Kinds) -> None:
        self.order = order
        self.parent: pulumi.Resource = given.parent
        self._kinds = kinds
        self._customize: Mapping[str, Any] = customize.plain(given.customize)
        self._made: set[str] = set()
        problems = [
            *customize.reserved((order.name, "tags"), order.tags, self.MARKS),
            *customize.problems(order.name, self._customize, kinds, self.MARKS),
        ]
        if problems:
            raise InputError(problems)

    @property
    def tags(self) -> dict[str, str]:
        """The marks of everything that takes some: ours, and the caller's own beside them."""
        ours = {
            "stack": self.order.stack,
            "owner": self.order.owner,
            "workload": self.order.name,
        }
        return {
            **{f"{self.MARKS.ours}{key}": self.mark(value) for key, value in ours.items()},
            **self.order.tags,
        }

    def mark(self, value: str) -> str:
        """A value of ours as the cloud takes it in a mark."""
        return value

    @abstractmethod
    def defaults(self, child: str, accepted: frozenset[str]) -> Mapping[str, Any]:
        """What every child gets that takes it and is not told otherwise: place and marks."""

    def name(self, child: str) -> str:
        """The logical name of a child; golden files freeze it."""
        return names.logical(self.order.name, child, self.LIMITS.get(child))

    def options(self, **more: Any) -> pulumi.ResourceOptions:
        """A child's options: its parent, whose providers, aliases and protection it inherits."""
        return pulumi.ResourceOptions(parent=self.parent, **more)

    def invoke(self) -> pulumi.InvokeOptions:
        """Options of a look-up: the component's own provider."""
        return pulumi.InvokeOptions(parent=self.parent)

    def make(
        self,
        kind: type[Kind],
        child: str,
        /,
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Any,
    ) -> Kind:
        """Register a child; its place and marks are set where its kind takes them."""
        arguments = {**self.defaults(child, arguments_of(kind)), **arguments}
        arguments = customize.joined(arguments, self._customize.get(child, {}), self.MARKS)
        self._made.add(child)
        return kind(self.name(child), opts=opts or self.options(), **arguments)

    def finish(self) -> None:
        """Refuse customised children that this configuration does not have.

        Raises:
            InputError: some are left.
        """
        left = [child for child in self._customize if child not in self._made]
        if left:
            name = self.order.name
            raise InputError([customize.absent(name, child, self._made) for child in left])
