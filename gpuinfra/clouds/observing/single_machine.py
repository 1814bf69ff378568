"""The machines for interactive work, which may be left running overnight."""

from gpuinfra.model import Group


def is_single_machine(group: Group) -> bool:
    """Return whether a group is one machine, without a fabric, and not for inference.

    A run with a stated duration is not interactive: it is meant to run overnight.
    """
    may_work_alone = (
        group.purpose != "inference" and group.needs.hours is None and group.fabric is None
    )
    return may_work_alone and group.maximum == 1
