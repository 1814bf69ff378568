"""The start-up script on its way to the machines: in the template, or in a bucket of theirs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import metrics, starts
from gpuinfra.clouds.aws.agent.install import agent_rights
from gpuinfra.clouds.aws.build import policies
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.host import Host, SharedFolder
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.payload import SPARE, fetching, fits, object_folder, object_key
from gpuinfra.clouds.aws.statements import allow, text
from gpuinfra.clouds.building import buckets
from gpuinfra.clouds.building.buckets import Grant
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.order import Order
from gpuinfra.stackfile.schema import Inference, Training

KINDS: Final[Kinds] = {
    "start_script": aws.s3.BucketObjectv2,
    "start_rights": aws.iam.RolePolicy,
}

PREFLIGHT_TAG: Final = "gpuinfra:preflight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What the template takes as user data, and what has to be there before a machine starts."""

    text: pulumi.Input[str]
    ready: Sequence[pulumi.Resource] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A file system for Lustre, at its run-time address."""

    dns_name: pulumi.Input[str]
    mount_name: pulumi.Input[str]
    efa: bool = False


def training(
    children: Children,
    work: Training,
    granted: Sequence[Grant],
    role: aws.iam.Role,
    *,
    host: Host,
    ends: str | None = None,
    shared: Shared | None = None,
) -> Script:
    """The script of a training workload's machines.

    Args:
        children: of its component.
        work: the workload.
        granted: the parts of buckets that it mounts, its checkpoints last.
        role: what its machines act as.
        host: the machine.
        ends: when its capacity block is over, ISO 8601 in UTC.
        shared: the file system beside the machines, where there is one.
    """
    order = children.order
    used = (*buckets.uses(work.data), *buckets.checkpoints(work))
    write = partial(starts.training_script, order, work, host=host, ends=ends)
    if shared is None:
        script = buckets.script(used, granted, write)
    else:
        address = {"dns_name": shared.dns_name, "mount_name": shared.mount_name}
        script = _once_known(
            address,
            lambda known: buckets.script(
                used, granted, partial(write, shared=SharedFolder(**known, efa=shared.efa))
            ),
        )
    stand_in = starts.training_stand_in(order, work, host=host, ends=ends)
    kept = granted[-1] if work.checkpoints is not None else _holder(granted)
    return _held(children, script, role, None if fits(stand_in, SPARE) else kept)


def pool(
    children: Children,
    work: Inference,
    granted: Sequence[Grant],
    role: aws.iam.Role,
    *,
    image: pulumi.Input[str],
    queue: pulumi.Input[str] = "",
) -> Script:
    """The script of a pool's machines, as for a training workload.

    Args:
        children: of its component.
        work: the workload.
        granted: the parts of buckets that it mounts.
        role: what its machines act as.
        image: the container, as it is pulled.
        queue: the address of the messages that it works off; empty for none.
    """
    order, used = children.order, buckets.uses(work.data)
    script = _once_known(
        {"image": image, "queue": queue},
        lambda known: buckets.script(
            used,
            granted,
            lambda shares: starts.pool_script(order, work, shares, **known),
        ),
    )
    short = fits(starts.pool_stand_in(order, work), SPARE)
    return _held(children, script, role, None if short else _holder(granted))


def training_rights(order: Order, work: Training, host: Host) -> dict[str, list[dict[str, Any]]]:
    """What a training machine's role may do for its own agents, as statements by child.

    Machines and groups are known by their tags, since the role exists before they do.
    """
    partition = partition_of(order.region)
    rights: dict[str, list[dict[str, Any]]] = {}
    if order.metrics and host.accelerator == "nvidia":
        sent = policies.metrics(metrics.run_configuration(order.stack, order.name))
        rights["metrics"] = sent["Statement"]
    if work.checkpoints is not None:
        rights["agent"] = agent_rights(
            partition, order.region, order.stack, lifecycle=not work.all_or_nothing
        )
    if work.preflight:
        rights["preflight"] = _preflight_rights(partition, order, work)
    return {child: statements for child, statements in rights.items() if statements}


def _preflight_rights(partition: str, order: Order, work: Training) -> list[dict[str, Any]]:
    """To mark a machine as fit, and to have a broken one replaced; of this workload only.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
    """
    ours = {
        "aws:ResourceTag/gpuinfra:stack": order.stack,
        "aws:ResourceTag/gpuinfra:workload": order.name,
    }
    statements: list[dict[str, Any]] = []
    if work.nodes > 1:
        statements.append(
            {
                "Effect": "Allow",
                "Action": ["ec2:CreateTags"],
                "Resource": f"arn:{partition}:ec2:{order.region}:*:instance/*",
                "Condition": {
                    "StringEquals": ours,
                    "ForAllValues:StringEquals": {"aws:TagKeys": [PREFLIGHT_TAG]},
                },
            }
        )
    if not work.all_or_nothing:
        statements.append(
            {
                "Effect": "Allow",
                "Action": ["autoscaling:SetInstanceHealth"],
                "Resource": f"arn:{partition}:autoscaling:{order.region}:*:autoScalingGroup:*",
                "Condition": {"StringEquals": ours},
            }
        )
    return statements


def _once_known(
    values: Mapping[str, pulumi.Input[str]],
    write: Callable[[dict[str, str]], pulumi.Output[str]],
) -> pulumi.Output[str]:
    """A script, written once some values are known."""
    known = pulumi.Output.all(**values)
    return pulumi.Output.from_input(known).apply(write)


def _holder(granted: Sequence[Grant]) -> Grant | None:
    """The bucket that takes a script: one that is written to anyway, else the first."""
    return next((grant for grant in granted if grant.writable), granted[0] if granted else None)


def _held(
    children: Children, script: pulumi.Output[str], role: aws.iam.Role, holder: Grant | None
) -> Script:
    """The script as it is, or put into a bucket, with user data that fetches it.

    The role may read the folder that holds this workload's scripts and nothing else. While an
    update replaces a script, machines of the older template still find theirs.
    """
    if holder is None:
        return Script(text=script)
    order = children.order
    bucket = pulumi.Output.from_input(holder.bucket)
    made = children.make(
        aws.s3.BucketObjectv2,
        "start_script",
        bucket=bucket,
        key=script.apply(partial(object_key, order.name)),
        content=script,
        content_type="text/x-shellscript",
        tags=_ours(children),
    )
    rights = children.make(
        aws.iam.RolePolicy,
        "start_rights",
        role=role.id,
        policy=bucket.apply(partial(_reading, order)),
    )
    text = pulumi.Output.all(bucket, script).apply(
        lambda known: fetching(order.region, known[0], order.name, known[1])
    )
    return Script(text=text, ready=(made, rights))


def _ours(children: Children) -> dict[str, str]:
    """Our tags without the caller's, since an object takes ten at most.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
    """
    ours = children.MARKS.ours
    return {key: value for key, value in children.tags.items() if key.startswith(ours)}


def _reading(order: Order, bucket: str) -> str:
    arn = f"arn:{partition_of(order.region)}:s3:::{bucket}"
    return text([allow(["s3:GetObject"], f"{arn}/{object_folder(order.name)}start-*")])
