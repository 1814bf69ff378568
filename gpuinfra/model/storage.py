"""The storage of data: buckets, file systems and disks."""

from decimal import Decimal
from typing import Final

from gpuinfra.model.faults import Fault, Reachability
from gpuinfra.model.unknown import UNKNOWN, Known, Unknown
from gpuinfra.records import record

EXAMPLE_SIZE: Final = "1TB"
"""The size of a bucket in fixes, which the quote counts: the user knows the real one."""


@record
class Bucket:
    """A data bucket with facts of its companion resources; `size_gb` is in units of 10^9 bytes.

    `public_access` says in what way public access is not blocked, where `public_blocked` is False;
    `public_access_fix` what blocks it, where what blocks it in other buckets would not.
    `tls_remark` says what takes other connections, where that is not the bucket itself.
    `tls_only` and `owner_enforced` are None where the cloud's buckets have no such setting,
    `versioned` where this bucket can't keep versions.
    `expires` says whether anything of it ever expires or moves to a cheaper class. `labels` are
    the keys of its tags or labels, `faults` what the cloud refuses of it, for example its name.
    `recoverable` says whether overwritten and deleted objects can be restored for a time without
    versions: by soft delete, or because a locked retention keeps them as they are.
    `force_destroy` says whether its objects are deleted with it; None where it was not read.
    `safeguards` say what keeps its content and what opens it beside roles; None where not judged.
    """

    name: str
    subject: str
    cloud: str
    region: str | None
    size_gb: Decimal | None = None
    encrypted: Known = UNKNOWN
    public_blocked: Known = UNKNOWN
    public_access: str = ""
    public_access_fix: str = ""
    tls_only: Known | None = UNKNOWN
    tls_remark: str = ""
    owner_enforced: Known | None = UNKNOWN
    versioned: Known | None = UNKNOWN
    recoverable: Known = False
    expires_noncurrent: Known = UNKNOWN
    aborts_uploads: Known = UNKNOWN
    expires: Known = UNKNOWN
    labels: frozenset[str] | Unknown = UNKNOWN
    faults: tuple[Fault, ...] = ()
    force_destroy: Known | None = None
    safeguards: Reachability | None = None


@record
class FileSystem:
    """A shared file system, as its resource declares it.

    `size_gib` is its capacity, `throughput_mbs` what it carries in all, MB/s of 10^6 bytes; None
    where it is not stated. `group` is the workload that uses it. `faults` are
    what the cloud refuses of it.
    """

    name: str
    subject: str
    cloud: str
    kind: str
    region: str | None
    size_gib: int | Unknown | None = None
    throughput_mbs: Decimal | Unknown | None = None
    group: str | None = None
    encrypted: Known = UNKNOWN
    one_zone: Known = UNKNOWN
    faults: tuple[Fault, ...] = ()
    labels: frozenset[str] | Unknown = UNKNOWN


@record
class Disk:
    """A disk that is a resource of its own, attached to a machine or not.

    `faults` are what the cloud refuses of it.
    """

    name: str
    subject: str
    cloud: str
    encrypted: Known = UNKNOWN
    faults: tuple[Fault, ...] = ()
