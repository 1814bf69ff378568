"""Options of settings with few values: fabric, checkpoints, buckets."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from gpuinfra.cost.run_hours import suggested_end
from gpuinfra.fixes.fix import Path
from gpuinfra.fixes.options import Dimension, EditOption, OptionContext, Work
from gpuinfra.fixes.property_paths import value_at
from gpuinfra.fixes.tradeoffs import ONE, ZERO, LostShare
from gpuinfra.model import EXAMPLE_SIZE
from gpuinfra.model.time_to_live import time_to_live
from gpuinfra.rules.budget import cap_for_fix
from gpuinfra.rules.ended_months import longest_end
from gpuinfra.rules.rule import Family
from gpuinfra.rules.spot_checkpoints import BUCKET, CHECKPOINT_INTERVAL
from gpuinfra.specs import Training
from gpuinfra.units import format_duration
from gpuinfra.units import hours as in_hours

FABRIC: Final = ("required", "preferred", "none")
LAYOUTS: Final = ("standard", "most-ip", "fewest-ip", "classic")
IDLE: Final = {"below": "5%", "after": "30m"}
"""The idle rule that a fix adds: the example of the stack file's schema."""

Choices = Iterator[tuple[str, frozenset[Family], list[EditOption]]]


def dimensions(
    context: OptionContext, path: Path, name: str, workload: Work
) -> Iterator[Dimension]:
    """Yield the settings of a workload that may be switched."""
    options = (
        _training(context, path, name, workload)
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
    flows = [_switch_option(context, ("network", "flow_logs"), is_on=False)]
    nat = [_switch_option(context, ("network", "nat"), is_on=True)]
    security: frozenset[Family] = frozenset({"security"})
    options = (("flow logs", security, flows), ("nat", frozenset[Family]({"budget"}), nat))
    yield from _dimensions("", iter(options))


def _dimensions(subject: str, by_what: Choices) -> Iterator[Dimension]:
    for title, family, options in by_what:
        if options:
            yield Dimension(name=title, subject=subject, options=tuple(options), families=family)


def _training(context: OptionContext, path: Path, name: str, workload: Training) -> Choices:
    other_fabrics = [fabric for fabric in FABRIC if fabric != workload.fabric]
    yield (
        "fabric",
        frozenset({"fabric"}),
        [context.option((*path, "fabric"), fabric) for fabric in other_fabrics],
    )
    layouts = [layout for layout in LAYOUTS if layout != workload.efa_layout]
    yield (
        "efa_layout",
        frozenset({"fabric"}),
        [context.option((*path, "efa_layout"), layout) for layout in layouts],
    )
    if workload.checkpoints is None:
        yield "checkpoints", frozenset({"spot"}), list(_checkpoints(context, path))
    ends = []
    if workload.time_to_live is None:
        end = _time_to_live(context, name, workload)
        lost = _lost_at_end(context, name, workload, end)
        ends.append(context.option((*path, "time_to_live"), end, lost))
    if workload.idle_stop is None:
        ends.append(context.option((*path, "idle_stop"), IDLE))
    yield "ends", frozenset({"budget", "hygiene"}), ends


def _pool(context: OptionContext, path: Path) -> Choices:
    if value_at(context.value, (*path, "mixed")):
        without_mixed = context.option(
            (*path, "mixed"), [], [(ONE, "other machine types of the pool")]
        )
        yield "mixed", frozenset({"fabric", "spot"}), [without_mixed]


def _checkpoints(context: OptionContext, path: Path) -> Iterator[EditOption]:
    """Yield options for checkpoints in each bucket of the file, or in a new one if it has none."""
    checkpoints_path = (*path, "checkpoints")
    for bucket in context.stack.buckets:
        yield context.option(checkpoints_path, {"bucket": bucket, "every": CHECKPOINT_INTERVAL})
    if not context.stack.buckets:
        value = context.edit_value(
            checkpoints_path, {"bucket": BUCKET, "every": CHECKPOINT_INTERVAL}
        )
        bucket_declaration = context.edit_value(("buckets", BUCKET), {"size": EXAMPLE_SIZE})
        yield EditOption(edits=(bucket_declaration, value))


def _time_to_live(context: OptionContext, name: str, workload: Training) -> str:
    """Return a time to live: a quarter longer than the run, or a default if that is unknown.

    Where a month is above its cap, the longest within it: of a run, if that is shorter; of a
    machine without a duration in any case, since its end deletes what is on it.
    """
    duration_hours = None if workload.duration is None else in_hours(workload.duration)
    group = context.group(name)
    usual = time_to_live(duration_hours) if group is None else suggested_end(group)
    longest = None
    if context.plan is not None and context.quote is not None and group is not None:
        longest = longest_end(context.plan, context.quote, group)
    if longest is not None:
        usual = longest if duration_hours is None else min(usual, longest)
    return format_duration(timedelta(hours=usual))


def _lost_at_end(
    context: OptionContext, name: str, workload: Training, end: str
) -> Iterator[LostShare]:
    """Yield that a machine without a duration, which is worked on, is deleted with its disk.

    It counts as no loss against the request.
    """
    items = () if context.plan is None else context.plan.items
    keeps_disks = any(item.group == name and item.kept_when_stopped for item in items)
    if workload.duration is None and not keeps_disks:
        yield ZERO, f"{name}: the machine and its disk, {end} after its first up; buckets stay"


def _bucket(context: OptionContext, path: Path) -> Choices:
    bucket = context.stack.buckets[str(path[1])]
    hygiene: frozenset[Family] = frozenset({"hygiene"})
    if bucket.versioned:
        without_versions = context.option(
            (*path, "versioned"), False, [(ONE, f"{path[1]}: old versions of objects")]
        )
        yield "versioned", hygiene, [without_versions]
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


def _switch_option(context: OptionContext, path: Path, *, is_on: bool) -> EditOption:
    setting: Any = value_at(context.value, path)
    value = not (is_on if setting is None else setting)
    losses = [] if value else [(ONE, f"{path[-1]} of the network")]
    return context.option(path, value, losses)
