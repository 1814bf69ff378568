"""Google Cloud for the plugin's core: its tables and rules."""

from collections.abc import Mapping
from functools import partial

from gpuinfra.sandbox.plugin import schema
from gpuinfra.sandbox.plugin.cloud import (
    Cloud,
    FailedLaunch,
    Invoke,
    MachineRequest,
    Throttling,
)
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.gcp import (
    input_combinations,
    machines,
    naming,
    outputs,
    places,
    provider,
    references,
    refusals,
    replaces,
    resource_names,
)
from gpuinfra.sandbox.plugin.operation_context import OperationContext

_CLUSTER = "gcp:container/cluster:Cluster"
_MANAGERS = frozenset({machines.MANAGER, machines.REGION_MANAGER})
_IN_USE_CODE = "resourceInUseByAnotherResource"

# docs.cloud.google.com/compute/docs/api/rate-limits: its clients try again.
_THROTTLING = Throttling(
    codes=("rateLimitExceeded", "RESOURCE_EXHAUSTED"),
    message="Error 403: Rate Limit Exceeded",
)
# The quota that a GPU counts against: docs.cloud.google.com/compute/resource-usage#gpu_quota.
_QUOTAS = facts("gcp", "quotas")


def cloud() -> Cloud:
    """Return the tables and rules of Google Cloud; look-ups are loaded on first use."""
    tables = schema.load("gcp")
    return Cloud(
        package="gcp",
        version=schema.sdk_version("pulumi-gcp", "10.2.0"),
        schema=tables,
        takes_numbers_for_text=True,
        provider=provider.provider(tables),
        throttling=_THROTTLING,
        in_use=frozenset({_IN_USE_CODE}),
        naming=naming.rules(tables),
        place_of=provider.place_of,
        add_provider_values=provider.provider_inputs,
        preview_outputs=provider.preview_outputs,
        complete_outputs=provider.complete_outputs,
        whole_ids=True,
        canonical=_canonical,
        conditions=replaces.CONDITIONS,
        is_spelled_alike=replaces.is_spelled_alike,
        update_refusal=replaces.update_refusal,
        input_failures=input_combinations.problems,
        verify=partial(_verify, tables),
        refuse_deletion=_release,
        importable=outputs.importable,
        create_outputs=outputs.create_outputs,
        update_outputs=outputs.update_outputs,
        changed_outputs=lambda _token: (),
        defaults=facts("gcp", "defaults"),
        machine_requests=_machine_demands,
        no_capacity=_no_capacity,
        no_quota=_no_quota,
        failed_launch=_failed_launch,
        launches_after_create=_MANAGERS,
        invokes=_invokes,
    )


def _invokes() -> Mapping[str, Invoke]:
    from gpuinfra.sandbox.plugin.gcp.lookups import INVOKES  # noqa: PLC0415  needed by few programs

    return INVOKES


def _verify(tables: schema.Schema, context: OperationContext) -> None:
    kind = tables.type(context.call.token)
    if kind is not None:
        provider.refuse_missing(kind, context.call.inputs)
    references.verify(context)
    refusals.verify(context)


def _release(context: OperationContext, resource_id: str) -> None:
    inputs = context.call.inputs
    is_prevented = inputs.get("deletionPolicy") == "PREVENT"
    is_cluster = context.call.token == _CLUSTER  # protected unless it says not
    if is_prevented or inputs.get("deletionProtection", is_cluster) is True:
        raise CloudRefusalError(
            "deletionProtected",
            f"{resource_id} is protected from deletion: set deletionProtection to false, or "
            "deletionPolicy to DELETE, and run an update first",
        )
    for other in references.blocking_references(context, resource_id):
        raise CloudRefusalError(
            _IN_USE_CODE,
            f"Error 400: The resource '{resource_id}' is already being used by '{other.id}'.",
        )


def _canonical(context: OperationContext, resource_id: str) -> str:
    """Return the recorded id for an import form: `zone/name` or a bare name.

    Where several fit, it is the one in the provider's own project.
    """
    path = resource_names.relative(resource_id)
    tail = path.split("/")
    project = context.call.settings.account.get("project", "")
    matches = [
        record.id
        for record in context.records(context.call.token)
        if path == record.id or _id_contains(tail, record.id.split("/"))
    ]
    of_project = [match_id for match_id in matches if project and project in match_id.split("/")]
    chosen = of_project or matches
    return chosen[0] if len(chosen) == 1 else resource_id


def _id_contains(tail: list[str], parts: list[str]) -> bool:
    """Return whether an id contains all given parts and ends with the last one."""
    return bool(tail) and tail[-1] == parts[-1] and all(part in parts for part in tail)


def _machine_demands(context: OperationContext) -> list[MachineRequest]:
    if context.call.token in _MANAGERS and context.call.inputs.get("waitForInstances") is not True:
        return []  # the group is made; its machines fail, and the create does not wait
    return [
        MachineRequest(
            start.machine, start.zones or places.zones(context.call.region), start.capacity
        )
        for start in machines.starts(context)
    ]


def _failed_launch(context: OperationContext, _request: MachineRequest) -> FailedLaunch | None:
    """Return a managed group whose machines don't come, after the provider waited in vain.

    The group exists and keeps trying; what it lacks is in its list of errors, which the provider
    does not read. Source: computeIGMWaitForInstanceStatus of terraform-provider-google,
    google/services/compute/resource_compute_instance_group_manager.go.
    """
    if context.call.token not in _MANAGERS:
        return None
    message = (
        "\n\t* timeout while waiting for state to become 'created' (last state: 'creating', "
        "timeout: 10m0s)"
    )
    return FailedLaunch({}, CloudRefusalError("1 error occurred", message))


# The words: docs.cloud.google.com/compute/docs/troubleshooting and the API's quota errors.
def _no_capacity(request: MachineRequest) -> CloudRefusalError:
    zone = request.zones[0] if request.zones else "asked for"
    return CloudRefusalError(
        "ZONE_RESOURCE_POOL_EXHAUSTED",
        f"The zone '{zone}' does not have enough resources available to fulfill the request "
        f"({request.machine}, {request.capacity}).  Try a different zone, or try again later.",
    )


def _no_quota(request: MachineRequest) -> CloudRefusalError:
    metric = next(
        (name for prefix, name in _QUOTAS.items() if request.machine.startswith(prefix)), ""
    )
    metric = metric or "GPUS_ALL_REGIONS"
    if request.capacity == "spot" and metric.startswith("NVIDIA"):
        metric = f"PREEMPTIBLE_{metric}"
    region = places.region_of(request.zones[0]) if request.zones else ""
    text = "globally" if metric == "GPUS_ALL_REGIONS" else f"in region {region}"
    return CloudRefusalError("QUOTA_EXCEEDED", f"Quota '{metric}' exceeded.  Limit: 0.0 {text}.")
