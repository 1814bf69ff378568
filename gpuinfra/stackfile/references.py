"""Consistency checks within one stack file, without any catalog."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.errors import PathPart, Problem
from gpuinfra.similar_words import nearest
from gpuinfra.specs.schema import Inference, Stack, Step
from gpuinfra.stackfile.plain_values import value_at
from gpuinfra.stackfile.validation_messages import KEY
from gpuinfra.stackfile.yaml_composer import mapping

_MAX_SHOWN: Final = 60


def reference_problems(stack: Stack, file: Any) -> tuple[Problem, ...]:
    """Return the inconsistencies between names, prices, durations and numbers of machines.

    Durations are spelled as in `file`, its plain value.
    """
    return (
        *_duplicate_name_problems(stack),
        *_ladders(stack),
        *_run_problems(stack, file),
        *_pools(stack),
        *_missing_limit_problems(stack),
    )


def bucket_problems(value: Any) -> Iterator[Problem]:
    """Yield a problem for each bucket that data or checkpoints name and the file doesn't declare.

    The value may have other faults; they are no reason to leave this one out.
    """
    bucket_names = [str(name) for name in mapping(mapping(value).get("buckets"))]
    for path, name in _bucket_names(mapping(value)):
        if name not in bucket_names:
            from gpuinfra.stackfile.key_suggestions import bucket_declaration  # noqa: PLC0415  (only of a mistake)

            yield Problem(
                message=f"bucket {name[:_MAX_SHOWN]!r} is not declared",
                path=path,
                value=name,
                allowed=", ".join(bucket_names) or "a bucket of this file, which has none",
                suggestion=nearest(name, bucket_names),
                fix=bucket_declaration(name[:_MAX_SHOWN], has_buckets=bool(bucket_names)),
            )


def _bucket_names(value: Mapping[str, Any]) -> Iterator[tuple[tuple[PathPart, ...], str]]:
    """Yield every bucket name of a workload, with its path."""
    for section in ("training", "inference"):
        for workload, workload_value in mapping(value.get(section)).items():
            data = mapping(workload_value).get("data")
            mounts = enumerate(data if isinstance(data, list) else ())
            references: list[tuple[tuple[PathPart, ...], Any]] = [
                *((("data", index), mount) for index, mount in mounts),
                (("checkpoints",), mapping(workload_value).get("checkpoints")),
                (("shared_storage",), mapping(workload_value).get("shared_storage")),
            ]
            for bucket_path, holder in references:
                name = mapping(holder).get("bucket")
                if isinstance(name, str):
                    yield (section, workload, *bucket_path, "bucket"), name


def _duplicate_name_problems(stack: Stack) -> Iterator[Problem]:
    """Yield a problem for each name of two workloads, since active rungs are stored by name."""
    for name in stack.inference:
        if name in stack.training:
            yield Problem(
                message=f"{name!r} names both a training run and an inference pool",
                path=("inference", name, KEY),
                value=name,
                allowed="a name that no other workload has",
                fix="rename one of them",
            )


def _missing_limit_problems(stack: Stack) -> Iterator[Problem]:
    """Yield problems of a budget that stops without a limit, or a report without a recipient."""
    budget, watch = stack.budget, stack.monitoring
    if budget is not None and budget.on_breach == "stop" and budget.per_month is None:
        yield Problem(
            message="on_breach: stop has no cap",
            path=("budget", "on_breach"),
            value="stop",
            allowed="stop requires per_month, the only cap that a cloud budget enforces",
            fix="add per_month, for example per_month: 40000",
        )
    mails_of_budget = () if budget is None else budget.notify
    has_recipients = watch is not None and (watch.mails if watch.notify else mails_of_budget)
    if watch is not None and watch.report and not has_recipients:
        yield Problem(
            message="the daily report has no recipient",
            path=("monitoring", "report"),
            value="true",
            fix="add notify: [ml-platform@example.com]",
        )


def _ladders(stack: Stack) -> Iterator[Problem]:
    for name, training in stack.training.items():
        path = ("training", name, "capacity")
        for index, step in enumerate(training.capacity):
            same = [
                earlier for earlier in training.capacity[:index] if _is_same_step(earlier, step)
            ]
            if same:
                yield Problem(
                    message=f"training.{name}.capacity lists {step.kind!r} twice",
                    path=(*path, index),
                    value=step.kind,
                    fix="remove one of them",
                )
            if step.max_price is not None and step.kind != "spot":
                yield _no_spot((*path, index, "max_price"), str(step.max_price))
        if training.max_price is not None and not any(
            step.kind == "spot" for step in training.capacity
        ):
            yield _no_spot(("training", name, "max_price"), str(training.max_price))


def _run_problems(stack: Stack, file: Any) -> Iterator[Problem]:
    """Yield problems of machines that end before their run, or of checkpoints after its end."""
    for name, training in stack.training.items():
        path, length = ("training", name), training.duration
        if length is None:
            continue
        length_text = value_at(file, (*path, "duration"))
        ends, saves = training.time_to_live, training.checkpoints
        if ends is not None and ends < length:
            yield Problem(
                message=f"training.{name}: its machines end before its duration of {length_text}",
                path=(*path, "time_to_live"),
                value=value_at(file, (*path, "time_to_live")),
                allowed=f"{length_text} or longer",
                fix="raise time_to_live, or lower duration",
            )
        if saves is not None and "every" in saves.model_fields_set and saves.every > length:
            yield Problem(
                message=f"training.{name}: no checkpoint is written in its duration of "
                f"{length_text}",
                path=(*path, "checkpoints", "every"),
                value=value_at(file, (*path, "checkpoints", "every")),
                allowed=f"at most {length_text}",
                fix="lower every",
            )


def _pools(stack: Stack) -> Iterator[Problem]:
    for name, pool in stack.inference.items():
        if pool.max_price is not None and pool.capacity.above != "spot":
            yield _no_spot(("inference", name, "max_price"), str(pool.max_price))
        yield from _base(name, pool)
        yield from _expected_machines_problem(name, pool)


def _base(name: str, pool: Inference) -> Iterator[Problem]:
    most = pool.replicas.maximum
    if most is not None and pool.capacity.on_demand_base > most:
        yield Problem(
            message=f"inference.{name}: on_demand_base exceeds replicas",
            path=("inference", name, "capacity", "on_demand_base"),
            value=str(pool.capacity.on_demand_base),
            allowed=f"at most {most}, the largest number of replicas",
            fix="lower on_demand_base, or raise replicas",
        )


def _expected_machines_problem(name: str, pool: Inference) -> Iterator[Problem]:
    """Yield a problem if the expected number of machines is outside of the replicas."""
    least, most = pool.replicas.minimum, pool.replicas.maximum
    if pool.expected is not None and pool.expected not in pool.replicas:
        yield Problem(
            message=f"inference.{name}: expected is outside of replicas",
            path=("inference", name, "expected"),
            value=str(pool.expected),
            allowed=f"{least}" if most == least else f"{least} to {most}",
            fix="change expected, or replicas",
        )


def _is_same_step(step: Step, other: Step) -> bool:
    return (step.kind, step.region) == (other.kind, other.region)


def _no_spot(path: tuple[PathPart, ...], value: str) -> Problem:
    return Problem(
        message="max_price applies to spot only, and capacity has no spot step",
        path=path,
        value=value,
        fix="remove max_price, or add spot to capacity",
    )
