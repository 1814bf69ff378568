"""Faults of machines whose image or reservation differs from the stack file's.

An image that a look-up finds, and a reservation or placement group that the stack makes, have no
name before they exist: a look-up's question is compared where its resource shows it, and the rest
stays as planned. When a capacity block ends is in no resource at all.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.image_name import ImageName, shown_image
from gpuinfra.graph import Symbol
from gpuinfra.model import Fault, Group, Rung
from gpuinfra.specs.schema import Inference, Training

_RULE: Final = "launch-settings"


def completed_rung(planned_rung: Rung, shown_rung: Rung) -> Rung:
    """Return the rung that resources show, completed with the planned values that they lack."""
    return replace(
        shown_rung,
        image=planned_rung.image,
        ends=planned_rung.ends,
        reservation=_name(shown_rung.reservation) or planned_rung.reservation,
        placement_group=_name(shown_rung.placement_group) or planned_rung.placement_group,
    )


def image_and_reservation_problems(
    planned_group: Group, shown_rung: Rung, workload: Training | Inference, declared: ImageName
) -> Iterator[Fault]:
    """Yield faults where machines are declared with another image or reservation than named.

    Where they name no image, the machines start from the one that their workload is `declared` to.
    """
    rung = planned_group.rung
    image, shown_name = (
        rung.image or workload.machine_image or declared.name,
        _name(shown_rung.image),
    )
    if shown_name and shown_image(shown_name).name != image:
        yield _fault("start from the image", shown_name, image)
    for origin_text, declared_name, actual in (
        ("come from the reservation", rung.reservation, shown_rung.reservation),
        ("are in the placement group", rung.placement_group, shown_rung.placement_group),
    ):
        if _name(actual) != declared_name:
            yield _fault(origin_text, _name(actual) or "none", declared_name or "none")
    if rung.reserve and not shown_rung.reserve:
        yield _fault("come from the reservation", "none", "one of the stack's own")


def _fault(origin_text: str, actual: str, planned: str) -> Fault:
    return Fault(
        rule=_RULE,
        message=f"its machines {origin_text} {actual}; the stack file and its lock name {planned}",
        fix="declare the image, reservation and placement group that the stack file names",
    )


def _name(value: str | None) -> str | None:
    """Return the name in a resource; None for no name, and for a resource that the stack makes."""
    return None if isinstance(value, Symbol) else value


def container_faults(workload: Training | Inference) -> Iterator[Fault]:
    """Yield a container image that may be another one on the next machine.

    Without a tag it is the newest: https://docs.docker.com/reference/cli/docker/image/pull/
    """
    image = workload.image if isinstance(workload, Inference) else ""
    tag = image.rpartition("/")[2].partition(":")[2]
    if image and "@" not in image and tag in {"", "latest"}:
        yield Fault(
            rule="image-pinned",
            message=f"its container image {image} has no fixed version: the next machine may "
            "start another one",
            fix="set image to a version (vllm/vllm-openai:v0.11.0) or a digest (@sha256:…)",
        )
