"""`gpuinfra choose`: rank the machines that fit, and explain why others don't."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import click

from gpuinfra.api.choosing import chosen
from gpuinfra.catalog import CATALOG, Candidate, NothingFits, Request, ceiling, choose
from gpuinfra.catalog.choosing.known_names import starts
from gpuinfra.catalog.choosing.regional_offers import takes_spot_maximum
from gpuinfra.catalog.choosing.request import on_fabric
from gpuinfra.catalog.rates import ON_DEMAND, SPOT
from gpuinfra.cli import shell_completion
from gpuinfra.cli.choose_options import request_of
from gpuinfra.cli.hints import command_with_value, command_without
from gpuinfra.cli.options import DAY, format_options
from gpuinfra.cli.views import choice as shown
from gpuinfra.cli.views import damaged_files_note
from gpuinfra.cli.views.choice_notes import NEEDS_FABRIC_IMAGE
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean
from gpuinfra.errors import InputError, command_line
from gpuinfra.model import Purpose
from gpuinfra.model.groups import FabricRequirement
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.file_names import free_folder
from gpuinfra.today import today
from gpuinfra.units import plain


@click.command("choose")
@click.argument("gpu", default="", shell_complete=shell_completion.gpus)
@click.option(
    "--gpu", "named", metavar="GPU:COUNT", help="The GPU argument as an option, as in init."
)
@click.option(
    "--cloud",
    multiple=True,
    metavar="CLOUD",
    help="aws, gcp, azure, alibaba, tencent, lambda, own, or all (the default); may be repeated.",
)
@click.option(
    "--region",
    "--where",
    "region",
    multiple=True,
    metavar="REGION",
    help="A region, a city, a country or a continent; may be repeated; by default all.",
)
@click.option("--capacity", default="on-demand", metavar="WAY", help="on-demand, spot, …")
@click.option("--commitment", metavar="TERM", help="1y, 3y, or one kind, for example reserved-1y.")
@click.option(
    "--memory",
    metavar="RANGE",
    help="Memory of one GPU: 80GB.. is at least, 80GB is exactly that.",
)
@click.option("--nvlink/--no-nvlink", default=None, help="Require NVLink between all GPUs.")
@click.option("--nvlink-domain", metavar="GPUS", help="GPUs in one NVLink fabric, at least.")
@click.option("--fabric", is_flag=True, help="Require an RDMA fabric between machines.")
@click.option("--fabric-kind", metavar="KIND", help="efa, infiniband, roce, gpudirect-tcpx …")
@click.option(
    "--fabric-speed", metavar="RATE", help="At least this fast, for example 400Gbps or 50GB/s."
)
@click.option(
    "--precision", metavar="WORD", help="Require a known dense rate in bf16, fp16, fp8 or fp32."
)
@click.option("--vcpu-per-gpu", metavar="COUNT", help="vCPUs for each GPU, at least.")
@click.option("--ram-per-gpu", metavar="SIZE", help="Minimum machine memory per GPU.")
@click.option("--architecture", metavar="WORD", help="Processor architecture: x86_64 or arm64.")
@click.option("--max-per-hour", metavar="USD", help="Maximum price of one machine per hour.")
@click.option(
    "--for-model",
    metavar="MODEL",
    help="70B, llama-3.1-70b, or '{parameters: 70B, task: serve, …}': machines that hold it.",
)
@click.option("--nodes", metavar="COUNT", help="How many machines; as many as --for-model needs.")
@click.option("--for", "for_", metavar="DURATION", help="Duration of the run, for example 72h.")
@click.option(
    "--by",
    metavar="FIGURE",
    help="Rank by cost per hour (the default), run (the hours of --for, whatever the speed; the "
    "default with --for), tflops (the default with a --for-model that is trained whole), memory "
    "or bandwidth.",
)
@click.option("--prices", metavar="FILE", help="Your own prices (a prices.yaml).")
@click.option("--as-of", type=DAY, help="The day prices are judged for; default today.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List every machine that fits, why each other one does not, and the memory of a model.",
)
@click.option(
    "--every", "fits", is_flag=True, hidden=True, help="Deprecated since 2026-11-24: --all."
)
@click.option(
    "--losers", "losers", is_flag=True, hidden=True, help="Deprecated since 2026-11-24: --all."
)
@format_options
def command(
    gpu: str,
    as_of: datetime | None,
    everything: bool,
    fits: bool,
    losers: bool,
    format_: str,
    **option_values: Any,
) -> int:
    """Rank the machines for GPU: H100:8, 80GB..:8, or an instance type.

    GPU may be left out with --for-model or --memory. Ranked by the lowest $/h, a whole training by
    the lowest $ for its computation, or by --by; clouds that are priced but not built are marked,
    and listed last.
    """
    gpu = _subject(gpu, option_values.pop("named"))
    day = as_of.date() if as_of else today()
    model_text, by = option_values["for_model"], option_values["by"]
    request, book, notes = request_of(gpu, option_values, day)
    damaged_files_note.note_damaged_files()
    for note in notes:
        click.echo(f"note: {clean(note)}", err=True)
    try:
        choose_result = chosen(request, book, notes)
    except NothingFits as nothing:
        shown.print_closest(request, nothing, format_)
        # the closest stand in a table above it
        near = ""
        if nothing.is_elsewhere:
            from gpuinfra.cli.cheapest import request_near  # noqa: PLC0415  (an error)

            near = request_near(request, book)
        fix = near or _alternative_text(request, gpu, nothing)
        raise InputError([replace(nothing.problems[0], fix=fix)]) from nothing
    if format_ == "json":
        shown.as_json(request, choose_result, choose_result.near_misses)
    else:
        full = everything or fits or losers
        shown.table(request, choose_result, choose_result.near_misses, book, day, full=full)
        if model_text:
            from gpuinfra.cli.views.adapters import without_task  # noqa: PLC0415  (of a model)

            line = without_task(model_text, request, choose_result, book, by)
            click.echo(wrap_text(line, "  "), nl=bool(line))
        if not full:
            steps = _next_step(request, choose_result.winner, option_values["for_"])
            for line in steps.splitlines():
                click.echo(wrap_text(line, "  "))
    return 0


def _next_step(request: Request, winner: Candidate, duration: str | None) -> str:
    """Return how to write a stack file with the winner, or why `init` can't."""
    task = None if request.model is None else request.model.task
    reason = _without_starter(request, winner, "inference" if task == "serve" else "training")
    if reason:
        return f"next: no starter file of init has this machine: {reason}"
    is_spot = request.capacity == SPOT
    kind = "pool" if task == "serve" else "fine-tune"  # its file has the checkpoints of spot
    is_run = is_spot or task is not None or duration is not None or winner.machines > 1
    kind_option = ("--what", kind) if is_run else ()
    purpose: Purpose = "inference" if kind == "pool" else "training"
    is_same = _type_by_gpu(request, winner, purpose) == winner.machine.type
    machine = ("--gpu", _gpus(winner)) if is_same else ("--instance", winner.machine.type)
    settings = _settings(request, winner, kind, duration)
    where = ("--where", winner.region)
    command = command_line("init", free_folder(), *kind_option, *machine, *where, *settings)
    keys = "".join(f"\nthen: {step}" for step in _edits(request, winner, kind, by_gpu=is_same))
    return f"next: {command}{keys}"


