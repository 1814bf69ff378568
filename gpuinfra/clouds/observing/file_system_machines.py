"""The machines in the zones of a file system."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing.index import Index
from gpuinfra.model import UNKNOWN, FileSystem, Group, Known, Resource, Rows

EVERYWHERE: Final = ("*",)
"""The zones of a resource in all zones of its region."""


class GroupsByPlace:
    """The groups of a stack, by region and zone."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._by_zone: dict[str, list[Group]] = {}
        self._by_region: dict[str, list[Group]] = {}
        self._somewhere: set[str] = set()
        for group in groups:
            self._by_region.setdefault(group.rung.region, []).append(group)
            if not group.rung.zones:
                self._somewhere.add(group.rung.region)
            for zone in group.rung.zones:
                self._by_zone.setdefault(zone, []).append(group)

    def with_only_group(self, files: FileSystem, zones: Sequence[str]) -> FileSystem:
        """Return a file system with its only group, and whether any group is in its zone.

        Args:
            files: the file system.
            zones: its zones; EVERYWHERE for its whole region, empty where they are not known.
        """
        region = files.region or ""
        if tuple(zones) == EVERYWHERE:
            return replace(
                files, group=_only_group_name(self._by_region.get(region, ())), one_zone=True
            )
        groups = {group.name: group for zone in zones for group in self._by_zone.get(zone, ())}
        is_certain: Known = UNKNOWN
        if groups:
            is_certain = True
        elif zones and region in self._by_region and region not in self._somewhere:
            is_certain = False
        return replace(files, group=_only_group_name(tuple(groups.values())), one_zone=is_certain)


def with_machine_groups(
    rows: Rows,
    index: Index,
    kinds: Iterable[str],
    complete_known: Callable[[FileSystem, Resource, GroupsByPlace, Any], FileSystem],
    complete_other: Callable[[FileSystem], FileSystem] = lambda files: files,
) -> Iterator[FileSystem]:
    """Yield the file systems completed once all resources are known.

    Args:
        rows: the file systems as their resources show them, and all groups.
        index: the index that has the resources.
        kinds: of the resources that are a file system each.
        complete_known: what is known besides of one whose resource stands in the index.
        complete_other: the same of any other, for example one of several resources.
    """
    groups = GroupsByPlace(rows.groups)
    holders = {holder.urn: holder for kind in kinds for holder in index.of_kind(kind)}
    for files in rows.file_systems:
        resource = holders.get(files.subject)
        yield (
            complete_other(files)
            if resource is None
            else complete_known(files, resource, groups, index)
        )


def _only_group_name(groups: Sequence[Group]) -> str | None:
    """Return the name of the only group; None for several, as the mounting one is unknown."""
    return groups[0].name if len(groups) == 1 else None
