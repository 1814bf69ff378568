"""Which machines somebody works on by himself, and may leave running overnight."""

from gpuinfra.model import Group


def is_lone(group: Group) -> bool:
    """Say whether a group is one machine that serves nobody and joins no others.

    A run that somebody gave a duration is no work by hand: it goes on overnight on purpose.
    """
    works = group.purpose != "inference" and group.wishes.hours is None and group.fabric is None
    return works and group.maximum == 1
