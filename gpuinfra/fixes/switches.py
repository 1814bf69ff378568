"""What is switched on or off, or said in one of few words: fabric, checkpoints, buckets."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, Option, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.tradeoffs import ONE
from gpuinfra.rules.budget import named_cap
from gpuinfra.rules.rule import Family
from gpuinfra.rules.time_limit import time_to_live
from gpuinfra.specs import Training
from gpuinfra.units import format_duration
from gpuinfra.units import hours as in_hours

FABRIC: Final = ("required", "preferred", "none")
LAYOUTS: Final = ("standard", "most-ip", "fewest-ip", "classic")
EVERY: Final = "10m"
"""How often checkpoints are written that a fix adds: what the stack file means by default."""

IDLE: Final = {"below": "5%", "after": "30m"}
"""When machines are idle that a fix has stopped: the example of the stack file's words."""

BUCKET: Final = "checkpoints"

Choices = Iterator[tuple[str, frozenset[Family], list[Option]]]


def dimensions(ground: OptionContext, path: Path, _: str, work: Work) -> Iterator[Dimension]:
    """What may be switched of a workload."""
    options = _training(ground, path, work) if isinstance(work, Training) else _pool(ground, path)
    yield from _dimensions(".".join(map(str, path)), options)


def of_buckets(ground: OptionContext) -> Iterator[Dimension]:
    """What may be switched of buckets."""
    for name in ground.stack.buckets:
        yield from _dimensions(f"buckets.{name}", _bucket(ground, ("buckets", name)))


def of_stack(ground: OptionContext) -> Iterator[Dimension]:
    """What may be switched of the whole stack, and the cap that it lacks."""
    if ground.plan is not None and ground.plan.caps.per_hour is ground.plan.caps.per_month is None:
        cap = named_cap(ground.quote, "per_hour")
        caps = [ground.option(("budget", "per_hour"), int(cap))] if cap.isdigit() else []
        yield from _dimensions("", iter([("cap", frozenset[Family]({"budget"}), caps)]))
    flows = [_turned(ground, ("network", "flow_logs"), now=False)]
    nat = [_turned(ground, ("network", "nat"), now=True)]
    security: frozenset[Family] = frozenset({"security"})
    options = (("flow logs", security, flows), ("nat", frozenset[Family]({"budget"}), nat))
    yield from _dimensions("", iter(options))


def _dimensions(about: str, by_what: Choices) -> Iterator[Dimension]:
    for what, family, options in by_what:
        if options:
            yield Dimension(what=what, about=about, options=tuple(options), for_=family)


def _training(ground: OptionContext, path: Path, work: Training) -> Choices:
    wishes = [fabric for fabric in FABRIC if fabric != work.fabric]
    yield (
        "fabric",
        frozenset({"fabric"}),
        [ground.option((*path, "fabric"), fabric) for fabric in wishes],
    )
    layouts = [layout for layout in LAYOUTS if layout != work.efa_layout]
    yield (
        "efa_layout",
        frozenset({"fabric"}),
        [ground.option((*path, "efa_layout"), layout) for layout in layouts],
    )
    if work.checkpoints is None:
        yield "checkpoints", frozenset({"spot"}), list(_checkpoints(ground, path))
    ends = [
        ground.option((*path, "time_to_live"), _life(work)),
        ground.option((*path, "idle_stop"), IDLE),
    ]
    limits = (work.time_to_live, work.idle_stop)
    missing = [option for option, now in zip(ends, limits, strict=True) if now is None]
    yield "ends", frozenset({"budget", "hygiene"}), missing


def _pool(ground: OptionContext, path: Path) -> Choices:
    if value_at(ground.value, (*path, "mixed")):
        alone = ground.option((*path, "mixed"), [], [(ONE, "other machine types of the pool")])
        yield "mixed", frozenset({"fabric", "spot"}), [alone]


def _checkpoints(ground: OptionContext, path: Path) -> Iterator[Option]:
    """Checkpoints into each bucket of the file, or into a new one where it has none."""
    place = (*path, "checkpoints")
    for bucket in ground.stack.buckets:
        yield ground.option(place, {"bucket": bucket, "every": EVERY})
    if not ground.stack.buckets:
        written = ground.set(place, {"bucket": BUCKET, "every": EVERY})
        yield Option(edits=(ground.set(("buckets", BUCKET), {}), written))


def _life(work: Training) -> str:
    """How long machines stay at most: a quarter longer than the run takes, if that is said."""
    takes = None if work.duration is None else in_hours(work.duration)
    return format_duration(timedelta(hours=time_to_live(takes)))


def _bucket(ground: OptionContext, path: Path) -> Choices:
    bucket = ground.stack.buckets[str(path[1])]
    hygiene: frozenset[Family] = frozenset({"hygiene"})
    if bucket.versioned:
        off = ground.option(
            (*path, "versioned"), False, [(ONE, f"{path[1]}: old versions of objects")]
        )
        yield "versioned", hygiene, [off]
    else:
        yield "versioned", hygiene, [ground.option((*path, "versioned"), True)]
    if bucket.tiering is None:
        yield "tiering", hygiene, [ground.option((*path, "tiering"), "30d")]
    if value_at(ground.value, (*path, "keep_noncurrent")) is None:
        yield "keep_noncurrent", hygiene, [ground.option((*path, "keep_noncurrent"), "30d")]
    if bucket.encryption == "managed":
        kms = ground.option((*path, "encryption"), "kms")
        yield "encryption", frozenset({"security"}), [kms]
    if bucket.access_logs is None:
        logs = ground.option((*path, "access_logs"), "own")
        yield "access_logs", frozenset({"security", "hygiene"}), [logs]


def _turned(ground: OptionContext, path: Path, *, now: bool) -> Option:
    setting: Any = value_at(ground.value, path)
    value = not (now if setting is None else setting)
    gives_up = [] if value else [(ONE, f"{path[-1]} of the network")]
    return ground.option(path, value, gives_up)
