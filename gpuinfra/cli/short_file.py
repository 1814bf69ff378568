"""A short stack file for `gpuinfra init`, written for the chosen GPUs and place."""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.catalog.choosing.known_names import cloud_with, unknown_place
from gpuinfra.catalog.choosing.request import model_in
from gpuinfra.catalog.gpus import gpu as gpu_of
from gpuinfra.catalog.gpus import matching
from gpuinfra.catalog.rates import ON_DEMAND, SPOT
from gpuinfra.cli import answers, drafts
from gpuinfra.cli.cheapest import CheapestStackFile, cheapest, place_regions
from gpuinfra.cli.options import Command
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.errors import InputError, command_line
from gpuinfra.model import Machine
from gpuinfra.records import record
from gpuinfra.stackfile.defaults import stack_name
from gpuinfra.stackfile.git_user import default_owner
from gpuinfra.stackfile.grammar import path_text
from gpuinfra.stackfile.starter import short_stack_file
from gpuinfra.stackfile.starter_settings import WorkloadSettings
from gpuinfra.stackfile.yaml_edit import yaml_text
from gpuinfra.units import plain


def settings_options(command: Command) -> Command:
    """Add options of the workload; the command gets them as its `settings`."""

    @wraps(command)
    def with_settings(*arguments: Any, **options: Any) -> Any:
        settings = {field.name: options.pop(field.name) for field in fields(WorkloadSettings)}
        return command(*arguments, settings=WorkloadSettings(**settings), **options)

    for option in (
        click.option(
            "--capacity",
            type=click.Choice([ON_DEMAND, SPOT]),
            help="How the machines of a fine-tune or a pool are bought; on-demand by default.",
        ),
        click.option("--duration", metavar="DURATION", help="Of a fine-tune, for example 72h."),
        click.option(
            "--nodes",
            type=click.IntRange(min=1),
            metavar="COUNT",
            help="How many machines; of a fine-tune.",
        ),
        click.option(
            "--instance", metavar="TYPE", help="The machine type, in place of --gpu: g6.4xlarge."
        ),
    ):
        with_settings = option(with_settings)
    return with_settings


@record(kw_only=False)
class InitLocation:
    """The place where the machines are to run.

    Attributes:
        where: a region, or a word for several; None where it is still to be asked.
        cloud: the only cloud whose regions count; None for all.
    """

    where: str | None
    cloud: str | None

    @property
    def clouds(self) -> Sequence[str]:
        """The clouds whose regions are considered."""
        return CLOUDS if self.cloud is None else (self.cloud,)


class ShortFile:
    """A short stack file; its GPUs and location are set later.

    Args:
        folder: where it will be written.
        kind: one of `gpuinfra.stackfile.starter.SHORT_FILES`.
        location: where its machines are asked to run.
        name: the stack's; None for the folder's.
        settings: of its workload.
    """

    def __init__(
        self,
        folder: Path,
        kind: str,
        location: InitLocation,
        name: str | None,
        settings: WorkloadSettings,
    ) -> None:
        settings.check(kind)
        self._settings = settings
        self._folder, self._what, self._place, self._name = folder, kind, location, name
        self._stack_files: dict[tuple[str, str], CheapestStackFile] = {}

    def create_file(self, gpu: str, place_text: str) -> CheapestStackFile:
        """Return the file for GPUs in a place; with several regions, in the cheapest one.

        Raises:
            InputError: the GPUs or the place are not found, or not sold there.
        """
        stack_file = self._stack_files.get((gpu, place_text))
        if stack_file is None:
            if self._settings.instance is None:
                _refuse_other_name(gpu)
            _refuse_place(place_text, self._place.clouds)
            text = partial(self._short_stack_in_regions, gpu)
            capacity = self._settings.capacity or ON_DEMAND
            # spot prices differ between the regions of a cloud by more than on-demand ones
            is_default_region_enough = place_text in CLOUDS and capacity == ON_DEMAND
            has_several_regions = bool(place_regions(place_text, self._place.clouds))
            stack_file = (
                cheapest(self._folder, gpu, place_text, text, self._place.clouds, self._settings)
                if has_several_regions and not is_default_region_enough
                else CheapestStackFile(text=text([place_text]))
            )
            self._stack_files[gpu, place_text] = stack_file
        return stack_file

    def text(self, gpu: str, place_text: str) -> str:
        """Return the text of the file for GPUs in a place."""
        return self.create_file(gpu, place_text).text

    def checked_gpu(self, gpu: str) -> str:
        """Return the GPUs, after checking a file with them; raise an error if it is not valid."""
        return answers.validated_answer(gpu, lambda: self.text(gpu, drafts.DEFAULT_LOCATION))

    def checked_location(self, gpu: str, place_text: str, *, other_gpu: bool) -> str:
        """Return the place, after checking a file in it; raise an error if it is not valid."""
        return answers.validated_answer(
            place_text, lambda: self.text(gpu, place_text), other_gpu=other_gpu
        )

    def suggested_gpu(self) -> str:
        """Return the first suggested GPU with which the file passes; the first if none does."""
        where = self._place.where or drafts.DEFAULT_LOCATION
        return drafts.suggested_gpu(self._folder, self._what, lambda gpu: self.text(gpu, where))

    def with_count(self, gpu: str, where: str) -> str:
        """Return the GPU request; a missing count is that of the chosen machine, if known."""
        is_whole = ":" in gpu or self._settings.instance is not None
        count = None if is_whole else drafts.gpu_count(self._folder, self.text(gpu, where))
        return gpu if count is None else f"{gpu}:{plain(count)}"

    def _short_stack_in_regions(self, gpu: str, regions: Sequence[str]) -> str:
        head = _head(self._folder, regions, self._name)
        return drafts.with_caps(
            self._folder,
            lambda budget, stops_idle: short_stack_file(
                self._what,
                gpu,
                self._settings,
                head=f"{head}{budget}",
                stops_idle=stops_idle,
                memory_gb=_memory_gb(gpu),
            ),
        )


