"""Makes a component's children alike: named, placed, tagged, customised, under their parent."""

import inspect
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, TypeVar

import pulumi

from gpuinfra.clouds.aws.build import names
from gpuinfra.clouds.order import Given, Order
from gpuinfra.errors import InputError, Problem

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
        InputError: `customize` names a child or an argument that does not exist.
    """

    def __init__(self, order: Order, given: Given, kinds: Kinds) -> None:
        self.order = order
        self.parent: pulumi.Resource = given.parent
        self._kinds = kinds
        self._customize = dict(given.customize)
        self._made: set[str] = set()
        problems = [*_unknown(order.name, self._customize, kinds)]
        if problems:
            raise InputError(problems)

    @property
    def tags(self) -> dict[str, str]:
        """The tags of everything that takes tags; the caller's own win."""
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
        arguments |= self._customize.get(child, {})
        self._made.add(child)
        return kind(self.name(child), opts=opts or self.options(), **arguments)

    def finish(self) -> None:
        """Refuse customised children that this configuration does not have.

        Raises:
            InputError: some are left.
        """
        left = [child for child in self._customize if child not in self._made]
        if left:
            raise InputError([_absent(self.order.name, child, self._made) for child in left])


def arguments_of(kind: type[pulumi.CustomResource]) -> frozenset[str]:
    """The argument names that a resource class of the SDK takes."""
    parameters = inspect.signature(kind._internal_init).parameters  # type: ignore[attr-defined]  # noqa: SLF001
    return frozenset(parameters) - {"__self__", "resource_name", "opts", "__props__"}


def _unknown(
    name: str, customize: Mapping[str, Mapping[str, Any]], kinds: Kinds
) -> Iterable[Problem]:
    for child, arguments in customize.items():
        if child not in kinds:
            yield _absent(name, child, kinds)
            continue
        accepted = arguments_of(kinds[child])
        for argument in arguments:
            if argument not in accepted:
                yield Problem(
                    message=f"{name}: child {child!r} has no argument {argument!r}",
                    path=(name, "customize", child, argument),
                    value=argument,
                    allowed=f"the arguments of {kinds[child].__module__}.{kinds[child].__name__}",
                    suggestion=_near(argument, accepted),
                )


def _absent(name: str, child: str, accepted: Iterable[str]) -> Problem:
    known = sorted(accepted)
    return Problem(
        message=f"{name}: it has no child {child!r}",
        path=(name, "customize", child),
        value=child,
        allowed=", ".join(known),
        suggestion=_near(child, known),
    )


def _near(word: str, accepted: Iterable[str]) -> str:
    return next(iter(get_close_matches(word, list(accepted), n=1)), "")
