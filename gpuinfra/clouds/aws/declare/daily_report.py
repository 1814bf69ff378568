"""The daily mail: a function that reads the stack's metrics, and the schedule that calls it."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.declare.alarms import Values, dimension_values
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guards_function import LambdaSpec, make_function
from gpuinfra.clouds.aws.declare.guards_topics import PUBLISH_KEY_ACTIONS
from gpuinfra.clouds.aws.guards.alarms import has_measurable_gpus, utilization
from gpuinfra.clouds.aws.machines import planned_machine
from gpuinfra.clouds.aws.statements import allow, document, trust
from gpuinfra.clouds.build_spec import MachineHour
from gpuinfra.graph import Options, Resource, format_values, json_text
from gpuinfra.model import Group

DAILY: Final = "cron(0 6 * * ? *)"
"""At 06:00 UTC; the mail looks at the 24 hours before."""


def make_report(
    children: Children,
    groups: Sequence[Group],
    values: Mapping[str, Values],
    notices: Resource,
    key: Resource,
) -> None:
    """Declare the function, its schedule, and the schedule's role."""
    stack = children.spec.stack
    function = make_function(
        children,
        LambdaSpec(
            name="report",
            description=f"mails what the GPUs of the stack {stack} did",
            variables={
                "STACK": stack,
                "NOTICES": notices["arn"],
                "GROUPS": json_text(
                    [
                        facts(
                            group, values[group.name], children.spec.hourly_prices.get(group.name)
                        )
                        for group in groups
                        if has_measurable_gpus(group)
                    ]
                ),
            },
            rights=[
                # No figure has an ARN: service authorization reference, Amazon CloudWatch.
                allow(["cloudwatch:GetMetricStatistics"], "*"),
                allow(["sns:Publish"], notices["arn"]),
                allow(PUBLISH_KEY_ACTIONS, key["arn"]),
            ],
        ),
    )
    _schedule(children, function)


def facts(group: Group, values: Values, hour: MachineHour | None) -> dict[str, Any]:
    """Return the report's facts about a workload; an unknown price is null."""
    metric, machine = utilization(group), planned_machine(group.rung)
    return {
        "workload": group.name,
        "region": group.rung.region,
        "gpus": max(1, ceil(machine.gpu_count)),
        "rate": None if hour is None else f"{hour.price:f}",
        "as_of": "" if hour is None else hour.as_of,
        "metric": {
            "namespace": metric.namespace,
            "name": metric.name,
            "interval": metrics.INTERVAL,
            "dimensions": dimension_values(metric, values),
        },
    }


def _schedule(children: Children, function: Resource) -> None:
    role = children.make(
        "aws:iam/role:Role",
        "report_clock",
        assumeRolePolicy=format_values(partial(trust, "scheduler"), children.account),
    )
    rights = children.make(
        "aws:iam/rolePolicy:RolePolicy",
        "report_clock_rights",
        role=role["id"],
        policy=json_text(document([allow(["lambda:InvokeFunction"], function["arn"])])),
    )
    children.make(
        "aws:scheduler/schedule:Schedule",
        "report_daily",
        Options(depends_on=(rights.key,)),
        scheduleExpression=DAILY,
        scheduleExpressionTimezone="UTC",
        flexibleTimeWindow={"mode": "OFF"},
        target={"arn": function["arn"], "roleArn": role["arn"]},
    )