_KEYS: Final = re.compile(r"\b(nodes|gpu): ([\w.:-]+)")
"""Keys of a file in a fix, which options of `init` set."""


@contextmanager
def naming_the_option(key: str) -> Generator[None]:
    """Name options in errors, in place of keys of a file that is not yet written."""
    try:
        yield
    except InputError as error:
        problems = [
            replace(
                problem,
                message=problem.message.replace(path_text(problem.path), f"--{key}", 1),
                fix=_KEYS.sub(r"--\1 \2", problem.fix),
            )
            if key in problem.path
            else problem
            for problem in error.problems
        ]
        raise InputError(problems) from error


def _memory_gb(text: str) -> int | None:
    """Return the memory of the GPUs of a machine, or its type, in GB; None where it is unknown."""
    machine = _machine_of_type(text)
    if machine is not None:
        size = machine.gpu_memory_nominal_gb
        return None if size is None else int(size * machine.gpu_count)
    name, _, count = text.partition(":")
    sizes = [model.memory_gb for model in map(gpu_of, matching(name)) if model and model.memory_gb]
    return int(min(sizes) * int(count or 1)) if sizes and (count or "1").isdecimal() else None


def _machine_of_type(type_: str) -> Machine | None:
    """Return the machine of a type; None if no cloud has it, or the word names a GPU."""
    if matching(type_.partition(":")[0]):
        return None
    machines = (provider_of(cloud).machines.get(type_) for cloud in CLOUDS)
    return next(filter(None, machines), None)


def _refuse_other_name(gpu: str) -> None:
    """Raise an error if a model or a machine type is named as a GPU.

    Raises:
        InputError: it is.
    """
    if _machine_of_type(gpu) is not None:
        fix = f"name it as --instance {gpu}"
        message = "this is a machine type, not a GPU"
        raise InputError.of(message, path=("gpu",), value=gpu, fix=fix)
    model = model_in(gpu)
    if model is None:
        return
    from gpuinfra.catalog.sizing.model_names import (  # noqa: PLC0415  (only of a mistake)
        UNKNOWN,
        not_a_gpu,
    )

    ranking = command_line("choose", "--for-model", model or UNKNOWN)
    write = f"name a GPU that holds it, as ranked by: {ranking}"
    raise InputError([replace(not_a_gpu(gpu, model, write), path=("gpu",))])


def _refuse_place(where: str, clouds: Sequence[str]) -> None:
    """Raise an error if no cloud has a place.

    Raises:
        InputError: none has.
    """
    is_known = where in {drafts.DEFAULT_LOCATION, *CLOUDS} or cloud_with(where) is not None
    if is_known or place_regions(where, clouds):
        return
    problem = unknown_place(clouds, where)
    if not problem.suggestion:
        other_places = "" if len(clouds) == 1 else f"{', '.join(clouds)}, any; "
        problem = replace(problem, allowed=f"{other_places}{problem.allowed}")
    raise InputError([problem])


def _head(folder: Path, regions: Sequence[str], name: str | None) -> str:
    """Return the lines for the name, the owner and the place; an unneeded line is left out."""
    lines = []
    if name or not stack_name(folder):
        lines.append(f"name: {yaml_text(name or 'my-stack')}")
    owner, _ = default_owner(folder)
    lines.append(f"{f'owner: {yaml_text(owner)}':28}  # a team or a person; a tag on everything")
    [first, *_] = regions
    if first in CLOUDS:
        lines.append(f"where: {{cloud: {first}}}")
    elif first != drafts.DEFAULT_LOCATION:
        lines.append(f"where: {{regions: [{', '.join(map(yaml_text, regions))}]}}")
    return "".join(f"{line}\n" for line in lines)