def _gpus(winner: Candidate) -> str:
    return f"{winner.machine.gpu}:{winner.machine.gpu_count:f}"


def _type_by_gpu(request: Request, winner: Candidate, purpose: Purpose) -> str:
    """Return the machine type that a plan chooses by the winner's GPUs alone; empty if none.

    Several machines of a run have a fabric where one is offered.
    """
    by_gpu = Request(
        clouds=(winner.machine.cloud,),
        regions=(winner.region,),
        capacity=request.capacity,
        gpu=winner.machine.gpu,
        count=int(winner.machine.gpu_count),
        purpose=purpose,
        day=request.day,
    )
    has_several = winner.machines > 1 and purpose == "training"
    for each in (*((on_fabric(by_gpu),) if has_several else ()), by_gpu):
        try:
            return choose(each).winner.machine.type
        except NothingFits:
            continue
    return ""


def _without_starter(request: Request, winner: Candidate, purpose: Purpose) -> str:
    """Return why `init` writes no file with the winner; empty if it does."""
    machine = winner.machine
    purchase = f"it writes on-demand or spot; {request.capacity} is a value of capacity in a file"
    unpriced = f"no price is known in {winner.region}; state one in prices.yaml beside a file"
    reasons = (
        (winner.buildable, f"gpuinfra can't build on {machine.cloud}"),
        (request.capacity in {SPOT, ON_DEMAND}, purchase),
        (machine.gpu_count == int(machine.gpu_count), "it asks for whole GPUs"),
        (
            starts(machine, purpose),
            f"no public image is known to start {machine.type}; set machine_image in a file",
        ),
        (winner.per_hour is not None, unpriced),
    )
    return next((reason for is_met, reason in reasons if not is_met), "")


