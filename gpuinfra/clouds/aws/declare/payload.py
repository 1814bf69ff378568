"""The delivery of the start-up script: in the template, or in a bucket of the machines."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws import metrics, start_scripts
from gpuinfra.clouds.aws.agent.install import agent_rights
from gpuinfra.clouds.aws.declare import policies
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.identity import POLICY
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.payload import (
    SPARE,
    fetching,
    is_accepted_by_ec2,
    object_folder,
    object_key,
)
from gpuinfra.clouds.aws.script_host import Host, SharedFolder
from gpuinfra.clouds.aws.statements import allow, text
from gpuinfra.clouds.build_spec import BuildSpec
from gpuinfra.clouds.declaring import buckets
from gpuinfra.clouds.declaring.buckets import BucketGrant
from gpuinfra.clouds.startup import BucketMount
from gpuinfra.graph import Resource, compute, expressions, format_values
from gpuinfra.records import record
from gpuinfra.specs.schema import Inference, Training

PREFLIGHT_TAG: Final = "gpuinfra:preflight"


@record
class StoredScript:
    """The template's user data, and the keys of the resources that a machine needs to start."""

    text: Any
    start_after: Sequence[str] = ()


@record
class LustreMount:
    """A file system for Lustre with its run-time address.

    `start_after` are the keys of resources that must exist while machines write to them.
    """

    dns_name: Any
    mount_name: Any
    efa: bool = False
    start_after: Sequence[str] = ()


@record
class MachineAccess:
    """The buckets and the role of a workload's machines.

    Attributes:
        granted: the parts of buckets that they mount.
        role: the role of the machines.
    """

    granted: Sequence[BucketGrant]
    role: Resource


def training(
    children: Children,
    workload: Training,
    access: MachineAccess,
    *,
    host: Host,
    ends: str | None = None,
    shared: LustreMount | None = None,
) -> StoredScript:
    """Return the script of a training workload's machines.

    Args:
        children: of its component.
        workload: the workload.
        access: what its machines may use; of the parts of buckets its checkpoints are last.
        host: the machine.
        ends: when its capacity block is over, ISO 8601 in UTC.
        shared: the file system beside the machines, where there is one.
    """
    order, bucket_access = children.spec, access.granted
    bucket_uses = (*buckets.uses(workload.data), *buckets.checkpoints(workload))
    write: Callable[..., str] = partial(
        start_scripts.training_script, order, workload, host=host, end_time=ends
    )
    address: dict[str, Any] = {}
    if shared is not None:
        write = partial(_script_with_file_system, write, shared.efa)
        address = {"dns_name": shared.dns_name, "mount_name": shared.mount_name}
    script = buckets.script(bucket_uses, bucket_access, write, **address)
    stand_in = start_scripts.training_stand_in(order, workload, host=host, end_time=ends)
    checkpoint_bucket = (
        bucket_access[-1] if workload.checkpoints is not None else _script_bucket(bucket_access)
    )
    return _stored_script(
        children,
        script,
        access.role,
        None if is_accepted_by_ec2(stand_in, SPARE) else checkpoint_bucket,
    )


def _script_with_file_system(
    write: Callable[..., str], efa: bool, mounts: tuple[BucketMount, ...], **address: str
) -> str:
    """Return the start-up script of machines that mount a file system."""
    return write(mounts, shared=SharedFolder(**address, efa=efa))


def pool(
    children: Children,
    workload: Inference,
    access: MachineAccess,
    *,
    image: Any,
    queue: Any = "",
    targets: Any = "",
) -> StoredScript:
    """Return the script of a pool's machines, as for a training workload.

    Arguments of the container that are outputs may be long, so the script is then put into a
    bucket wherever there is one.

    Args:
        children: of its component.
        workload: the workload.
        access: what its machines may use.
        image: the container, as it is pulled.
        queue: the address of the messages that it works off; empty for none.
        targets: the target group that its machines leave before an interruption; empty for none.
    """
    order, bucket_uses, bucket_access = children.spec, buckets.uses(workload.data), access.granted
    write = buckets.with_arguments(partial(start_scripts.pool_script, order), workload)
    values = {"image": image, "args": order.value("args", workload.args)}
    script = buckets.script(
        bucket_uses, bucket_access, write, **values, queue=queue, targets=targets
    )
    is_short_enough = not expressions(values["args"]) and is_accepted_by_ec2(
        start_scripts.pool_stand_in(order, workload), SPARE
    )
    return _stored_script(
        children, script, access.role, None if is_short_enough else _script_bucket(bucket_access)
    )


