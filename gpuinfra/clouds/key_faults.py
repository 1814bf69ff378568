"""A key or value of a stack file that a cloud does not support."""

from gpuinfra.records import record


@record
class KeyFault:
    """A value at a key of a workload or bucket that a cloud does not support.

    It is no `errors.Problem` yet: a cloud does not know where the workload stands in the file, nor
    whether a `network` is the workload's or the stack's, nor does it quote what is written.
    Planning does, and a fault that has not been placed can't be shown for one that has.

    Attributes:
        key: the path below the workload or the bucket, for example ("shared_storage", "size").
        value: as written; None for the value at `key`.
        message: the fault, in the user's words.
        allowed: the accepted values.
        fix: what to change.
    """

    key: tuple[str | int, ...]
    value: str | None = None
    message: str
    allowed: str = ""
    fix: str = ""