def _settings(
    request: Request, winner: Candidate, kind: str, duration: str | None
) -> tuple[str, ...]:
    """Return the options of `init` for the purchase, the machines and the duration."""
    is_run = kind == "fine-tune"
    options = {
        "--capacity": SPOT if request.capacity == SPOT else None,
        "--nodes": str(winner.machines) if is_run and winner.machines > 1 else None,
        "--duration": duration if is_run else None,
    }
    return tuple(
        argument
        for option, value in options.items()
        if value is not None
        for argument in (option, value)
    )


def _edits(request: Request, winner: Candidate, kind: str, *, by_gpu: bool) -> Iterator[str]:
    """Yield what the file of `init` lacks of the request: what is written there, or bought."""
    if request.commitment:
        yield f"buy the commitment from {winner.machine.cloud}: the file has on-demand machines"
    if winner.machines > 1 and kind == "pool":
        yield f"add nodes: {winner.machines} to it, and multiply its caps by {winner.machines}"
    elif request.fabric and kind != "pool":
        own_image = "" if winner.fabric_software else f"; {NEEDS_FABRIC_IMAGE}"
        yield f"write fabric: required in it{own_image}"
    is_spot = request.capacity == SPOT
    if is_spot and request.max_per_hour is not None:
        most = plain(request.max_per_hour)
        gpu = f"model: {winner.machine.gpu}, count: {winner.machine.gpu_count:f}"
        if by_gpu:
            yield f"write gpu: {{{gpu}, max_per_hour: {most}}} in it"
        elif _exceeds_spot_limit(winner, request.max_per_hour):
            yield f"write max_price: {most} in it"


def _exceeds_spot_limit(winner: Candidate, most: Decimal) -> bool:
    """Return whether a spot machine may cost more than a price that its request can state."""
    cloud = winner.machine.cloud
    listed = CATALOG.spot_ceiling(cloud, winner.machine.type, winner.region)
    return takes_spot_maximum(cloud) and (listed is None or ceiling(listed) > most)


def _alternative_text(request: Request, gpu: str, error: NothingFits) -> str:
    """Return what to request instead; more machines or a higher price as the command to run."""
    if error.together is not None and request.machines is None:
        count, machines = error.together
        replacement = f"{gpu.partition(':')[0]}:{count}"
        return (
            f"{error.alternative}: {command_without(gpu, replacement, '--nodes', str(machines))}"
        )
    if error.price is None:
        return error.alternative
    command = command_with_value("--max-per-hour", plain(error.price))
    return f"{error.alternative}: {command}"


def _subject(argument: str, option: str | None) -> str:
    """Return the GPU of the argument or of --gpu.

    Raises:
        click.UsageError: it is both, or the argument is a value of `fabric` in a stack file.
        InputError: it is a stack.
    """
    if argument in get_args(FabricRequirement):
        raise click.UsageError(f"--fabric takes no value, and requires a fabric: omit {argument}")
    if argument and option:
        raise click.UsageError("name the GPU once: as the argument, or as --gpu")
    gpu_word = argument or option or ""
    path = Path(gpu_word)
    if gpu_word and (path.is_file() or (path / FILE_NAME).is_file()):
        fix = f"its machines, and why they were chosen: {command_line('plan', gpu_word)}"
        raise InputError.of("this is a stack, not a GPU", value=gpu_word, fix=fix)
    return gpu_word