def training_rights(
    spec: BuildSpec, workload: Training, host: Host
) -> dict[str, list[dict[str, Any]]]:
    """Return the statements of a training machine's role for its own agents, by child.

    Machines and groups are known by their tags, since the role exists before they do.
    """
    partition = partition_of(spec.region)
    rights: dict[str, list[dict[str, Any]]] = {}
    if spec.metrics and host.accelerator == "nvidia":
        sent = policies.metrics(metrics.run_configuration(spec.stack, spec.name))
        rights["metrics"] = sent["Statement"]
    if workload.checkpoints is not None:
        rights["agent"] = agent_rights(
            partition, spec.region, spec.stack, lifecycle=not workload.all_or_nothing
        )
    if workload.preflight:
        rights["preflight"] = _preflight_rights(partition, spec, workload)
    return {child: statements for child, statements in rights.items() if statements}


def _preflight_rights(partition: str, spec: BuildSpec, workload: Training) -> list[dict[str, Any]]:
    """Return the statements to mark a machine as fit and to replace a broken one of the workload.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
    """
    own_tags = {
        "aws:ResourceTag/gpuinfra:stack": spec.stack,
        "aws:ResourceTag/gpuinfra:workload": spec.name,
    }
    statements: list[dict[str, Any]] = []
    if workload.nodes > 1:
        statements.append(
            {
                "Effect": "Allow",
                "Action": ["ec2:CreateTags"],
                "Resource": f"arn:{partition}:ec2:{spec.region}:*:instance/*",
                "Condition": {
                    "StringEquals": own_tags,
                    "ForAllValues:StringEquals": {"aws:TagKeys": [PREFLIGHT_TAG]},
                },
            }
        )
    if not workload.all_or_nothing:
        statements.append(
            {
                "Effect": "Allow",
                "Action": ["autoscaling:SetInstanceHealth"],
                "Resource": f"arn:{partition}:autoscaling:{spec.region}:*:autoScalingGroup:*",
                "Condition": {"StringEquals": own_tags},
            }
        )
    return statements


def _script_bucket(grants: Sequence[BucketGrant]) -> BucketGrant | None:
    """Return the bucket for a script: one that the machines write to, else the first."""
    return next((grant for grant in grants if grant.writable), grants[0] if grants else None)


def _stored_script(
    children: Children, script: Any, role: Resource, holder: BucketGrant | None
) -> StoredScript:
    """Return the script, or user data that fetches it from a bucket that it is put into.

    The role may read the folder that holds this workload's scripts and nothing else. While an
    update replaces a script, machines of the older template still find theirs.
    """
    if holder is None:
        return StoredScript(text=script)
    order = children.spec
    stored_object = children.make(
        "aws:s3/bucketObjectv2:BucketObjectv2",
        "start_script",
        bucket=holder.bucket,
        key=compute(partial(object_key, order.name), script),
        content=script,
        contentType="text/x-shellscript",
        tags=_own_tags(children),
    )
    rights = children.make(
        POLICY,
        "start_rights",
        role=role["id"],
        policy=format_values(partial(_reading, order), holder.bucket),
    )
    text = compute(partial(_fetching, order), holder.bucket, script, known_value=script)
    return StoredScript(text=text, start_after=(stored_object.key, rights.key))


def _own_tags(children: Children) -> dict[str, str]:
    """Return gpuinfra's tags without the caller's, since an object takes ten at most.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
    """
    tag_prefix = children.MARKS.own_prefix
    return {key: value for key, value in children.tags.items() if key.startswith(tag_prefix)}


def _reading(spec: BuildSpec, bucket: str) -> str:
    arn = f"arn:{partition_of(spec.region)}:s3:::{bucket}"
    return text([allow(["s3:GetObject"], f"{arn}/{object_folder(spec.name)}start-*")])


def _fetching(spec: BuildSpec, bucket: str, script: str) -> str:
    return fetching(spec.region, bucket, spec.name, script)
