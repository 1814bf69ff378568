"""Options of settings with few values: fabric, checkpoints, buckets."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.tradeoffs import ONE
from gpuinfra.model.time_to_live import time_to_live
from gpuinfra.rules.budget import cap_for_fix
from gpuinfra.rules.rule import Family
from gpuinfra.specs import Training
from gpuinfra.units import format_duration
from gpuinfra.units import hours as in_hours

FABRIC: Final = ("required", "preferred", "none")
LAYOUTS: Final = ("standard", "most-ip", "fewest-ip", "classic")
EVERY: Final = "10m"
"""The checkpoint interval that a fix adds: the stack file's default."""

IDLE: Final = {"below": "5%", "after": "30m"}
"""The idle rule that a fix adds: the example of the stack file's schema."""

BUCKET: Final = "checkpoints"

Choices = Iterator[tuple[str, frozenset[Family], list[EditOption]]]


def dimensions(context: OptionContext, path: Path, _: str, workload: Work) -> Iterator[Dimension]:
    """Yield the settings of a workload that may be switched."""
    options = (
        _training(context, path, workload)
        if isinstance(workload, Training)
        else _pool(context, path)
    )
    yield from _dimensions(".".join(map(str, path)), options)


def bucket_switches(context: OptionContext) -> Iterator[Dimension]:
    """Yield the settings of buckets that may be switched."""
    for name in context.stack.buckets:
        yield from _dimensions(f"buckets.{name}", _bucket(context, ("buckets", name)))


def stack_switches(context: OptionContext) -> Iterator[Dimension]:
    """Yield the settings of the stack that may be switched, and the cap that it lacks."""
    if (
        context.plan is not None
        and context.plan.caps.per_hour is context.plan.caps.per_month is None
    ):
        cap = cap_for_fix(context.quote, "per_hour")
        caps = [context.option(("budget", "per_hour"), int(cap))] if cap.isdigit() else []
        yield from _dimensions("", iter([("cap", frozenset[Family]({"budget"}), caps)]))
    flows = [_switch_option(context, ("network", "flow_logs"), now=False)]
    nat = [_switch_option(context, ("network", "nat"), now=True)]
    security: frozenset[Family] = frozenset({"security"})
    options = (("flow logs", security, flows), ("nat", frozenset[Family]({"budget"}), nat))
    yield from _dimensions("", iter(options))


def _dimensions(about: str, by_what: Choices) -> Iterator[Dimension]:
    for what, family, options in by_what:
        if options:
            yield Dimension(what=what, about=about, options=tuple(options), for_=family)


def _training(context: OptionContext, path: Path, workload: Training) -> Choices:
    wishes = [fabric for fabric in FABRIC if fabric != workload.fabric]
    yield (
        "fabric",
        frozenset({"fabric"}),
        [context.option((*path, "fabric"), fabric) for fabric in wishes],
    )
    layouts = [layout for layout in LAYOUTS if layout != workload.efa_layout]
    yield (
        "efa_layout",
        frozenset({"fabric"}),
        [context.option((*path, "efa_layout"), layout) for layout in layouts],
    )
    if workload.checkpoints is None:
        yield "checkpoints", frozenset({"spot"}), list(_checkpoints(context, path))
    ends = [
        context.option((*path, "time_to_live"), _default_time_to_live(workload)),
        context.option((*path, "idle_stop"), IDLE),
    ]
    limits = (workload.time_to_live, workload.idle_stop)
    missing = [option for option, now in zip(ends, limits, strict=True) if now is None]
    yield "ends", frozenset({"budget", "hygiene"}), missing


def _pool(context: OptionContext, path: Path) -> Choices:
    if value_at(context.value, (*path, "mixed")):
        alone = context.option((*path, "mixed"), [], [(ONE, "other machine types of the pool")])
        yield "mixed", frozenset({"fabric", "spot"}), [alone]


def _checkpoints(context: OptionContext, path: Path) -> Iterator[EditOption]:
    """Yield options for checkpoints in each bucket of the file, or in a new one if it has none."""
    place = (*path, "checkpoints")
    for bucket in context.stack.buckets:
        yield context.option(place, {"bucket": bucket, "every": EVERY})
    if not context.stack.buckets:
        written = context.edit_value(place, {"bucket": BUCKET, "every": EVERY})
        yield EditOption(edits=(context.edit_value(("buckets", BUCKET), {}), written))


def _default_time_to_live(workload: Training) -> str:
    """Return a time to live: a quarter longer than the run, or a default if that is unknown."""
    takes = None if workload.duration is None else in_hours(workload.duration)
    return format_duration(timedelta(hours=time_to_live(takes)))


def _bucket(context: OptionContext, path: Path) -> Choices:
    bucket = context.stack.buckets[str(path[1])]
    hygiene: frozenset[Family] = frozenset({"hygiene"})
    if bucket.versioned:
        off = context.option(
            (*path, "versioned"), False, [(ONE, f"{path[1]}: old versions of objects")]
        )
        yield "versioned", hygiene, [off]
    else:
        yield "versioned", hygiene, [context.option((*path, "versioned"), True)]
    if bucket.tiering is None:
        yield "tiering", hygiene, [context.option((*path, "tiering"), "30d")]
    if value_at(context.value, (*path, "keep_noncurrent")) is None:
        yield "keep_noncurrent", hygiene, [context.option((*path, "keep_noncurrent"), "30d")]
    if bucket.encryption == "managed":
        kms = context.option((*path, "encryption"), "kms")
        yield "encryption", frozenset({"security"}), [kms]
    if bucket.access_logs is None:
        logs = context.option((*path, "access_logs"), "own")
        yield "access_logs", frozenset({"security", "hygiene"}), [logs]


def _switch_option(context: OptionContext, path: Path, *, now: bool) -> EditOption:
    setting: Any = value_at(context.value, path)
    value = not (now if setting is None else setting)
    gives_up = [] if value else [(ONE, f"{path[-1]} of the network")]
    return context.option(path, value, gives_up)
