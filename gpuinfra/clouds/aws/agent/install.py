"""Installs the interruption agent on a machine: its settings, files, start and permissions."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, Literal

from gpuinfra.clouds.aws.agent.packaged_agent import program
from gpuinfra.clouds.aws.metrics import RUN_DIMENSIONS
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.startup import JOB, file_part
from gpuinfra.records import record

UNIT: Final = "gpuinfra-agent.service"
SETTINGS: Final = "/etc/gpuinfra/agent.json"
CODE: Final = "/opt/gpuinfra"
RUN: Final = "/run/gpuinfra"

ENVIRONMENT: Final[Mapping[str, str]] = {
    "GPUINFRA_INTERRUPTED": f"{RUN}/interrupted",
    "GPUINFRA_SAVED": f"{RUN}/saved",
}
"""Variables of a training machine: the file that appears when the run is to save, JSON with
`reason`, `action` (leave or checkpoint) and `seconds`; and the file that the trainer writes once
its checkpoint is complete, empty or JSON with `step`.

Only the ranks of the machine that goes are told. A checkpoint that every machine writes a part of
is complete only where the trainer itself passes the request on, as by an all-reduce at each step;
otherwise the last periodic checkpoint is what is left."""

LIFECYCLE_HOOK: Final = "gpuinfra-checkpoint"
"""The name of the scaling group's hook on autoscaling:EC2_INSTANCE_TERMINATING."""
HEARTBEAT_TIMEOUT: Final = 300
"""Seconds that the hook waits for the agent's heartbeat, and then lets the machine end."""
DEFAULT_RESULT: Final = "CONTINUE"
LIFECYCLE_BUDGET: Final = 420
"""Seconds that the agent holds a machine that its group ends, at most. It has to be gone within
the half hour that a deletion of its group waits, and shuts down for minutes after that."""
_BEATS: Final = 60

NAMESPACE: Final = "gpuinfra"
METRIC: Final = "Interruption"
DIMENSIONS: Final = RUN_DIMENSIONS
"""One datum of value 1 for each interrupted machine, with exactly these dimensions."""

_RESERVE: Final = 20
_RESERVE_TO_COPY: Final = 45
"""Seconds before the deadline at which a trainer is killed, so that what is there gets away."""

_PACKAGE: Final = "gpuinfra/clouds/aws/agent"
_UNIT: Final = f"""\
[Unit]
Description=gpuinfra interruption agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Environment=PYTHONPATH={CODE}
ExecStart=/usr/bin/python3 -S -m {_PACKAGE.replace("/", ".")}.service {SETTINGS}
RuntimeDirectory={RUN.removeprefix("/run/")}
RuntimeDirectoryPreserve=yes
Restart=always
RestartSec=2
OOMScoreAdjust=-900

[Install]
WantedBy=multi-user.target
"""

Advice = Literal["checkpoint", "leave", "ignore"]


@record
class AgentSettings:
    """The settings of a machine's agent.

    Args:
        stack: its stack's name.
        workload: its workload's name.
        region: where it is.
        checkpoints: `s3://bucket/prefix/` of the checkpoints; without one nothing is marked.
        local: the folder that checkpoints are written to first; empty where `CHECKPOINT_DIR` is
            the bucket itself.
        lifecycle: whether the machine's group has the hook `LIFECYCLE_HOOK`.
        lifecycle_budget: seconds that a machine is held when its group ends it.
        block_ends: when its capacity block ends, ISO 8601 in UTC.
        ultraserver: whether the block is one of UltraServers, which go earlier.
        on_rebalance: what advice to rebalance does: save and go on, save and end, or nothing.
        on_maintenance: what scheduled maintenance does, ten minutes before.
        hook: a shell command that runs before the trainer is told to end.
    """

    stack: str
    workload: str
    region: str
    checkpoints: str = ""
    local: str = ""
    lifecycle: bool = True
    lifecycle_budget: int = LIFECYCLE_BUDGET
    block_ends: str | None = None
    ultraserver: bool = False
    on_rebalance: Advice = "checkpoint"
    on_maintenance: Advice = "checkpoint"
    hook: str = ""


def agent_configuration(settings: AgentSettings) -> dict[str, Any]:
    """Return the agent's configuration, as stored in the file `SETTINGS`."""
    configuration = asdict(settings)
    ends, ultraserver, lifecycle = (
        configuration.pop(name) for name in ("block_ends", "ultraserver", "lifecycle")
    )
    return {
        **configuration,
        "lifecycle_hook": LIFECYCLE_HOOK if lifecycle else "",
        "heartbeat": _BEATS,
        "block": ends and {"ends": ends, **block_leads(ultraserver=ultraserver)},
        "reserve": _RESERVE_TO_COPY if settings.local else _RESERVE,
        "unit": JOB,
        "namespace": NAMESPACE,
        "metric": METRIC,
        "dimensions": DIMENSIONS,
        "run": RUN,
        "metadata": ["169.254.169.254", 80],
        "aws": ["aws"],
        "systemctl": ["systemctl"],
    }


def block_leads(*, ultraserver: bool) -> dict[str, int]:
    """Return the minutes before a block's end at which machines go and the checkpoint starts."""
    kind = "ultraserver" if ultraserver else "instances"
    row = next(row for row in TABLES.rows("capacity_blocks") if row["kind"] == kind)
    return {name: row[name] for name in ("machines_go", "checkpoint_starts")}


def agent_files(settings: AgentSettings) -> dict[str, str]:
    """Return the files of a machine's agent, by path: program, configuration and unit.

    The modules keep their names, in a folder without this package's other files; what only people
    read is left out of them.
    """
    configuration = json.dumps(agent_configuration(settings), separators=(",", ":"))
    return {
        **{f"{CODE}/{_PACKAGE}/{name}.py": text for name, text in program().items()},
        SETTINGS: f"{configuration}\n",
        f"/etc/systemd/system/{UNIT}": _UNIT,
    }


def agent_parts(settings: AgentSettings) -> list[str]:
    """Return the parts of a start-up script that install and start the agent, before the job."""
    files = agent_files(settings)
    begin = f"# The interruption agent.\ninstall -d -m 0755 {CODE}/{_PACKAGE}\n"
    start = f"systemctl daemon-reload\nsystemctl enable {UNIT}\nsystemctl restart {UNIT}\n"
    return [begin, *(file_part(path, text) for path, text in files.items()), start]


def agent_rights(
    partition: str, region: str, stack: str, *, lifecycle: bool = True
) -> list[dict[str, Any]]:
    """Return the agent's IAM statements, besides those for its checkpoints.

    Groups are known by their tag, since a machine's role exists before its group does:
    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html

    Args:
        partition: of AWS.
        region: the machine's.
        stack: the name that the tag `gpuinfra:stack` carries.
        lifecycle: whether the machine's group has the hook.
    """
    counted = {
        "Effect": "Allow",
        "Action": ["cloudwatch:PutMetricData"],
        "Resource": "*",
        "Condition": {"StringEquals": {"cloudwatch:namespace": NAMESPACE}},
    }
    if not lifecycle:
        return [counted]
    return [
        counted,
        {
            "Effect": "Allow",
            "Action": ["autoscaling:DescribeAutoScalingInstances"],
            "Resource": "*",
        },
        {
            "Effect": "Allow",
            "Action": [
                "autoscaling:CompleteLifecycleAction",
                "autoscaling:RecordLifecycleActionHeartbeat",
            ],
            "Resource": f"arn:{partition}:autoscaling:{region}:*:autoScalingGroup:*",
            "Condition": {"StringEquals": {"aws:ResourceTag/gpuinfra:stack": stack}},
        },
    ]
