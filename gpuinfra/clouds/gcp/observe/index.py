"""The index of Google Cloud resources by the names that other resources use for them."""

from functools import lru_cache
from typing import ClassVar, Final

from gpuinfra.clouds.gcp.observe import scopes
from gpuinfra.clouds.gcp.observe.resource_types import BUCKET, canonical
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import ReferenceKeys, Targets
from gpuinfra.clouds.observing.values import all_of
from gpuinfra.model import UNKNOWN, Known, Resource

_PROJECTS: Final = "projects/"
_ACCOUNT: Final = "serviceAccount:"
_COMPUTED_NAMES: Final = ("selfLink", "id")
_PATH: Final = 5
"""Parts of `projects/p/global/networks/n`, the shortest path of compute resources."""


@lru_cache(maxsize=4096)
def normalize_reference(reference: str) -> str:
    """Return one spelling of a reference.

    A self link, an API's link and an id name the same resource from `projects/` on; a partial
    link (`global/networks/n`, `regions/r/subnetworks/s`, `gs://b`) is as good as the name alone:
    https://docs.cloud.google.com/apis/design/resource_names
    An IAM member is the account behind its prefix; a unique id follows a template's link as `?`.
    """
    path = reference.partition("?")[0].removeprefix(_ACCOUNT)
    if "@" in path:
        return path.rpartition("/")[2]
    text_before, separator, path_rest = path.partition(_PROJECTS)
    if separator and (not text_before or text_before.endswith("/")):
        return separator + path_rest
    return path.rpartition("/")[2]


def last_part(reference: str) -> str:
    """Return the last part of a link, for example the machine type's own name."""
    return reference.partition("?")[0].rpartition("/")[2]


class Index(index.Index):
    """An index of Google Cloud resources, which resolves references between them."""

    KEYS: ClassVar[ReferenceKeys] = ReferenceKeys(
        outputs=(
            "id",
            "selfLink",
            "selfLinkUnique",
            "name",
            "email",
            "member",
            "address",
            "instanceGroup",
        ),
        inputs=("name",),
        canonical=canonical,
        spelled=normalize_reference,
        worldwide=frozenset({BUCKET}),
    )

    def _find_by_name(self, resource: Resource, prop: str, kind: str, name: str) -> Targets:
        """Find a resource also by its full path, before the resource exists."""
        targets = super()._find_by_name(resource, prop, kind, name)
        path = normalize_reference(name).split("/")
        if targets.certain or targets.possible or len(path) < _PATH or path[0] != "projects":
            return targets
        by_place: dict[str | None, Resource] = {}
        candidates: list[Resource] = []
        for urn in self._by_value.get((kind, path[-1]), ()):
            candidate = self._by_urn[urn]
            fact = _may_become(candidate, path)
            if fact is True or (fact is UNKNOWN and urn in resource.relations.get(prop, ())):
                by_place[candidate.region] = candidate
            elif fact is UNKNOWN:
                candidates.append(candidate)
        if len(by_place) == 1:
            return Targets(tuple(by_place.values()))
        candidates += by_place.values()
        return Targets(complete=False, namesakes=tuple(candidates)) if candidates else targets

    def _is_named(self, resource: Resource, candidate: Resource, kind: str, name: str) -> Known:
        is_in_scope = scopes.is_within(resource, candidate, name)
        return all_of((is_in_scope, super()._is_named(resource, candidate, kind, name)))

    def place_of(self, resource: Resource) -> str | None:
        """Return the zone, region or project within which a resource's name is unique."""
        return scopes.place_of(resource) or resource.region


def home_of(resource: Resource) -> str | None:
    """Return the project that a resource or its provider states; None without one."""
    project = resource.inputs.get("project", resource.account)
    return project if isinstance(project, str) else None


def _may_become(resource: Resource, path: list[str]) -> Known:
    """Return whether a path will be that of a resource: by its project and place."""
    if any(isinstance(resource.outputs.get(key), str) for key in _COMPUTED_NAMES):
        return False
    project = home_of(resource)
    is_in_scope = scopes.is_within(resource, resource, "/".join(path))
    return all_of((UNKNOWN if project is None else project == path[1], is_in_scope))
