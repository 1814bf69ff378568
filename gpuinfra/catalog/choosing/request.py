"""The request for a machine, and its short form in one word."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.catalog.gpus import gpu_names, matching
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.model import Purpose
from gpuinfra.records import record
from gpuinfra.units import Range, UnitError, format_size, parse_count, parse_range, parse_size

if TYPE_CHECKING:
    from gpuinfra.catalog.sizing.model_request import ModelRequest

REQUEST_FORMS: Final = (
    "a GPU and its count (H100:8), its memory (80GB..:8), or a type (p5.48xlarge)"
)

FIGURE_TITLES: Final = {
    "hour": "$ per hour",
    "run": "$ per run",
    "tflops": "$ per hour for a dense TFLOPS",
    "memory": "$ per hour for a GB of GPU memory",
    "bandwidth": "$ per hour for a GB/s of GPU memory bandwidth",
}
"""The ranking criteria with their units; lower is better."""

PRECISIONS: Final = ("bf16", "fp16", "fp8", "fp32")
"""The precisions whose dense rates the GPU table has."""


@record
class Request:
    """The requirements on a machine; None is no requirement.

    Attributes:
        clouds: the allowed clouds; `own` is the user's own hardware.
        regions: of these clouds; one that several have means each of them.
        capacity: the way to buy, as the clouds' `modes()` have it.
        commitment: to how long: a mode (reserved-1y), or 1y for the cheapest of one year.
        gpu: a word of `catalog.matching`.
        memory: bytes of one GPU, as it is sold.
        count: GPUs in one machine, or a part of one GPU; any whole number where it is None.
        nvlink: whether NVLink has to join all of its GPUs.
        nvlink_domain: GPUs that one NVLink fabric has to join, at least.
        instance: a machine type.
        fabric: whether it has interfaces that speak the cloud's RDMA network.
        fabric_kind: that network: efa, roce, infiniband …
        fabric_speed: bytes a second of all fabric interfaces of a machine, at least.
        precision: one of PRECISIONS, for which the GPU has a sourced dense rate.
        vcpu_per_gpu: at least; a part of a GPU counts as one.
        ram_per_gpu: bytes of the machine's memory, at least; a part of a GPU counts as one.
        architecture: of the processor: x86_64 or arm64; where neither it nor the GPU or the
            type is named, x86_64, which our images are for.
        max_per_hour: US dollars that one machine may cost an hour at most: on spot also without
            the luck of the day, where neither the cloud nor `max_price` bounds the request.
        max_price: US dollars an hour that the spot request itself says as its maximum.
        base: whether some of the machines are on demand and the others on spot.
        model: the model that must fit into the memory of the GPUs.
        machines: the requested number; None is as many as the model needs, else one.
        hours: how long they run.
        by: the ranking criterion, one of BY.
        purpose: what they start as from a public image: those that such an image serves come
            first. None where the image is the caller's, or none is needed.
        fabric_software: whether machines come last whose default image is known to lack the
            software of their fabric, where `fabric` is required or several train together. False
            where the image is the caller's.
        day: for which the age of spot prices is judged; None is today.
        as_word: whether the GPU and its count are one word of the user, H100:8.
    """

    clouds: tuple[str, ...]
    regions: tuple[str, ...]
    capacity: str = "on-demand"
    commitment: str | None = None
    gpu: str | None = None
    memory: Range | None = None
    count: int | Decimal | None = None
    nvlink: bool | None = None
    nvlink_domain: int | None = None
    instance: str | None = None
    fabric: bool = False
    fabric_kind: str | None = None
    fabric_speed: int | None = None
    precision: str | None = None
    vcpu_per_gpu: int | None = None
    ram_per_gpu: int | None = None
    architecture: str | None = None
    max_per_hour: Decimal | None = None
    max_price: Decimal | None = None
    base: bool = False
    model: "ModelRequest | None" = None
    machines: int | None = None
    hours: Decimal | None = None
    by: str = "hour"
    purpose: Purpose | None = None
    fabric_software: bool = False
    day: date | None = None
    as_word: bool = False

    @property
    def machine_text(self) -> str:
        """The machine as a user writes it: H100:8, 80GB..:8 or p5.48xlarge."""
        machine = self.instance or self.gpu or (self.memory and span(self.memory)) or ""
        return machine if self.count is None else f"{machine}:{self.count}"


def on_fabric(request: Request) -> Request:
    """Return a request for machines with a fabric, those that their image can use it on first.

    A request without a purpose starts from the user's own image, of which nothing is known.
    """
    return replace(request, fabric=True, fabric_software=request.purpose is not None)


_FEWEST_DIGITS: Final = 3
"""Shorter numbers are sizes more often than the ends of names."""


def _gpu_of_digits(digits: str) -> str:
    """Return the only GPU whose name ends with digits, as RTX4090 for 4090; else a size in GB."""
    names = [name for name in gpu_names() if name.endswith(digits)]
    is_name = len(digits) >= _FEWEST_DIGITS and len({matching(name) for name in names}) == 1
    return min(names, key=len) if is_name else f"{digits}GB.."


def request(
    text: str,
    *,
    clouds: Sequence[str],
    regions: Sequence[str],
    own_machine_types: Collection[str] = (),
    **more: Any,
) -> Request:
    """Parse `H100:8`, `80GB..:8` or `p5.48xlarge` as a request; `more` has further attributes.

    `own_machine_types` are the user's own machines, which are types as well. An empty text asks
    for no GPU by name: then `more` must have the requirement. The default
    image is to have the software of the fabric, unless the machines serve.

    Raises:
        InputError: the text is none of these.
    """
    if text.lstrip().startswith("{"):
        raise InputError([_mapping(text)])
    model_name = model_in(text, own_machine_types)
    if model_name is not None:
        from gpuinfra.catalog.sizing.model_names import not_a_gpu  # noqa: PLC0415

        raise InputError([not_a_gpu(text, model_name)])
    model_text, colon, number = text.strip().partition(":")
    sized = model_text[:1].isdigit() and model_text not in own_machine_types
    try:
        count = _count(number) if colon else None
        memory = parse_range(model_text, parse_size) if sized else None
    except UnitError as error:
        from gpuinfra.specs.values import gpu_hint  # noqa: PLC0415  (only of a wrong word)

        hint = gpu_hint(text.strip())
        if matching(hint.partition(":")[0]):
            raise InputError.of(
                f"{text!r} is not a request for GPUs",
                value=text,
                allowed=REQUEST_FORMS,
                suggestion=hint,
            ) from error
        suggestion = _gpu_of_digits(model_text) if model_text.isdigit() else error.hint * sized
        hint = f"{suggestion}{colon}{number}" if suggestion else ""
        raise InputError.of(
            str(error), value=text, allowed=REQUEST_FORMS, suggestion=hint
        ) from error
    if not model_text and (text or not (more.get("model") or more.get("memory"))):
        fix = f"name one: {command_line('choose', 'H100:8')}"
        raise InputError.of("no GPU is named", value=text, allowed=REQUEST_FORMS, fix=fix)
    if memory is not None and more.get("memory") is not None:
        raise InputError.of("the memory is stated twice", value=text)
    typed = bool(model_text) and memory is None and _is_type(model_text, clouds, own_machine_types)
    return Request(
        clouds=tuple(dict.fromkeys(clouds)),
        regions=tuple(dict.fromkeys(regions)),
        gpu=None if typed or memory or not model_text else model_text,
        count=count,
        instance=model_text if typed else None,
        as_word=True,
        fabric_software=bool(more.get("fabric")) or not _serves(**more),
        **dict[str, Any]({"memory": memory}, **more),
    )


def _serves(
    *, model: "ModelRequest | None" = None, purpose: Purpose | None = None, **_: Any
) -> bool:
    """Return whether machines serve a model, each of them alone."""
    return purpose == "inference" if model is None else model.task == "serve"


def model_in(text: str, own_machine_types: Collection[str] = ()) -> str | None:
    """Return the model that a request for a GPU names instead, as `for_model` takes it.

    Empty where the model is not known; None where the text names no model.
    """
    model_text = text.strip().partition(":")[0]
    if not model_text or model_text in own_machine_types or matching(model_text):
        return None
    # Few requests name no GPU, and the names of models are loaded for those alone.
    from gpuinfra.catalog.sizing.model_names import suggested_model  # noqa: PLC0415

    return suggested_model(model_text)


def span(memory: Range) -> str:
    """Return a range of sizes as it is written."""
    low, high = memory.minimum, memory.maximum
    if low == high:
        return format_size(low)
    return f"{format_size(low)}.." + (format_size(high) if high is not None else "")


def _count(text: str) -> int | Decimal:
    """Parse a number of GPUs: a whole one, or a fraction of one GPU (0.125).

    Raises:
        UnitError: the text is neither.
    """
    return Decimal(text) if re.fullmatch(r"0\.[0-9]*[1-9][0-9]*", text) else parse_count(text)


def _is_type(machine_word: str, clouds: Sequence[str], own_machine_types: Collection[str]) -> bool:
    """Return whether a word looks like a machine type of any cloud, or names the user's own."""
    if matching(machine_word):
        return False
    if machine_word in own_machine_types:
        return True
    first = [cloud for cloud in clouds if cloud in PRICED_CLOUDS]
    other_clouds = [cloud for cloud in PRICED_CLOUDS if cloud not in first]
    return any(
        priced_cloud_of(cloud).machines.form.fullmatch(machine_word)
        for cloud in (*first, *other_clouds)
    )


def _mapping(text: str) -> Problem:
    """Return the refusal of `{memory: 80GB.., count: 8}`, with the word to write instead."""
    match = re.search(r"(?:memory|model)\s*:\s*([A-Za-z0-9.-]+)", text)
    count = re.search(r"count\s*:\s*([1-9][0-9]*)", text)
    return Problem(
        message="a mapping is allowed only in the stack file; use one word for the GPU here",
        value=text,
        allowed=REQUEST_FORMS,
        suggestion=match[1] + (f":{count[1]}" if count else "") if match else "",
    )
