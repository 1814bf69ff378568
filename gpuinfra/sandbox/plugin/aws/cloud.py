"""AWS for the plugin's core: its tables and rules."""

from collections.abc import Mapping

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin import naming, schema
from gpuinfra.sandbox.plugin.aws import (
    fault_messages,
    input_combinations,
    outputs,
    provider,
    replaces,
)
from gpuinfra.sandbox.plugin.aws.moto import Moto
from gpuinfra.sandbox.plugin.aws.naming import NAMING
from gpuinfra.sandbox.plugin.cloud import Cloud, Invoke, MachineRequest, Throttling
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.operation_context import OperationContext

# `DeleteBeforeReplace` of pulumi-aws: github.com/pulumi/pulumi-aws/pull/2085.
_SINGLES = frozenset({"aws:ecr/lifecyclePolicy:LifecyclePolicy"})

_GROUP = "aws:autoscaling/group:Group"
# What a deleted group takes along, so that a program may leave it to that (`deletedWith`).
_TYPES_OF_GROUPS = tuple(
    f"aws:autoscaling/{kind[0].lower()}{kind[1:]}:{kind}"
    for kind in ("LifecycleHook", "Policy", "Schedule")
)

# docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html
_THROTTLING = Throttling(
    codes=("RequestLimitExceeded", "Throttling", "ThrottlingException"),
    message="Request limit exceeded.",
)


def cloud() -> Cloud:
    """Return the tables and rules of AWS; handlers and look-ups are loaded on first use."""
    tables = schema.load("aws")

    def name_rule(token: str) -> naming.Naming | None:
        kind = tables.type(token)
        known = NAMING.get(token)
        if known is None and kind is not None and "name" in kind.inputs:
            known = naming.Naming()
        return known if kind is None or known is None or known.key in kind.inputs else None

    return Cloud(
        package="aws",
        version=schema.sdk_version("pulumi-aws", "7.51.1"),
        schema=tables,
        takes_numbers_for_text=True,
        provider=provider.PROVIDER,
        server=Moto,
        throttling=_THROTTLING,
        in_use=frozenset({"DependencyViolation"}),
        naming=name_rule,
        place_of=provider.place_of,
        record_region=provider.record_region,
        add_provider_values=provider.provider_inputs,
        preview_outputs=provider.preview_outputs,
        complete_outputs=provider.complete_outputs,
        conditions=replaces.CONDITIONS,
        input_failures=input_combinations.problems,
        server_defaults=provider.default_inputs,
        verify=_verify,
        create_outputs=lambda kind, context: outputs.create_outputs(kind, context.call),
        update_outputs=lambda kind, context, *old: outputs.update_outputs(
            kind, context.call, *old
        ),
        changed_outputs=outputs.changing,
        defaults=facts("aws", "defaults"),
        single_use_types=_SINGLES,
        machine_requests=_machine_demands,
        no_capacity=fault_messages.no_capacity,
        no_quota=fault_messages.no_quota,
        low_price=fault_messages.low_price,
        permission_refusal=fault_messages.permission_error,
        not_visible=fault_messages.not_visible_error,
        failed_launch=fault_messages.failed_launch,
        deleted_together=_records_within,
        invokes=_invokes,
    )


def _invokes() -> Mapping[str, Invoke]:
    from gpuinfra.sandbox.plugin.aws.lookups import INVOKES  # noqa: PLC0415  loads botocore

    return INVOKES


def _verify(context: OperationContext) -> None:
    from gpuinfra.sandbox.plugin.aws import references, refusals  # noqa: PLC0415  loads botocore

    references.verify(context)
    refusals.verify(context)


def _records_within(context: OperationContext, resource_id: str) -> list[Record]:
    if context.call.token != _GROUP:
        return []
    return [
        record
        for kind in _TYPES_OF_GROUPS
        for record in context.records(kind)
        if record.properties.get("autoscalingGroupName") == resource_id
        and record.region == context.call.region
    ]


def _machine_demands(context: OperationContext) -> list[MachineRequest]:
    from gpuinfra.sandbox.plugin.aws import machines  # noqa: PLC0415  loads botocore

    return [
        MachineRequest(start.machine, start.zones, start.capacity, price=start.price)
        for start in machines.starts(context)
    ]
