"""Azure for the plugin's core: its tables and rules."""

from collections.abc import Mapping

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.azure import (
    ids,
    input_combinations,
    locations,
    machines,
    naming,
    outputs,
    parts,
    references,
    refusals,
    replaces,
    uses,
)
from gpuinfra.sandbox.plugin.azure.settings import PROVIDER
from gpuinfra.sandbox.plugin.cloud import Cloud, Invoke, Throttling
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext

# The words: learn.microsoft.com/troubleshoot/azure/virtual-machines/
# troubleshooting-throttling-errors; the Azure SDKs retry on the code.
_THROTTLING = Throttling(
    codes=("TooManyRequests",),
    message="The request is being throttled as the limit has been reached for operation type.",
)


def cloud() -> Cloud:
    """Return the tables and rules of Azure; look-ups are loaded on first use."""
    return Cloud(
        package=ids.PACKAGE,
        version=schema.sdk_version("pulumi-azure-native", "3.29.0"),
        schema=ids.tables(),
        provider=PROVIDER,
        throttling=_THROTTLING,
        in_use=uses.IN_USE_CODES,
        naming=naming.naming,
        token=ids.plain,
        fill_defaults=locations.fill_location,
        place_of=locations.place_of,
        conditions={},
        input_failures=input_combinations.problems,
        whole_ids=True,
        canonical=_canonical,
        verify=_verify,
        refuse_deletion=uses.release,
        deleted_together=uses.deleted_together,
        importable=parts.importable,
        create_outputs=outputs.create_outputs,
        update_outputs=outputs.update_outputs,
        changed_outputs=outputs.changing,
        preview_outputs=outputs.preview_outputs,
        is_spelled_alike=replaces.is_spelled_alike,
        is_path_changed=replaces.hits,
        deletes_first=replaces.deletes_first,
        update_refusal=replaces.update_refusal,
        defaults=facts(ids.PACKAGE, "defaults"),
        machine_requests=machines.demands,
        no_capacity=machines.no_capacity,
        no_quota=machines.no_quota,
        invokes=_invokes,
    )


def _canonical(context: OperationContext, resource_id: str) -> str:
    record: Record | None = ids.record(context.records, resource_id)
    return record.id if record else resource_id


def _verify(context: OperationContext) -> None:
    kind = ids.tables().type(context.call.token)
    if kind is not None:
        resource_id = ids.resource_id(kind.id_form, context.call.inputs, context.call.settings)
        references.verify(context, resource_id)
        refusals.verify(context, resource_id)


def _invokes() -> Mapping[str, Invoke]:
    from gpuinfra.sandbox.plugin.azure.lookups import INVOKES  # noqa: PLC0415  not all ask

    return INVOKES
