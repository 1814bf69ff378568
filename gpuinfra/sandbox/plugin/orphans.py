"""The resources of interrupted creates that are in no state: found, reported, deleted.

A real provider's death leaves such things too, and a user looks for them and deletes them; here
the next create of the same URN does, and says so.
"""

from gpuinfra.sandbox.ledger import Ledger
from gpuinfra.sandbox.plugin.contract import CloudRefusalError, OperationTarget
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.urns import name_of, stack_of, type_of

_MOST_NAMED = 5


class Orphans:
    """The creates without an answer, of earlier plugin processes and of this one."""

    def __init__(self, ledger: Ledger, resources: Resources) -> None:
        self._ledger = ledger
        self._resources = resources
        self._left = {open_create.urn: open_create for open_create in ledger.open_creates()}

    def mark_answered(self, urn: str) -> None:
        """Mark a create of this process as answered."""
        self._ledger.settle(urn)

    def mark_known(self, urn: str) -> None:
        """Mark a create of an earlier process as known, since the engine has the resource."""
        if self._left.pop(urn, None) is not None:
            self._ledger.settle(urn)

    def delete_leftovers(self, target: OperationTarget) -> list[str]:
        """Delete resources that an earlier create of this URN left; return a sentence for each.

        Raises:
            CloudRefusalError: it can't be deleted.
        """
        create = self._left.get(target.urn)
        if create is None:
            return []
        leftovers = [
            record
            for record in self._ledger.records_of_urn(target.urn)
            if create.is_made_by_create(record)
        ]
        for record in leftovers:
            self._resources.delete(target, record.id, record.properties)
        self.mark_known(target.urn)
        return [
            f"an interrupted create left {record.id}, which is in no state; the sandbox "
            "deleted it first"
            for record in leftovers
        ]

    def with_users(self, refusal: CloudRefusalError, urn: str, resource_id: str) -> Exception:
        """Return the refusal of a delete, with the resources that use this one if that is why."""
        if refusal.code not in self._resources.cloud.in_use:
            return refusal
        creates = [
            open_create
            for open_create in self._ledger.open_creates()
            if stack_of(open_create.urn) == stack_of(urn)
        ]
        using = [record for record in self._ledger.mentioning(resource_id) if record.urn != urn]
        texts = [f"{user.type} {user.name} ({user.id})" for user in using]
        remaining = [
            create
            for create in creates
            if not any(create.is_made_by_create(record) for record in using)
        ]
        texts += [f"possibly {type_of(create.urn)} {name_of(create.urn)}" for create in remaining]
        uses = f" It is used by {', '.join(texts[:_MOST_NAMED])}." if texts else ""
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
