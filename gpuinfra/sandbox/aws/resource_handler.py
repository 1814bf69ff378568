"""The base class of AWS resource types, and its adapter to the plugin's handlers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.spelling import with_known_spelling
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts

Properties = dict[str, Any]

# AWS has no single code for "it is not there"; these are the spellings of the services used here.
_GONE = re.compile(r"NotFound|NoSuch|NonExistent|DoesNotExist|NotExist|^404$|^InvalidDocument$")

# An empty tag is a tag; everywhere else an empty value is the same as none.
_EXACT = frozenset({"tags", "tagsAll"})

# All that an import may know beforehand: the provider's own settings.
_IMPORTED_PROPERTIES = frozenset({"region", "tagsAll"})


class ResourceHandler:
    """A resource type in moto; subclasses create, read, update and delete it.

    Attributes:
        inline: inputs that other resource types can manage too (rules beside a security group,
            routes beside a table). They are read back only where the program gave them.
        volatile: computed outputs that other resources change after this one was made; they keep
            the value of the last operation of this resource, so that a refresh shows no drift.
    """

    inline: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()

    def create(self, call: Call) -> str:
        """Create the resource and return its id, in the form of the real provider."""
        raise NotImplementedError

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        """Return every readable property, None for an unset one; None if it no longer exists."""
        raise NotImplementedError

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        """Update the resource in place to `call.inputs`; the default does nothing."""

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        """Delete the resource with everything that AWS deletes with it.

        The default is the one call of the table `deletions`, which takes the id alone.
        """
        service, operation, key = facts("aws", "deletions")[call.token]
        name = key.removesuffix("[]")
        getattr(call.client(service), operation)(
            **{name: resource_id if name == key else [resource_id]}
        )


class PutHandler(ResourceHandler):
    """A resource type that one AWS call both creates and overwrites.

    `id_input` is the input that is its id; without one it is the physical name.
    """

    id_input = ""

    def create(self, call: Call) -> str:
        """Create the resource under its id and return the id."""
        resource_id = self.id_of(call)
        self.put(call, resource_id)
        return resource_id

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        """Overwrite the resource."""
        self.put(call, resource_id)

    def id_of(self, call: Call) -> str:
        """Return the resource's id."""
        return str(call.inputs[self.id_input]) if self.id_input else physical_name(call)

    def put(self, call: Call, resource_id: str) -> None:
        """Create or overwrite the resource with the inputs."""
        raise NotImplementedError


def none_if_missing(find: Callable[[], Any]) -> Any:
    """Return the result of `find`, or None if the cloud says that the resource is missing."""
    from botocore.exceptions import ClientError  # noqa: PLC0415  loaded with the first operation

    try:
        return find()
    except ClientError as error:
        if _GONE.search(error.response["Error"]["Code"]):
            return None
        raise


@dataclass(frozen=True)
class MotoHandler:
    """The adapter of a `ResourceHandler` to the plugin (`plugin.contract.Handler`)."""

    kind: ResourceHandler

    def create(self, call: Call) -> tuple[str, Properties]:
        """Create the resource; return its id and its properties in the form of the inputs."""
        resource_id = self.kind.create(call)
        return resource_id, self._current_state(call, resource_id, call.inputs)

    def read(self, call: Call, resource_id: str) -> Properties | None:
        """Return the current properties, or None; unchanged ones are as they were known."""
        fresh = none_if_missing(lambda: self.kind.read_properties(call, resource_id))
        if fresh is None:
            return None
        is_import = not (call.inputs.keys() - _IMPORTED_PROPERTIES)
        others = frozenset() if is_import else self.kind.volatile
        return self._merge_outputs(fresh, call.inputs, others)

    def update(self, call: Call, resource_id: str, old: Properties) -> Properties:
        """Update the resource in place; return the outputs as `create` does."""
        self.kind.update(call, resource_id, old)
        return self._current_state(call, resource_id, call.inputs)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        """Delete the resource, if it still exists."""
        none_if_missing(lambda: self.kind.delete(call, resource_id, old))

    def _current_state(self, call: Call, resource_id: str, known: Properties) -> Properties:
        fresh = self.kind.read_properties(call, resource_id)
        if fresh is None:
            raise RuntimeError(f"{call.token} {resource_id} vanished while it was made or changed")
        return self._merge_outputs(fresh, known, frozenset())

    def _merge_outputs(
        self, fresh: Properties, known: Properties, others: frozenset[str]
    ) -> Properties:
        outputs = dict(known)
        is_import = not (known.keys() - _IMPORTED_PROPERTIES)
        for name, value in fresh.items():
            if name in others:
                continue
            if name in self.kind.inline and not is_import and name not in known:
                continue
            merged = value if name in _EXACT else with_known_spelling(value, known.get(name))
            if merged is None:
                outputs.pop(name, None)
            else:
                outputs[name] = merged
        return outputs
