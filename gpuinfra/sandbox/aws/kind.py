"""How one AWS resource type is written here, and the adapter that makes it a plugin handler."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.aws.names import physical_name
from gpuinfra.sandbox.aws.spelling import settled
from gpuinfra.sandbox.plugin.contract import Call

Properties = dict[str, Any]

# AWS has no single code for "it is not there"; these are the spellings of the services used here.
_GONE = re.compile(r"NotFound|NoSuch|NonExistent|DoesNotExist|NotExist|^404$|^InvalidDocument$")

# An empty tag is a tag; everywhere else an empty value is the same as none.
_EXACT = frozenset({"tags", "tagsAll"})

# All that an import may know beforehand: the provider's own settings.
_IMPORTED = frozenset({"region", "tagsAll"})


class ResourceHandler:
    """One resource type in moto; subclasses say how to make, look, change and remove.

    Attributes:
        inline: inputs that other resource types can manage too (rules beside a security group,
            routes beside a table). They are read back only where the program gave them.
        volatile: computed outputs that other resources change after this one was made; they keep
            the value of the last operation of this resource, so that a refresh shows no drift.
    """

    inline: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()

    def make(self, call: Call) -> str:
        """Create it and return its id, in the form of the real provider."""
        raise NotImplementedError

    def look(self, call: Call, resource_id: str) -> Properties | None:
        """Every property that can be read back, None for one the cloud has not; None when gone."""
        raise NotImplementedError

    def change(self, call: Call, resource_id: str, old: Properties) -> None:
        """Bring it in place to `call.inputs`; nothing to do where every input replaces."""

    def remove(self, call: Call, resource_id: str, old: Properties) -> None:
        """Delete it with all that AWS deletes along."""
        raise NotImplementedError


class PutKind(ResourceHandler):
    """A type that one call of AWS both creates and writes over."""

    def make(self, call: Call) -> str:
        """Put it under its id."""
        resource_id = self.named(call)
        self.put(call, resource_id)
        return resource_id

    def change(self, call: Call, resource_id: str, old: Properties) -> None:
        """Put it again."""
        self.put(call, resource_id)

    def named(self, call: Call) -> str:
        """Its id: the physical name, unless a subclass knows another."""
        return physical_name(call)

    def put(self, call: Call, resource_id: str) -> None:
        """Make it what its inputs say."""
        raise NotImplementedError


def or_none(find: Callable[[], Any]) -> Any:
    """What `find` returns, or None when the cloud says that the thing does not exist."""
    from botocore.exceptions import ClientError  # noqa: PLC0415  loaded with the first operation

    try:
        return find()
    except ClientError as error:
        if _GONE.search(error.response["Error"]["Code"]):
            return None
        raise


@dataclass(frozen=True)
class MotoHandler:
    """A `ResourceHandler` as the plugin calls it (`plugin.contract.Handler`)."""

    kind: ResourceHandler

    def create(self, call: Call) -> tuple[str, Properties]:
        """Make it; outputs are what stands, in the words of the inputs."""
        resource_id = self.kind.make(call)
        return resource_id, self._standing(call, resource_id, call.inputs)

    def read(self, call: Call, resource_id: str) -> Properties | None:
        """What stands now, or None; equal to what was known where nothing changed."""
        fresh = or_none(lambda: self.kind.look(call, resource_id))
        if fresh is None:
            return None
        imported = not (call.inputs.keys() - _IMPORTED)
        others = frozenset() if imported else self.kind.volatile
        return self._merged(fresh, call.inputs, others)

    def update(self, call: Call, resource_id: str, old: Properties) -> Properties:
        """Change it in place; outputs as after a create."""
        self.kind.change(call, resource_id, old)
        return self._standing(call, resource_id, call.inputs)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        """Remove it; gone already is fine."""
        or_none(lambda: self.kind.remove(call, resource_id, old))

    def _standing(self, call: Call, resource_id: str, known: Properties) -> Properties:
        fresh = self.kind.look(call, resource_id)
        if fresh is None:
            raise RuntimeError(f"{call.token} {resource_id} vanished while it was made or changed")
        return self._merged(fresh, known, frozenset())

    def _merged(self, fresh: Properties, known: Properties, others: frozenset[str]) -> Properties:
        outputs = dict(known)
        imported = not (known.keys() - _IMPORTED)
        for name, value in fresh.items():
            if name in others:
                continue
            if name in self.kind.inline and not imported and name not in known:
                continue
            kept = value if name in _EXACT else settled(value, known.get(name))
            if kept is None:
                outputs.pop(name, None)
            else:
                outputs[name] = kept
        return outputs
