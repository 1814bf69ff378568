"""Builds a data bucket, with its key, its copy in a second region and the log of its requests."""

from typing import Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import bucket_copy, bucket_parts, bucket_policies, keys
from gpuinfra.clouds.aws.build.bucket_rules import lifecycle, of_logs
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.declare import names
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.footprint import logs_name, replica_name
from gpuinfra.clouds.order import Given, Order, Stored
from gpuinfra.stackfile.storage import Bucket

_LOGS: Final = "_logs"
_COPY: Final = bucket_copy.PART

KINDS: Final[Kinds] = {
    **bucket_parts.kinds(),
    **keys.KINDS,
    **bucket_parts.kinds(_COPY),
    **{f"{name}{_COPY}": kind for name, kind in keys.KINDS.items()},
    **bucket_copy.KINDS,
    **bucket_parts.kinds(_LOGS),
    "logging": aws.s3.BucketLogging,
}


def build_bucket(order: Order, wanted: Bucket, given: Given) -> Stored:
    """Register a bucket and its companions. A bucket with content is not deleted.

    Raises:
        InputError: the customised children do not fit.
    """
    maker = _Maker(order, wanted, given)
    made = maker.bucket()
    if wanted.replicate_to is not None:
        maker.copy(made, wanted.replicate_to)
    if wanted.access_logs is not None:
        maker.log(made, wanted.access_logs)
    maker.children.finish()
    return Stored(bucket_name=made.bucket.bucket, bucket_id=made.bucket.arn, key_id=maker.key)


class _Maker:
    """The parts of one bucket component, which share its account and its key."""

    def __init__(self, order: Order, wanted: Bucket, given: Given) -> None:
        self.order = order
        self.wanted = wanted
        self.children = Children(order, given, KINDS)
        found = aws.get_caller_identity_output(opts=self.children.invoke())
        self.account: pulumi.Output[str] = found.account_id
        self.key: pulumi.Output[str] | None = None

    def bucket(self) -> bucket_parts.Made:
        """The bucket itself."""
        name = self._name(self.order.name, self.order.region)
        if self.wanted.encryption.startswith("arn:"):
            self.key = pulumi.Output.from_input(self.wanted.encryption)
        elif self.wanted.encryption == "kms":
            self.key = self._key("", name, self.order.region)
        return bucket_parts.make(
            self.children,
            bucket_parts.Shelf(
                part="",
                name=name,
                region=self.order.region,
                versioned=self.wanted.versioned,
                rules=lifecycle(self.wanted),
                key=self.key,
                lock=self.wanted.object_lock,
            ),
        )

    def copy(self, made: bucket_parts.Made, region: str) -> None:
        """Its copy, hardened and tidied up alike; keys are of one region, so it has its own."""
        name = self._name(replica_name(self.order.name), region)
        key = None if self.key is None else self._key(_COPY, name, region)
        copy = bucket_parts.make(
            self.children,
            bucket_parts.Shelf(
                part=_COPY,
                name=name,
                region=region,
                versioned=True,
                rules=lifecycle(self.wanted),
                key=key,
                lock=self.wanted.object_lock,
            ),
        )
        bucket_copy.replicate(
            self.children,
            made,
            copy,
            regions=(self.order.region, region),
            keys=None if self.key is None or key is None else (self.key, key),
            locked=self.wanted.object_lock is not None,
        )

    def log(self, made: bucket_parts.Made, target: str) -> None:
        """The log of its requests, in a bucket of their own or in one that is there.

        A bucket of our own goes with its logs when the stack does, or nothing that is logged could
        ever be destroyed; who has to keep them names a bucket that stays.
        """
        region, where = self.order.region, pulumi.Output.from_input(target)
        ready = []
        if target == "own":
            name = self._name(logs_name(self.order.name), region)
            partition = partition_of(region)
            writes = pulumi.Output.all(name, made.bucket.bucket, self.account).apply(
                lambda known: bucket_policies.logs(partition, *known)
            )
            logs = bucket_parts.make(
                self.children,
                bucket_parts.Shelf(
                    part=_LOGS,
                    name=name,
                    region=region,
                    versioned=False,
                    # Logs are delivered to buckets that S3's own keys encrypt.
                    rules=of_logs(),
                    allows=[writes],
                    expendable=True,
                ),
            )
            where, ready = logs.bucket.bucket, [logs.policy]
        self.children.make(
            aws.s3.BucketLogging,
            "logging",
            opts=self.children.options(depends_on=ready),
            bucket=made.bucket.bucket,
            target_bucket=where,
            target_prefix=f"{self.order.name}/",
        )

    def _key(self, part: str, bucket: pulumi.Output[str], region: str) -> pulumi.Output[str]:
        made = keys.make_key(
            self.children, part, region=region, account=self.account, bucket=bucket
        )
        return made.arn

    def _name(self, name: str, region: str) -> pulumi.Output[str]:
        """The same name for the same bucket of the same stack in the same account and region."""
        place = [
            pulumi.get_organization() or "",
            pulumi.get_project(),
            pulumi.get_stack(),
            region,
        ]
        return self.account.apply(
            lambda known: names.bucket_name(self.order.stack, name, [*place, known])
        )
