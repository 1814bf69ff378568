"""The resources of AWS, found by what other resources call them."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

from gpuinfra.clouds.aws.observe.kinds import canonical
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import Keys
from gpuinfra.model import Resource

_Made = TypeVar("_Made")


class Index(index.Index):
    """The resources seen so far."""

    KEYS: ClassVar[Keys] = Keys(
        outputs=("id", "arn", "name", "bucket", "allocationId", "placementGroupId"),
        inputs=("name", "bucket", "nodeGroupName"),
        canonical=canonical,
    )

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._kept: dict[str, Any] = {}
        super().__init__(resources)

    def add(self, resource: Resource) -> None:
        """Add a resource, or what is newly known of it."""
        self._kept.clear()
        super().add(resource)

    def once(self, key: str, make: Callable[[], _Made]) -> _Made:
        """Return what is made of all resources, made once until there is another resource."""
        if key not in self._kept:
            self._kept[key] = make()
        found: _Made = self._kept[key]
        return found
