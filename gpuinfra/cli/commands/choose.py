"""`gpuinfra choose`: rank the machines that fit, and explain why others don't."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from gpuinfra.api.choosing import chosen
from gpuinfra.catalog import Candidate, NothingFits, Request
from gpuinfra.catalog.choosing.known_names import starts
from gpuinfra.catalog.choosing.machine_constraints import has_cuda
from gpuinfra.catalog.rates import ON_DEMAND
from gpuinfra.cli import shell_completion
from gpuinfra.cli.choose_options import request_of
from gpuinfra.cli.hints import command_with_value
from gpuinfra.cli.options import DAY, format_options
from gpuinfra.cli.views import choice as shown
from gpuinfra.cli.views import damaged_files_note
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.model import Purpose
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.today import today
from gpuinfra.units import plain


@click.command("choose")
@click.argument("gpu", default="", shell_complete=shell_completion.gpus)
@click.option("--gpu", "named", hidden=True, help="Alias of the GPU argument, as in init.")
@click.option(
    "--cloud",
    multiple=True,
    metavar="CLOUD",
    help="aws, gcp, azure, alibaba, tencent, lambda, own, or all (the default); may be repeated.",
)
@click.option(
    "--region",
    multiple=True,
    metavar="REGION",
    help="A region or a continent (europe); may be repeated; by default all.",
)
@click.option("--capacity", default="on-demand", metavar="WAY", help="on-demand, spot, …")
@click.option("--commitment", metavar="TERM", help="1y, 3y, or one kind, for example reserved-1y.")
@click.option("--memory", metavar="RANGE", help="Memory of one GPU, for example 80GB.. .")
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
    default="hour",
    metavar="FIGURE",
    show_default=True,
    help="Rank by cost per hour, run (the hours of --for, whatever the speed), tflops, memory or "
    "bandwidth.",
)
@click.option("--prices", metavar="FILE", help="Your own prices (a prices.yaml).")
@click.option(
    "--as-of",
    type=DAY,
    help="The day prices are judged for; default today.",
)
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
    **given: Any,
) -> int:
    """Rank the machines for GPU: H100:8, 80GB..:8, or an instance type.

    GPU may be left out with --for-model or --memory. Ranked by the lowest $/h, or by --by; clouds
    that are priced but not built are marked, and listed last.
    """
    gpu = _subject(gpu, given.pop("named"))
    day = as_of.date() if as_of else today()
    written = given["for_model"]
    request, book, notes = request_of(gpu, given, day)
    damaged_files_note.note_damaged_files()
    for note in notes:
        click.echo(f"note: {clean(note)}", err=True)
    try:
        choose_result = chosen(request, book, notes)
    except NothingFits as nothing:
        shown.print_closest(request, nothing, format_)
        # the closest stand in a table above it
        raise InputError([replace(nothing.problems[0], fix=_way_out(nothing))]) from nothing
    if format_ == "json":
        shown.as_json(request, choose_result, choose_result.near_misses)
    else:
        full = everything or fits or losers
        shown.table(request, choose_result, choose_result.near_misses, book, day, full=full)
        if written:
            from gpuinfra.cli.views.adapters import without_task  # noqa: PLC0415  (of a model)

            line = without_task(written, request, choose_result, book)
            click.echo(wrap_text(line, "  "), nl=bool(line))
        if not full:
            for line in _next_step(request, choose_result.winner).splitlines():
                click.echo(wrap_text(line, "  "))
    return 0


def _next_step(request: Request, winner: Candidate) -> str:
    """Return how to write a stack file with the winner; empty if `init` can't."""
    machine, count = winner.machine, winner.machine.gpu_count
    on_demand = request.capacity == ON_DEMAND and not request.commitment
    if not (on_demand and winner.buildable and count == int(count)):
        return ""
    task = None if request.model is None else request.model.task
    purpose: Purpose = "inference" if task == "serve" else "training"
    if not (has_cuda(machine) and starts(machine, purpose)):
        return ""
    what = () if task is None else ("--what", "pool" if task == "serve" else "fine-tune")
    gpus = ("--gpu", f"{machine.gpu}:{count:f}", "--where", winner.region)
    nodes = f"\nthen: add nodes: {winner.machines} to it, and raise its caps"
    return f"next: {command_line('init', 'my-stack', *what, *gpus)}{nodes * (winner.machines > 1)}"


def _way_out(nothing: NothingFits) -> str:
    """Return what to request instead; a higher maximum price as the command to run."""
    if nothing.price is None:
        return nothing.way_out
    command = command_with_value("--max-per-hour", plain(nothing.price))
    return f"{nothing.way_out}: {command}"


def _subject(argument: str, option: str | None) -> str:
    """Return the GPU of the argument or of --gpu.

    Raises:
        click.UsageError: it is both.
        InputError: it is a stack.
    """
    if argument and option:
        raise click.UsageError("name the GPU once: as the argument, or as --gpu")
    word = argument or option or ""
    path = Path(word)
    if word and (path.is_file() or (path / FILE_NAME).is_file()):
        fix = f"its machines, and why they were chosen: {command_line('plan', word)}"
        raise InputError([Problem(message="this is a stack, not a GPU", value=word, fix=fix)])
    return word
