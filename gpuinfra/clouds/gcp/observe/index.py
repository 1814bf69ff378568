"""The resources of Google Cloud, found by what other resources call them."""

from typing import ClassVar, Final

from gpuinfra.clouds.gcp.observe.kinds import BUCKET, canonical
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import Keys

_PROJECTS: Final = "projects/"
_ACCOUNT: Final = "serviceAccount:"


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
