"""Defaults for keys of a stack file, from the lock, the folder, git or the environment."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from gpuinfra.clouds import CLOUDS, all_regions, provider_of
from gpuinfra.errors import PathPart, Problem
from gpuinfra.records import record
from gpuinfra.stackfile.file_names import LOCK_NAME
from gpuinfra.stackfile.git_user import default_owner
from gpuinfra.stackfile.grammar import probable_keys
from gpuinfra.stackfile.plain_values import with_value
from gpuinfra.stackfile.yaml_composer import MISSING, mapping

Kept = Mapping[str, Any]
"""Values of an earlier reading by their key, for example `where.regions`: those of a lock."""

EMPTY: Final[Kept] = MappingProxyType({})
BUILT_IN: Final = "gpuinfra's default"
_LISTS: Final = "`gpuinfra catalog regions` lists"
_WORKLOADS: Final = ("training", "inference")
_NO_WHERE: Final = ("the stack", "no 'where'")


@record
class Default:
    """The default of a key that the file leaves out: its path, its value, and its source."""

    path: tuple[PathPart, ...]
    value: Any
    origin: str

    @property
    def key(self) -> str:
        """The path as a message names it: `where.regions`."""
        return _dotted_path(self.path)

    @property
    def text(self) -> str:
        """The value as a stack file writes it."""
        if isinstance(self.value, list):
            return f"[{', '.join(map(str, self.value))}]"
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)


@record
class FilledStack:
    """A file's plain value with its defaults, and problems of keys without a default."""

    value: Any
    defaults: tuple[Default, ...] = ()
    problems: tuple[Problem, ...] = ()


def fill_defaults(value: Any, folder: Path | None = None, kept: Kept = EMPTY) -> FilledStack:
    """Return the plain value of a stack file with a default for each key that may be left out.

    Args:
        value: the file's value.
        folder: where the file lies; None for a text, which has no folder and no git user.
        kept: what an earlier reading found, which goes before folder and environment.
    """
    if not isinstance(value, Mapping):
        return FilledStack(value=value)
    return _Filling(dict(value), folder, kept).done()


def explain_default(problem: Problem, defaults: Iterable[Default]) -> Problem:
    """Return a problem; if it is about a default, its fix names the source of the default."""
    for default in defaults:
        if problem.path[: len(default.path)] == default.path:
            fixes = [problem.fix] if problem.fix else []
            fix = "; ".join(
                [*fixes, f"{default.origin} gives {default.key}, and the file may say it"]
            )
            return replace(problem, value=problem.value or default.text, fix=fix)
    return problem


def stack_name(folder: Path) -> str:
    """Return a folder's name as a stack name: lower case, digits, hyphens; empty if none is left.

    One that is too short, or has digits alone, comes after a word.
    """
    plain_name = re.sub("[^a-z0-9]", "-", folder.resolve().name.lower()).strip("-")
    name = plain_name.lstrip("0123456789-")[:_LONGEST].strip("-")
    if len(name) > 1:
        return name
    return f"stack-{plain_name}"[:_LONGEST].strip("-") if plain_name else ""


_LONGEST: Final = 40


