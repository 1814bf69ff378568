"""What a rung names that stands outside of the stack, compared with what its resources name.

An image that a look-up finds, and a reservation or placement group that the stack makes, have no
name before they stand: a look-up's question is compared where its resource shows it, and the rest
stays as planned. When a capacity block ends is in no resource at all.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds import provider_of
from gpuinfra.graph import Symbol
from gpuinfra.model import Fault, Group, Rung
from gpuinfra.specs.schema import Inference, Training

_RULE: Final = "launch-settings"
_ASKED: Final = "resolve:ssm:"
"""How a template of AWS names a parameter that holds an image."""


def as_shown(planned: Rung, shown: Rung) -> Rung:
    """The rung that resources show, with what they don't show of it as planned."""
    return replace(
        shown,
        image=planned.image,
        ends=planned.ends,
        reservation=_name(shown.reservation) or planned.reservation,
        placement_group=_name(shown.placement_group) or planned.placement_group,
    )


def substitutions(planned: Group, shown: Rung, work: Training | Inference) -> Iterator[Fault]:
    """What the machines are declared with in place of what the stack file or its lock names."""
    rung = planned.rung
    image, found = _expected(planned, work), _name(shown.image)
    if image and found and found.removeprefix(_ASKED) != image:
        yield _fault("start from the image", found, image)
    for words, asked, seen in (
        ("come from the reservation", rung.reservation, shown.reservation),
        ("stand in the placement group", rung.placement_group, shown.placement_group),
    ):
        if _name(seen) != asked:
            yield _fault(words, _name(seen) or "none", asked or "none")
    if rung.reserve and not shown.reserve:
        yield _fault("come from the reservation", "none", "one of the stack's own")


def _fault(words: str, found: str, asked: str) -> Fault:
    return Fault(
        rule=_RULE,
        message=f"its machines {words} {found}, where the stack file and its lock name {asked}",
        fix="let the declared resources name what the stack file names",
    )


def _expected(planned: Group, work: Training | Inference) -> str | None:
    """The image that the build starts machines from, or what it asks the cloud for."""
    if planned.rung.image is not None:
        return planned.rung.image
    known = provider_of(planned.cloud)
    machine = known.machines.get(planned.rung.machine)
    if machine is None:
        return None
    name = known.images.image_name(machine, planned.purpose, work.machine_image)
    return None if name is None else name.name


def _name(value: str | None) -> str | None:
    """What a resource names; None for nothing, and for what the stack itself makes."""
    return None if isinstance(value, Symbol) else value
