"""The resources of Google Cloud, found by what other resources call them."""

from typing import ClassVar, Final

from gpuinfra.clouds.gcp.observe.kinds import BUCKET, canonical
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import Keys, Targets
from gpuinfra.model import Resource

_PROJECTS: Final = "projects/"
_ACCOUNT: Final = "serviceAccount:"
_MADE: Final = ("selfLink", "id")
_REGIONS: Final = "regions"
_PATH: Final = 5
"""Parts of `projects/p/global/networks/n`, the shortest path of compute resources."""


def spelled(reference: str) -> str:
    """Return one spelling of a reference.

    A self link, an API's link and an id name the same resource from `projects/` on; a partial
    link (`global/networks/n`, `regions/r/subnetworks/s`, `gs://b`) is as good as the name alone:
    https://docs.cloud.google.com/apis/design/resource_names
    An IAM member is the account behind its prefix; a unique id follows a template's link as `?`.
    """
    path = reference.partition("?")[0].removeprefix(_ACCOUNT)
    if "@" in path:
        return path.rpartition("/")[2]
    before, separator, rest = path.partition(_PROJECTS)
    if separator and (not before or before.endswith("/")):
        return separator + rest
    return path.rpartition("/")[2]


def leaf(reference: str) -> str:
    """Return the last part of a link, for example the machine type's own name."""
    return reference.partition("?")[0].rpartition("/")[2]


class Index(index.Index):
    """The resources seen so far."""

    KEYS: ClassVar[Keys] = Keys(
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
        spelled=spelled,
        worldwide=frozenset({BUCKET}),
    )

    def _called(self, resource: Resource, prop: str, kind: str, name: str) -> Targets:
        """Find also by its whole path what is not made yet, by the name that the path ends in."""
        targets = super()._called(resource, prop, kind, name)
        path = spelled(name).split("/")
        if targets.certain or targets.possible or len(path) < _PATH or path[0] != "projects":
            return targets
        near = super()._called(resource, prop, kind, path[-1])
        planned = [
            each
            for each in (*near.certain, *near.possible, *near.namesakes)
            if not any(isinstance(each.outputs.get(key), str) for key in _MADE)
            and _may_be_in(each, path)
        ]
        sure = tuple(each for each in planned if home_of(each) == path[1])
        if len(sure) == 1:
            return Targets(sure)
        return Targets(complete=False, namesakes=tuple(planned)) if planned else targets


def home_of(resource: Resource) -> str | None:
    """Return the project that a resource is in, where it or its provider says so."""
    stated = resource.inputs.get("project", resource.account)
    return stated if isinstance(stated, str) else None


def _may_be_in(resource: Resource, path: list[str]) -> bool:
    """Whether a resource may be in the project, and in the region, of a path."""
    region = resource.inputs.get("region", resource.region)
    elsewhere = path[2] == _REGIONS and isinstance(region, str) and leaf(region) != path[3]
    return home_of(resource) in {None, path[1]} and not elsewhere