@dataclass(slots=True, eq=False, repr=False)
class _Filling:
    """A file that is being filled in: its value so far, and the defaults found for it."""

    value: dict[str, Any]
    folder: Path | None
    locked_defaults: Kept
    defaults: list[Default] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def done(self) -> FilledStack:
        """Return the value with all defaults set."""
        misspelt = probable_keys(self.value, ())
        if "version" not in self.value:
            self._set_value(("version",), 1, BUILT_IN)
        for key, find in (("name", self._name), ("owner", default_owner)):
            if key in misspelt:
                self.value = with_value(self.value, (key,), MISSING)  # the spelling is the fault
            elif key not in self.value:
                self._set_name_or_owner(key, find)
        self._set_places()
        return FilledStack(
            value=self.value, defaults=tuple(self.defaults), problems=tuple(self.problems)
        )

    def _set_value(self, path: tuple[PathPart, ...], value: Any, origin: str) -> None:
        """Set a value; mappings on the path are copied, since the file's own must not change."""
        self.value = with_value(self.value, path, value)
        self.defaults.append(Default(path=path, value=value, origin=origin))

    def _record_missing(self, problem: Problem) -> None:
        """Record the problem of a key without a default, and mark its path as judged."""
        self.problems.append(problem)
        self.value = with_value(self.value, problem.path, MISSING)

    def _set_name_or_owner(
        self, key: str, find: Callable[[Path], tuple[str, str] | Problem]
    ) -> None:
        """Set the stack's name or owner, from the lock or from the folder and git."""
        if key in self.locked_defaults:
            self._set_value((key,), self.locked_defaults[key], LOCK_NAME)
            return
        if self.folder is None:
            fix = f"add {key}: {'my-stack' if key == 'name' else 'ml-platform'}"
            self._record_missing(
                Problem(
                    message=f"the stack has no {key!r}", path=(key,), fix=fix, lacks=f"no {key!r}"
                )
            )
            return
        default = find(self.folder)
        if isinstance(default, Problem):
            self._record_missing(default)
        else:
            self._set_value((key,), *default)

    def _name(self, folder: Path) -> tuple[str, str] | Problem:
        name = stack_name(folder)
        if name:
            return name, "the folder's name"
        return Problem(
            message="the stack has no 'name', and its folder's name has no letter or digit",
            path=("name",),
            value=str(folder.resolve()),
            allowed="two to 40 letters from a to z, digits and inner hyphens",
            fix="add name: my-stack",
        )

    def _set_places(self) -> None:
        """Set the stack's `where`, and the keys that a workload's own `where` leaves out."""
        if "where" not in self.value and "where.cloud" in self.locked_defaults:
            for key in ("cloud", "regions"):
                self._set_value(("where", key), self.locked_defaults[f"where.{key}"], LOCK_NAME)
        else:
            self._complete_where(("where",), self.value.get("where", {}))
        for kind in _WORKLOADS:
            for name, work in mapping(self.value.get(kind)).items():
                if "where" in mapping(work):
                    self._complete_where((kind, name, "where"), work["where"])

    def _complete_where(self, path: tuple[PathPart, ...], location: Any) -> None:
        """Set the cloud of given regions, or the regions of a given cloud, in a `location`."""
        if not isinstance(location, Mapping) or {"cloud", "regions"} <= location.keys():
            return
        if "regions" in location:
            self._cloud(path, location["regions"])
            return
        if "regions" in probable_keys(location, path):
            for key in {"cloud", "regions"} - location.keys():
                self.value = with_value(self.value, (*path, key), MISSING)
            return
        cloud = location.get("cloud", "any")
        if cloud not in (*CLOUDS, "any"):
            self.value = with_value(
                self.value, (*path, "regions"), MISSING
            )  # the cloud is fault enough
            return
        if self.folder is None:
            self._record_no_regions(path, location)
            return
        regions, origin, clouds = _regions(cloud)
        if "cloud" not in location:
            self._set_value((*path, "cloud"), clouds[0] if len(clouds) == 1 else "any", origin)
        self._set_value((*path, "regions"), regions, origin)

    def _record_no_regions(self, path: tuple[PathPart, ...], where: Mapping[str, Any]) -> None:
        """Record that a text has no regions; the environment does not apply to a text."""
        is_stated = path[0] in self.value
        if is_stated and "cloud" not in where:  # which follows from the regions
            self.value = with_value(self.value, (*path, "cloud"), MISSING)
        subject, lacks = (_dotted_path(path), "no 'regions'") if is_stated else _NO_WHERE
        self._record_missing(
            Problem(
                message=f"{subject} has {lacks}",
                path=(*path, "regions") if is_stated else path,
                fix="add regions: [us-east-1]"
                if is_stated
                else "add where: {regions: [us-east-1]}",
                lacks=lacks,
            )
        )

    def _cloud(self, path: tuple[PathPart, ...], regions: Any) -> None:
        region_values = regions if _is_list(regions) else [regions]
        region_set = {region for region in region_values if isinstance(region, str)}
        clouds = [cloud for cloud in CLOUDS if region_set & set(provider_of(cloud).regions.all())]
        if clouds:
            cloud = clouds[0] if len(clouds) == 1 else "any"
            self._set_value((*path, "cloud"), cloud, "the cloud of the regions")
            return
        if region_set and _is_list(regions):
            problem = _no_region(path, list(regions))
            self.problems.append(problem)
            judged = [
                MISSING if region_index == problem.path[-1] else listed_region
                for region_index, listed_region in enumerate(regions)
            ]
            self.value = with_value(self.value, (*path, "regions"), judged)
        self.value = with_value(
            self.value, (*path, "cloud"), MISSING
        )  # the regions are fault enough


def _no_region(path: tuple[PathPart, ...], regions: list[Any]) -> Problem:
    """Return the problem of the first region that resembles an existing one, else of the first."""
    from gpuinfra.clouds.region_hints import region_hint  # noqa: PLC0415  (only of a mistake)

    known_regions = all_regions(CLOUDS)
    region_indexes = [index for index, region in enumerate(regions) if isinstance(region, str)]
    index = next(
        (at for at in region_indexes if any(region_hint(regions[at], known_regions))),
        region_indexes[0],
    )
    defaults = ", ".join(provider_of(cloud).regions.default for cloud in CLOUDS)
    suggestion, write = region_hint(regions[index], known_regions)
    return Problem(
        message="no cloud has this region",
        path=(*path, "regions", index),
        value=regions[index],
        allowed=f"a region of {', '.join(CLOUDS)}, for example {defaults}",
        suggestion=suggestion,
        fix="; ".join(filter(None, (write, f"{_LISTS} them"))),
    )


def _regions(cloud: Any) -> tuple[list[str], str, tuple[str, ...]]:
    """Return the regions set in the environment of a cloud, or of any; else the default regions.

    With them where they come from, and the clouds that they are of.
    """
    clouds = (
        CLOUDS
        if cloud == "any"
        else tuple(candidate for candidate in CLOUDS if candidate == cloud)
    )
    configured = {
        candidate: provider_of(candidate).regions.configured_region() for candidate in clouds
    }
    known = {candidate: pair for candidate, pair in configured.items() if pair is not None}
    if known:
        regions = [region for region, _ in known.values()]
        return regions, ", ".join(origin for _, origin in known.values()), tuple(known)
    regions = [provider_of(candidate).regions.default for candidate in clouds]
    if len(clouds) > 1:
        origin = "no region is configured: the cheapest of these is chosen"
    else:
        origin = f"no region is configured: gpuinfra's default for {cloud}"
    return regions, origin, clouds


def _dotted_path(path: Iterable[PathPart]) -> str:
    return ".".join(map(str, path))


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
