"""Makes a component's children alike: named, placed, tagged, customised, under their parent."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import pulumi

from gpuinfra.clouds.aws.build import customize, names
from gpuinfra.clouds.aws.build.shapes import arguments_of
from gpuinfra.clouds.order import Given, Order
from gpuinfra.errors import InputError

Kind = TypeVar("Kind", bound=pulumi.CustomResource)
Kinds = Mapping[str, type[pulumi.CustomResource]]

LIMITS: Final = {"load_balancer": names.BALANCER, "target_group": names.BALANCER}
"""Children whose physical name AWS keeps short."""


class Children:
    """The children of one component.

    Args:
        order: the component's name, region and tags.
        given: its parent and the caller's own arguments for children.
        kinds: every child that may be made, by name.

    Raises:
        InputError: `customize` names a child or an argument that does not exist, or tags of ours
            are set.
    """

    def __init__(self, order: Order, given: Given, kinds: Kinds) -> None:
        self.order = order
        self.parent: pulumi.Resource = given.parent
        self._kinds = kinds
        self._customize: Mapping[str, Any] = customize.plain(given.customize)
        self._made: set[str] = set()
        problems = [
            *customize.reserved((order.name, "tags"), order.tags),
            *customize.problems(order.name, self._customize, kinds),
        ]
        if problems:
            raise InputError(problems)

    @property
    def tags(self) -> dict[str, str]:
        """The tags of everything that takes tags: ours, and the caller's own beside them."""
        return {
            "gpuinfra:stack": self.order.stack,
            "gpuinfra:owner": self.order.owner,
            "gpuinfra:workload": self.order.name,
            **self.order.tags,
        }

    def name(self, child: str) -> str:
        """The logical name of a child; golden files freeze it."""
        return names.logical(self.order.name, child, LIMITS.get(child))

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
        opts: pulumi.ResourceOptions | None = None,
        **arguments: Any,
    ) -> Kind:
        """Register a child; its region and tags are set where its kind takes them."""
        accepted = arguments_of(kind)
        if "region" in accepted:
            arguments.setdefault("region", self.order.region)
        if "tags" in accepted:
            arguments.setdefault("tags", {"Name": self.name(child), **self.tags})
        arguments = customize.joined(arguments, self._customize.get(child, {}))
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
