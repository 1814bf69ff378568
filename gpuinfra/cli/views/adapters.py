"""The note of `gpuinfra choose --for-model` without a task: the memory that LoRA needs."""

import re
from dataclasses import replace

from gpuinfra.api.choosing import chosen
from gpuinfra.catalog import Choice, PriceBook, Request
from gpuinfra.cli.choose_options import default_figure
from gpuinfra.cli.hints import command_with_value
from gpuinfra.errors import InputError
from gpuinfra.units import format_money


def without_task(
    model_text: str, request: Request, choice: Choice, book: PriceBook, by: str | None
) -> str:
    """Return the first machine to train adapters alone; empty where a task was written.

    Empty, too, where no other machine would do, or the model is not trained. Without `by`, what
    adapters are ranked by when nothing is said: not what a whole training is.
    """
    model = request.model
    if model is None or model.task != "train" or re.search(r"\btask\b", model_text):
        return ""
    try:
        lora = replace(model, task="lora")
        figure = by or default_figure(lora, is_run=request.hours is not None)
        winner = chosen(replace(request, model=lora, by=figure), book).winner
    except InputError:
        return ""
    first = choice.winner
    if (winner.machine.type, winner.machines) == (first.machine.type, first.machines):
        return ""
    price = (
        ""
        if winner.all_machines_per_hour is None
        else f" for {format_money(winner.all_machines_per_hour)} an hour"
    )
    with_lora = _with_lora(model_text, is_named=model.name is not None)
    return (
        f"to train adapters alone (LoRA) {winner.machines} × {winner.machine.type} in "
        f"{winner.region} ({winner.machine.cloud}){price} would do: "
        f"{command_with_value('--for-model', with_lora)}"
    )


def _with_lora(model_text: str, *, is_named: bool) -> str:
    """Return the value of --for-model with the task added."""
    stripped_text = model_text.strip()
    if stripped_text.startswith("{"):
        return f"{stripped_text.removesuffix('}').rstrip(', ')}, task: lora}}"
    return f"{{{'name' if is_named else 'parameters'}: {stripped_text}, task: lora}}"
