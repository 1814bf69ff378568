"""Where data lies: buckets, and a parallel file system beside the machines."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Form, Listed


class Expiry(Form):
    """What of a bucket is deleted by its age."""

    prefix: v.Prefix = Field(description="The part of the bucket, such as tmp/ .")
    after: v.Duration = Field(description="How old it gets, such as 7d.")


Expiries = Annotated[tuple[Expiry, ...], Listed("expire: [{prefix: tmp/, after: 7d}]")]


class ObjectLock(Form):
    """How long every version stays, whichever principal tries to delete it."""

    mode: v.LockMode = Field(
        default="governance", description="governance, or compliance, which nobody can undo."
    )
    keep: v.Duration = Field(description="How long, such as 30d.")


class Bucket(Form):
    """A private, encrypted bucket."""

    size: v.Size | None = Field(default=None, description="Expected content, for the quote: 2TB.")
    reads: v.Tally | None = Field(
        default=None, description="Requests a month that read, for the quote: 10M."
    )
    writes: v.Tally | None = Field(
        default=None, description="Requests a month that write or list, for the quote: 1M."
    )
    versioned: v.Flag = Field(default=True, description="Keep old versions of objects.")
    keep_noncurrent: v.Duration = Field(
        default=timedelta(days=30), description="How long an old version stays, such as 30d."
    )
    region: v.Region | None = Field(
        default=None, description="The stack's first region when absent."
    )
    encryption: v.Encryption = Field(
        default="managed", description="managed, kms for a key of its own, or a key's ARN."
    )
    tiering: v.Duration | None = Field(
        default=None, description="Age at which objects move to the cheaper tier, such as 30d."
    )
    expire: Expiries = Field(default=(), description="Parts whose objects are deleted by age.")
    access_logs: v.AccessLogs | None = Field(
        default=None, description="own, or the bucket that takes the log of all requests."
    )
    object_lock: ObjectLock | None = Field(
        default=None, description="Versions that nobody can delete for a while, such as weights."
    )
    replicate_to: v.Region | None = Field(
        default=None, description="A second region that has a copy of everything."
    )


class SharedStorage(Form):
    """A parallel file system (FSx for Lustre) beside a training workload's machines."""

    size: v.Size | None = Field(
        default=None, description="Its size, such as 4.8TiB; none with intelligent-tiering."
    )
    deployment: v.Deployment = Field(
        default="persistent-2", description="scratch-1, scratch-2, persistent-1 or persistent-2."
    )
    storage: v.StorageKind = Field(
        default="ssd", description="ssd, hdd or intelligent-tiering, as the deployment has it."
    )
    throughput: v.StorageThroughput | None = Field(
        default=None,
        description="MB/s for each TiB; of intelligent-tiering MB/s in all.",
    )
    efa: v.Flag = Field(default=False, description="Reached over EFA.")
    metadata_iops: v.MetadataIops | None = Field(
        default=None, description="Metadata operations a second; automatic when absent."
    )
    bucket: v.Name | None = Field(
        default=None, description="A bucket of this file whose content shows in it."
    )
    prefix: v.Prefix = Field(default="", description="Only this part of the bucket.")
    export: v.Flag = Field(default=False, description="Changes go back to the bucket.")
