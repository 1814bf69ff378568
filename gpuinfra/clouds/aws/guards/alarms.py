"""The alarms of a workload, as plain data that planning counts and the build declares."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.agent.install import DIMENSIONS, METRIC, NAMESPACE
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.script_host import host_of
from gpuinfra.model import Group, Machine
from gpuinfra.records import record

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Stack

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 86_400
PERIOD: Final = 300
MAX_LOOKBACK: Final = timedelta(days=7)
"""How far an alarm looks back; figures of less than an hour look back over one day:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html"""

IDLE: Final = Decimal(5)
"""Percent of GPU use under which an hour counts as idle; the guides' 30% and 60 % marks, which
speak of days, are in the daily report."""
FULL_PERCENT: Final = Decimal(95)
"""Percent of GPU memory in use; above it the next larger batch or prompt ends the process."""

BALANCER: Final = ("LoadBalancer", "TargetGroup")
"""https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html"""


@record
class Metric:
    """The metric of an alarm; its dimensions' values are known once the workload is declared."""

    namespace: str
    name: str
    dimensions: tuple[str, ...]
    statistic: str = "Average"


@record
class Alarm:
    """One alarm of a workload.

    Attributes:
        workload: whose.
        kind: its name.
        metrics: one, or those that `expression` calls m0, m1 …
        threshold: in the metric's unit.
        message: its text in a mail.
        fires_below: whether it goes off under the threshold; else at it and above.
        period: seconds of one figure.
        count: how many figures in a row.
        stops: whether it takes the workload's machines down.
    """

    workload: str
    kind: str
    metrics: tuple[Metric, ...]
    threshold: Decimal
    message: str
    fires_below: bool = False
    period: int = PERIOD
    count: int = 1
    expression: str = ""
    stops: bool = False


def alarms(stack: "Stack", group: Group) -> Iterator[Alarm]:
    """Yield the alarms of one workload that `monitoring` and `idle_stop` ask for."""
    with_alarms = stack.monitoring is not None and stack.monitoring.alarms
    run, pool = stack.training.get(group.name), stack.inference.get(group.name)
    stop = None if run is None else run.idle_stop
    if has_measurable_gpus(group):
        if stop is not None:
            yield _idle_alarm(group, Decimal(stop.below * 100), *spans(stop.after), stops=True)
        elif with_alarms:
            yield _idle_alarm(group, IDLE, *spans(timedelta(hours=1)))
        if with_alarms:
            yield _memory(group)
            yield from _errors(group)
    if with_alarms and run is not None and run.checkpoints is not None:
        # Only a run that saves itself has the agent that counts them.
        interruptions = Metric(
            namespace=NAMESPACE, name=METRIC, dimensions=DIMENSIONS, statistic="Sum"
        )
        yield Alarm(
            workload=group.name,
            kind="interrupted",
            metrics=(interruptions,),
            threshold=Decimal(1),
            message="a machine will be interrupted or must stop; it saves a checkpoint first",
        )
    if with_alarms and pool is not None and pool.scale_on.queue is None:
        unhealthy = Metric(
            namespace="AWS/ApplicationELB",
            name="UnHealthyHostCount",
            dimensions=BALANCER,
            statistic="Maximum",
        )
        yield Alarm(
            workload=group.name,
            kind="unhealthy",
            metrics=(unhealthy,),
            threshold=Decimal(1),
            period=MINUTE,
            count=5,
            message="a machine has not answered its health check for 5 minutes",
        )


def has_measurable_gpus(group: Group) -> bool:
    """Return whether the machines have GPUs that the CloudWatch agent can read."""
    return has_readable_gpus(planned_machine(group.rung))


def has_readable_gpus(machine: Machine) -> bool:
    """Return whether the CloudWatch agent can read a machine's GPUs; it uses nvidia-smi."""
    return host_of(machine, ()).accelerator == "nvidia"


def utilization(group: Group) -> Metric:
    """Return the metric of a workload's GPU use, in percent."""
    return gpu_metric(group, metrics.UTILIZATION)


def gpu_metric(group: Group, name: str, statistic: str = "Average") -> Metric:
    """Return a metric that a workload's machines send, with the dimensions that they send."""
    dimensions = metrics.RUN_DIMENSIONS if group.purpose == "training" else (metrics.DIMENSION,)
    return Metric(
        namespace=metrics.NAMESPACE, name=name, dimensions=dimensions, statistic=statistic
    )


def spans(alarm_delay: timedelta) -> tuple[int, int]:
    """Return a period in seconds and the number of periods that make up a time, rounded up."""
    seconds = int(alarm_delay.total_seconds())
    short = MINUTE if seconds % PERIOD else PERIOD
    period = HOUR if seconds > DAY else short
    return period, max(1, -(-seconds // period))


def _idle_alarm(
    group: Group, threshold: Decimal, period: int, count: int, *, stops: bool = False
) -> Alarm:
    return Alarm(
        workload=group.name,
        kind="idle",
        metrics=(utilization(group),),
        fires_below=True,
        threshold=threshold,
        period=period,
        count=count,
        message=(
            f"GPU use was below {threshold.normalize():f}% for {period * count // MINUTE} minutes"
        ),
        stops=stops,
    )


def _memory(group: Group) -> Alarm:
    names = (metrics.MEMORY_USED, metrics.MEMORY_TOTAL)
    return Alarm(
        workload=group.name,
        kind="memory",
        metrics=tuple(gpu_metric(group, name) for name in names),
        expression="100 * m0 / m1",
        threshold=FULL_PERCENT,
        count=3,
        message=f"{FULL_PERCENT:f}% or more of the GPU memory was in use for 15 minutes",
    )


def _errors(group: Group) -> Iterator[Alarm]:
    kinds = {
        "xid": (metrics.XID_ERRORS, "the GPU driver reported an Xid error"),
        "ecc": (metrics.ECC_ERRORS, "GPU memory had an error that ECC could not correct"),
    }
    for kind, (name, says) in kinds.items():
        yield Alarm(
            workload=group.name,
            kind=kind,
            metrics=(gpu_metric(group, name, "Sum"),),
            threshold=Decimal(1),
            message=says,
        )
