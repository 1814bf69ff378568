"""What a plugin that died left standing without any state's knowledge: found, named, removed.

A real provider's death leaves such things too, and a user looks for them and deletes them; here
the next create of the same URN does, and says so.
"""

from gpuinfra.sandbox.ledger import Ledger
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.resources import OperationTarget, Resources
from gpuinfra.sandbox.urns import name_of, stack_of, type_of

_NAMED = 5


class Orphans:
    """The creates that earlier plugin processes never answered, and those of this one."""

    def __init__(self, ledger: Ledger, resources: Resources) -> None:
        self._ledger = ledger
        self._resources = resources
        self._left = {open_create.urn: open_create for open_create in ledger.open_creates()}

    def answered(self, urn: str) -> None:
        """Settle a create of this process: the engine has its answer."""
        self._ledger.settle(urn)

    def known(self, urn: str) -> None:
        """Settle a create of an earlier process: the engine names the resource, so it knows it."""
        if self._left.pop(urn, None) is not None:
            self._ledger.settle(urn)

    def removed(self, target: OperationTarget) -> list[str]:
        """Delete what an earlier create of this URN left; gives a sentence for each thing.

        Raises:
            CloudRefusalError: it can't be deleted.
        """
        create = self._left.get(target.urn)
        if create is None:
            return []
        left = [record for record in self._ledger.of_urn(target.urn) if create.made(record)]
        for record in left:
            self._resources.delete(target, record.id, record.properties)
        self.known(target.urn)
        return [
            f"an interrupted create left {record.id}, which is in no state; the sandbox "
            "deleted it first"
            for record in left
        ]

    def explained(self, refusal: CloudRefusalError, urn: str, resource_id: str) -> Exception:
        """The refusal of a delete, with what uses the resource where that is the reason."""
        if refusal.code not in self._resources.cloud.in_use:
            return refusal
        creates = [
            open_create
            for open_create in self._ledger.open_creates()
            if stack_of(open_create.urn) == stack_of(urn)
        ]
        using = [record for record in self._ledger.mentioning(resource_id) if record.urn != urn]
        named = [f"{user.type} {user.name} ({user.id})" for user in using]
        left = [create for create in creates if not any(create.made(record) for record in using)]
        named += [f"possibly {type_of(create.urn)} {name_of(create.urn)}" for create in left]
        uses = f" It is used by {', '.join(named[:_NAMED])}." if named else ""
        again = (
            " Interrupted creates left resources that are in no state: run up again, "
            "which deletes them first, then destroy."
            if creates
            else ""
        )
        return CloudRefusalError(
            refusal.code,
            f"{refusal.message}{uses}{again} `gpuinfra sandbox reset` deletes everything",
        )
