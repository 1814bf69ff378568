"""A stranger's program without the engine: written once, seen before and after its creation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gpuinfra.model import UNKNOWN, Resource

Moment = Literal["preview", "created"]


@dataclass(frozen=True)
class Ref:
    """An output of a resource, as a program hands it to another resource."""

    urn: str
    key: str


@dataclass(frozen=True)
class Handle:
    """A registered resource."""

    urn: str
    type: str
    name: str
    inputs: dict[str, Any]

    def out(self, key: str) -> Ref:
        return Ref(self.urn, key)

    @property
    def id(self) -> Ref:
        return self.out("id")

    @property
    def arn(self) -> Ref:
        return self.out("arn")

    @property
    def outputs(self) -> dict[str, Any]:
        # A name that the program chose is the id of what AWS names by name.
        chosen = self.inputs.get("name")
        own = chosen if isinstance(chosen, str) else f"{self.name}-1a2b3c"
        versions = {"latestVersion": 1, "defaultVersion": 1}
        named = {"id": own, "name": own, "arn": f"arn:aws:any:us-east-1:1:{own}"}
        return named | (versions if self.type.endswith(":LaunchTemplate") else {})


@dataclass
class Program:
    """What a program registers, in order; `region` is the provider's."""

    region: str | None = "us-east-1"
    handles: dict[str, Handle] = field(default_factory=dict)

    def add(self, token: str, name: str, /, **inputs: Any) -> Handle:
        urn = f"urn:pulumi:dev::shop::{token}::{name}"
        handle = Handle(urn, token, name, inputs)
        self.handles[urn] = handle
        return handle

    def change(self, handle: Handle, **inputs: Any) -> None:
        """Replace inputs of a resource; None takes one away."""
        now = {**self.handles[handle.urn].inputs, **inputs}
        kept = {key: value for key, value in now.items() if value is not None}
        self.handles[handle.urn] = Handle(handle.urn, handle.type, handle.name, kept)

    def drop(self, handle: Handle) -> None:
        del self.handles[handle.urn]

    def resources(self, moment: Moment = "created") -> list[Resource]:
        """The resources as they are seen: ids and no relations, or relations and no ids."""
        return [self._seen(handle, moment) for handle in self.handles.values()]

    def _seen(self, handle: Handle, moment: Moment) -> Resource:
        created = moment == "created"
        relations = (
            {}
            if created
            else {
                key: urns for key, value in handle.inputs.items() if (urns := tuple(_urns(value)))
            }
        )
        custom = {} if "/" not in handle.type else {"id": UNKNOWN}
        return Resource(
            urn=handle.urn,
            type=handle.type,
            name=handle.name,
            inputs={key: self._value(value, created) for key, value in handle.inputs.items()},
            outputs=handle.outputs if created and custom else custom,
            relations=relations,
            region=self.region,
            custom=not handle.type.startswith(("gpuinfra:", "pulumi:")),
        )

    def _value(self, value: Any, created: bool) -> Any:
        if isinstance(value, Ref):
            return self.handles[value.urn].outputs[value.key] if created else UNKNOWN
        if isinstance(value, Mapping):
            return {key: self._value(item, created) for key, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, created) for item in value]
        return value


def _urns(value: Any) -> Iterator[str]:
    if isinstance(value, Ref):
        yield value.urn
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _urns(item)
    elif isinstance(value, list):
        for item in value:
            yield from _urns(item)
