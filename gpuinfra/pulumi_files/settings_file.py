"""The settings file: facts that a preview or a state does not show, in YAML."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar, get_args

from pydantic import Field

from gpuinfra.errors import Problem
from gpuinfra.model import CheckpointWrites, FabricRequirement, Purpose, Usage
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import word_reader
from gpuinfra.specs.forms import Form
from gpuinfra.specs.numbers import whole_number_reader
from gpuinfra.specs.schema import Budget, Prices, RuleSettings, Trusted, Waivers
from gpuinfra.specs.schema import Usage as StackUsage
from gpuinfra.specs.unsupported_words import Words
from gpuinfra.stackfile.files import ParsedFile, form_in
from gpuinfra.units import gigabytes, hours

T = TypeVar("T")

Loosening = Literal["accepted", "refused"]

Machines = Annotated[int, whole_number_reader(0, 100_000)]
Purposes = Annotated[Purpose, word_reader(get_args(Purpose))]
FabricRequirements = Annotated[FabricRequirement, word_reader(get_args(FabricRequirement))]


class CheckpointWritesEntry(Form):
    """How a run writes its checkpoints, in the words of a stack file's `checkpoints`."""

    size: v.Size = Field(description="Size of one checkpoint, for example 140GB.")
    write: v.Rate = Field(description="Write rate of all machines together, for example 2GB/s.")
    every: v.Interval = Field(description="Time between two checkpoints, for example 10m.")


class UsageEntry(Form):
    """Usage that a resource does not show: duration, purpose, amount of data."""

    purpose: Purposes | None = Field(default=None, description="training or inference.")
    duration: v.Duration | None = Field(
        default=None, description="Duration of a training run, for example 72h."
    )
    time_to_live: v.Duration | None = Field(
        default=None,
        description="The time after which something in the stack ends its machines, for example "
        "80h; without it a month has 730 hours.",
    )
    runs: v.Runs | None = Field(default=None, description="Runs per month.")
    checkpoints: v.Flag | None = Field(
        default=None, description="Whether a training run writes checkpoints."
    )
    checkpoint_writes: CheckpointWritesEntry | None = Field(
        default=None,
        description="How a run writes its checkpoints, whose time is paid for, too: for example "
        "{size: 140GB, write: 2GB/s, every: 10m}.",
    )
    expected: Machines | None = Field(
        default=None, description="Average number of machines of a pool."
    )
    nvlink: v.Flag | None = Field(default=None, description="Whether it requires NVLink.")
    fabric: FabricRequirements | None = Field(
        default=None,
        description="The fabric between its machines: required, preferred or none.",
    )
    size: v.Size | None = Field(default=None, description="Content of a bucket, for example 2TB.")
    reads: v.Tally | None = Field(default=None, description="Read requests per month.")
    writes: v.Tally | None = Field(default=None, description="Write and list requests per month.")


_EXAMPLES: Final = {
    "hours": "duration: 72h",
    "ends_after": "time_to_live: 80h",
    "expected": "expected: 2",
    "runs": "runs: 4",
    "gigabytes": "size: 2TB",
    "checkpoints": "checkpoints: true",
    "checkpoint_writes": "checkpoint_writes: {size: 140GB, write: 2GB/s, every: 10m}",
    "purpose": "purpose: training",
    "nvlink": "nvlink: true",
    "fabric": "fabric: required",
    "reads": "reads: 10M",
    "writes": "writes: 1M",
}
"""The settings-file key, under a resource, for each key of a policy pack's `usage`."""


class SettingsUsage(StackUsage):
    """Monthly usage of the stack; facts about resources are under each resource."""

    key_hints: ClassVar[Words] = {
        key: f"write resources: {{trainer-group: {{{words}}}}}" for key, words in _EXAMPLES.items()
    }


class Settings(Form):
    """A file of settings: its words are those of a stack file."""

    file_title = "the settings"
    example = "for example budget: {per_hour: 260, per_month: 40000}"

    version: v.Version = Field(default=1, description="1, or omitted.")
    budget: Budget | None = Field(default=None, description="The maximum cost of the stack.")
    prices: Prices | None = Field(
        default=None, description="How outdated, unknown and foreign-currency prices are treated."
    )
    region: v.Region | None = Field(
        default=None, description="Region of resources whose file doesn't name one."
    )
    usage: SettingsUsage = Field(
        default_factory=SettingsUsage, description="Monthly usage of the stack."
    )
    resources: dict[v.Sentence, UsageEntry] = Field(
        default={}, description="Facts that resources do not show, by their names."
    )
    rules: dict[v.RuleId, RuleSettings] = Field(default={}, description="Settings of rules by id.")
    waivers: Waivers = Field(default=(), description="Accepted findings.")
    trust: Trusted = Field(
        default=(), description="Facts that are trusted about resources of other stacks."
    )
    loosening: Annotated[Loosening, word_reader(get_args(Loosening))] | None = Field(
        default=None,
        description="Whether a program's own accept_outdated, bound_unknown, not_counted and "
        "waivers by pattern count: accepted or refused; refused if this has a budget, prices or "
        "rules.",
    )


def read(path: Path, judge: Callable[[Any], Iterable[Problem]]) -> ParsedFile[Settings]:
    """Read a settings file.

    Args:
        path: the file.
        judge: says what the grammar can't see of the file's plain value, by path.

    Raises:
        InputError: with every fault and its place.
    """
    return form_in(path, Settings, f"use a settings file; {Settings.example}", judge)


def to_usage(settings: Settings) -> Usage:
    """Return the usage of resources in the settings, for planning."""
    resource_usage = settings.resources

    def usage_by_name(read: Callable[[UsageEntry], T | None]) -> dict[str, T]:
        values = ((name, read(entry)) for name, entry in resource_usage.items())
        return {name: value for name, value in values if value is not None}

    return Usage(
        hours=usage_by_name(
            lambda entry: None if entry.duration is None else hours(entry.duration)
        ),
        ends_after=usage_by_name(
            lambda entry: None if entry.time_to_live is None else hours(entry.time_to_live)
        ),
        expected=usage_by_name(
            lambda entry: None if entry.expected is None else Decimal(entry.expected)
        ),
        runs=usage_by_name(lambda entry: None if entry.runs is None else Decimal(entry.runs)),
        gigabytes=usage_by_name(
            lambda entry: None if entry.size is None else gigabytes(entry.size)
        ),
        checkpoints=usage_by_name(lambda entry: entry.checkpoints),
        checkpoint_writes=usage_by_name(lambda entry: _writes(entry.checkpoint_writes)),
        purpose=usage_by_name(lambda entry: entry.purpose),
        nvlink=usage_by_name(lambda entry: entry.nvlink),
        fabric=usage_by_name(lambda entry: entry.fabric),
        reads=usage_by_name(lambda entry: None if entry.reads is None else Decimal(entry.reads)),
        writes=usage_by_name(
            lambda entry: None if entry.writes is None else Decimal(entry.writes)
        ),
        data=settings.usage.amounts,
        trust=tuple(entry.trust for entry in settings.trust),
    )


def _writes(entry: CheckpointWritesEntry | None) -> Mapping[str, Decimal] | None:
    if entry is None:
        return None
    writes = CheckpointWrites(
        size=Decimal(entry.size), rate=Decimal(entry.write), every=hours(entry.every)
    )
    return asdict(writes)
