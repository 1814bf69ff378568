"""What is asked of a machine, and how a person writes it in one word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpuinfra.catalog.gpus import matching
from gpuinfra.clouds import CLOUDS, room
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Purpose
from gpuinfra.units import Range, UnitError, format_size, parse_count, parse_range, parse_size

ALLOWED: Final = "a GPU and its count (H100:8), its memory (80GB..:8), or a type (p5.48xlarge)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a machine has to have; what is None is not demanded.

    `gpu` is a word of `catalog.matching`, `memory` is in bytes of one GPU as it is sold, `count`
    is GPUs per machine. `fabric` demands interfaces that speak the cloud's RDMA network.
    `purpose` is what the machines start as from a public image: those that such an image serves
    come first. None where the image is the caller's, or none is needed.
    """

    cloud: str
    regions: tuple[str, ...]
    capacity: str = "on-demand"
    gpu: str | None = None
    memory: Range | None = None
    count: int | None = None
    nvlink: bool | None = None
    instance: str | None = None
    fabric: bool = False
    purpose: Purpose | None = None

    @property
    def words(self) -> str:
        """The machine as a person writes it: H100:8, 80GB..:8 or p5.48xlarge."""
        what = self.instance or self.gpu or (self.memory and _span(self.memory)) or ""
        return what if self.count is None else f"{what}:{self.count}"


def request(
    text: str,
    *,
    cloud: str,
    regions: Sequence[str],
    capacity: str,
    nvlink: bool | None = None,
    fabric: bool = False,
) -> Request:
    """Read `H100:8`, `80GB..:8` or `p5.48xlarge` as a request.

    Raises:
        InputError: the text is none of these.
    """
    if text.lstrip().startswith("{"):
        raise InputError([_mapping(text)])
    what, colon, number = text.strip().partition(":")
    try:
        count = parse_count(number) if colon else None
        memory = parse_range(what, parse_size) if what[:1].isdigit() else None
    except UnitError as error:
        hint = f"{what}GB..{colon}{number}" if what.isdigit() else ""
        raise InputError(
            [Problem(message=str(error), value=text, allowed=ALLOWED, suggestion=hint)]
        ) from error
    if not what:
        raise InputError([Problem(message="no GPU is named", value=text, allowed=ALLOWED)])
    typed = memory is None and _is_type(what, cloud)
    return Request(
        cloud=cloud,
        regions=tuple(dict.fromkeys(regions)),
        capacity=capacity,
        gpu=None if typed or memory else what,
        memory=memory,
        count=count,
        nvlink=nvlink,
        instance=what if typed else None,
        fabric=fabric,
    )


def _is_type(word: str, cloud: str) -> bool:
    """Whether a word looks like a machine type of the cloud; of another, if it is no GPU."""
    if room(cloud).TYPE_FORM.fullmatch(word) is not None:
        return True
    return not matching(word) and any(room(one).TYPE_FORM.fullmatch(word) for one in CLOUDS)


def _span(memory: Range) -> str:
    """A range of sizes as it is written."""
    low, high = memory.minimum, memory.maximum
    if low == high:
        return format_size(low)
    return f"{format_size(low)}.." + (format_size(high) if high is not None else "")


def _mapping(text: str) -> Problem:
    """The refusal of `{memory: 80GB.., count: 8}`, with the one word that says the same."""
    found = re.search(r"(?:memory|model)\s*:\s*([A-Za-z0-9.-]+)", text)
    count = re.search(r"count\s*:\s*([1-9][0-9]*)", text)
    return Problem(
        message="a mapping is for the stack file; here a GPU is one word",
        value=text,
        allowed=ALLOWED,
        suggestion=found[1] + (f":{count[1]}" if count else "") if found else "",
    )
