"""The resources that Azure does not delete while in use, and those it deletes with others."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.azure.references import referring_resources
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import records
from gpuinfra.sandbox.plugin.operation_context import OperationContext

_NESTED_LEFT = "CannotDeleteResource"


@dataclass(frozen=True, slots=True)
class _DeletionRefusal:
    """A refusal to delete: the message's fields are {id}, {name}, {users} and {source}."""

    code: str
    message: str
    source: str


_GUARDS = records(ids.PACKAGE, "guards", _DeletionRefusal)
# Nested resources that Azure Resource Manager tracks by themselves, so that their parent stays
# until they are gone: https://learn.microsoft.com/azure/azure-resource-manager/management/
# delete-resource-group and the private DNS FAQ.
_TRACKED_TYPES = frozenset(
    {"azure-native:privatedns:VirtualNetworkLink", "azure-native:compute:CapacityReservation"}
)

IN_USE_CODES = frozenset({_NESTED_LEFT, *(guard.code for guard in _GUARDS.values())})


def release(context: OperationContext, resource_id: str) -> None:
    """Raise Azure's refusal to delete the resource while another one uses it.

    A resource group goes with all that it holds, unless something outside it uses a part.
    """
    if context.call.token == ids.RESOURCE_GROUP:
        for deleted in deleted_together(context, resource_id):
            outside = _users(context, deleted.type, deleted.id)
            _refuse(
                deleted,
                [record for record in outside if not ids.is_within(record.id, resource_id)],
            )
        return
    own_record = ids.record(context.records, resource_id)
    if own_record is None:
        return
    tracked = _TRACKED_TYPES & set(ids.types_within(own_record.type))
    nested = (
        [record for record in deleted_together(context, resource_id) if record.type in tracked]
        if tracked
        else []
    )
    if nested:
        nested_ids = ", ".join(record.id for record in nested)
        raise CloudRefusalError(
            _NESTED_LEFT,
            "Cannot delete resource while nested resources exist. Some existing nested resource "
            f"IDs include: '{nested_ids}'. Please delete all nested resources before deleting "
            "this resource.",
        )
    _refuse(own_record, _users(context, own_record.type, resource_id))


def deleted_together(context: OperationContext, resource_id: str) -> list[Record]:
    """Return the resources deleted with this one: those nested in it or granted on it."""
    return ids.existing_within(context.records, context.call.token, resource_id)


def _users(context: OperationContext, token: str, resource_id: str) -> list[Record]:
    return referring_resources(context.records, token, resource_id) if token in _GUARDS else []


def _refuse(own_record: Record, records: Sequence[Record]) -> None:
    guard = _GUARDS.get(own_record.type)
    if guard is None or not records:
        return
    name = own_record.id.rsplit("/", 1)[-1]
    message = guard.message.format(
        id=own_record.id, name=name, users=", ".join(record.id for record in records)
    )
    raise CloudRefusalError(guard.code, f"{message} [{guard.source}]")
