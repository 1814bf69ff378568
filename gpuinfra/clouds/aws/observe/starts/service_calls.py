"""The calls of APIs, state machines, pipes and associations that may start machines.

What they start is no resource of the stack; see `starting`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.starts.called_actions import MAY_START, call_starts, is_harmless
from gpuinfra.clouds.aws.observe.starts.calls_within_stack import runs_own_tasks, runs_within
from gpuinfra.clouds.aws.observe.starts.undeclared_starts import (
    STATES,
    TAKERS,
    arn_starts,
    is_harmless_document,
    related_type_starts,
)
from gpuinfra.clouds.observing.values import at, flag, read_json, text
from gpuinfra.clouds.webhooks import only_tells
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.urns import type_of

_AWS_INTEGRATION: Final = "AWS"
"""The type of integration that calls an action of AWS; others call functions, URLs or nothing:
https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html"""
_URI: Final = re.compile(r"arn:[\w-]+:apigateway:[\w-]*:([\w-]+):(action|path)/([\w-]*)")
"""https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html#apigw-Type-Integration-uri"""
_SUBTYPE: Final = re.compile(r"""integrationSubtype["']?\s*:\s*["']?([\w-]+)""")
"""https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-aws-services.html"""
_EXECUTION_SUBTYPES: Final = ("StepFunctions-StartExecution", "StepFunctions-StartSyncExecution")
_HOST: Final = re.compile(r"https?://([\w-]+)\.")
_TASK: Final = "arn:aws:states:::"
_WEB: Final = "http:invoke"
_DOCUMENT: Final = "aws:ssm/document:Document"
_MACHINE_DOCUMENT_TYPES: Final = frozenset({"Command", "Session", "Package", "Policy"})
"""Documents that run on existing machines, or nowhere:
https://docs.aws.amazon.com/systems-manager/latest/userguide/documents.html"""
_WINDOW_TASKS: Final = frozenset({"RUN_COMMAND", "LAMBDA"})


def integration_starts(integration: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by an integration of a REST API."""
    kind, uri = text(integration.inputs.get("type")), integration.inputs.get("uri")
    if kind != _AWS_INTEGRATION and not isinstance(kind, Unknown):
        return
    if isinstance(uri, Unknown):
        yield from related_type_starts(integration.relations.get("uri", ()))
    else:
        yield from _uri_calls(integration, str(uri), index)


def started_by_body(api: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by the integrations in an API's inline document."""
    body = api.inputs.get("body")
    if isinstance(body, Unknown):
        if any(type_of(urn) == STATES for urn in api.relations.get("body", ())):
            yield UNKNOWN
    else:
        yield from _uri_calls(api, str(body), index)


def http_integration_starts(integration: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by an integration of an HTTP API."""
    subtype = text(integration.inputs.get("integrationSubtype"))
    arn = at(integration.inputs.get("requestParameters"), "StateMachineArn")
    if isinstance(subtype, Unknown):
        yield subtype
    elif (
        subtype in _EXECUTION_SUBTYPES
        and arn is not None
        and _is_own(integration, "requestParameters", arn, index)
    ):
        return
    elif subtype is not None:
        yield from _subtype_calls(integration, subtype, index)


def data_source_starts(source: Resource, _: Index) -> Iterator[str | Unknown]:
    """Yield the starts that an AppSync data source with signed requests may cause.

    https://docs.aws.amazon.com/appsync/latest/APIReference/API_AwsIamConfig.html
    """
    config = source.inputs.get("httpConfig")
    if at(config, "authorizationConfig") is None:
        return
    endpoint = text(at(config, "endpoint"))
    if isinstance(endpoint, Unknown):
        yield endpoint
        return
    host = _HOST.match(endpoint or "")
    service = host[1] if host else str(endpoint)
    if not is_harmless(f"{service}:"):
        yield f"it calls {service} with signed requests, which may start machines"


def state_machine_starts(machine: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by the tasks of a state machine.

    https://docs.aws.amazon.com/step-functions/latest/dg/integrate-services.html
    """
    definition = machine.inputs.get("definition")
    if isinstance(definition, Unknown):
        yield definition
        return
    document = read_json(definition) if isinstance(definition, str) else definition
    if not isinstance(document, Mapping):
        yield "its definition can't be read, and it may start machines that are not declared here"
    else:
        for task in _tasks(document):
            yield from _task_starts(machine, task, index)


def _tasks(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the tasks of a definition, including those in branches and maps."""
    if isinstance(value, Mapping):
        if value.get("Type") == "Task":
            yield value
        for part in value.values():
            yield from _tasks(part)
    elif isinstance(value, list):
        for part in value:
            yield from _tasks(part)


def _task_starts(
    machine: Resource, task: Mapping[str, Any], index: Index
) -> Iterator[str | Unknown]:
    resource = text(task.get("Resource"))
    if isinstance(resource, Unknown):
        yield resource
        return
    arn = resource or ""
    service, region, *_ = [*arn.split(":")[2:4], "", ""]
    if service == "lambda" or (service == "states" and region and ":activity:" in arn):
        return
    call = arn.removeprefix(_TASK).removeprefix("aws-sdk:")
    action = ":".join(call.split(":")[:2]).partition(".")[0].replace("sfn:", "states:")
    arguments = task.get("Parameters") or task.get("Arguments")
    if runs_within(machine, "definition", action, arguments, index):
        return
    if action == _WEB and not only_tells(_endpoint(task)):
        yield f"its definition calls a URL, {MAY_START}"
    yield from call_starts(machine, action, index, f"its definition calls {action}")


def _endpoint(task: Mapping[str, Any]) -> Any:
    """Return the URL that a task calls.

    https://docs.aws.amazon.com/step-functions/latest/dg/call-https-apis.html
    """
    return at(task.get("Parameters") or task.get("Arguments"), "ApiEndpoint")


def pipe_starts(pipe: Resource, index: Index) -> Iterator[str]:
    """Yield the starts caused by a pipe's target and enrichment."""
    runs_here = runs_own_tasks(pipe, "target", pipe.inputs.get("targetParameters"), index)
    for prop in ("enrichment",) if runs_here else ("target", "enrichment"):
        arn = pipe.inputs.get(prop)
        if isinstance(arn, Unknown):
            yield from related_type_starts(pipe.relations.get(prop, ()))
        elif arn and not any(index.targets(pipe, prop, kind, arn).certain for kind in TAKERS):
            yield from arn_starts(str(arn))


def association_starts(association: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts by an association of Systems Manager, which may run an automation."""
    yield from _document_starts(association, "name", index)


def machine_state_starts(state: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the start of a machine that the stack does not declare, and so does not count.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_StartInstances.html
    """
    target = text(state.inputs.get("state"))
    if target == "stopped" or index.targets(state, "instanceId", resource_types.INSTANCE).certain:
        return
    yield (
        UNKNOWN if isinstance(target, Unknown) else "it starts a machine that it does not declare"
    )


def remediation_starts(remediation: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by an automatic remediation of AWS Config.

    https://docs.aws.amazon.com/config/latest/APIReference/API_RemediationConfiguration.html
    """
    if flag(remediation.inputs.get("automatic")) not in {None, False}:
        yield from _document_starts(remediation, "targetId", index)


def window_starts(task: Resource, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts caused by a task of a maintenance window."""
    kind = text(task.inputs.get("taskType"))
    if isinstance(kind, Unknown):
        yield kind
    elif kind == "AUTOMATION":
        yield from _document_starts(task, "taskArn", index)
    elif kind not in _WINDOW_TASKS:
        arn = task.inputs.get("taskArn")
        if not (arn is not None and _is_own(task, "taskArn", arn, index)):
            yield f"it runs {arn}, {MAY_START}"


def _document_starts(resource: Resource, prop: str, index: Index) -> Iterator[str | Unknown]:
    documents = index.targets(resource, prop, _DOCUMENT).certain
    if documents:
        kinds = {str(document.inputs.get("documentType")) for document in documents}
        if not kinds <= _MACHINE_DOCUMENT_TYPES:
            yield f"it runs an automation, {MAY_START}"
        return
    name = text(resource.inputs.get(prop))
    if isinstance(name, Unknown):
        yield name
    elif not is_harmless_document(str(name)):
        yield f"it runs {name}, {MAY_START}"
    else:
        from gpuinfra.clouds.aws.observe.starts import foreign_starts  # noqa: PLC0415  (few have any)

        yield from foreign_starts.by_document(resource, str(name), index)


def _is_own(resource: Resource, prop: str, arn: Any, index: Index) -> bool:
    """Return whether an ARN names a state machine of the stack, which has its own row."""
    return bool(index.targets(resource, prop, STATES, arn).certain)


def _uri_calls(resource: Resource, body: str, index: Index) -> Iterator[str | Unknown]:
    """Yield what the service calls of the URIs in a text start."""
    for service, call_kind, name in _URI.findall(body):
        action = f"{service}:{name if call_kind == 'action' else ''}"
        yield from call_starts(resource, action, index, f"it calls {action}")
    for subtype in _SUBTYPE.findall(body):
        yield from _subtype_calls(resource, subtype, index)


def _subtype_calls(resource: Resource, subtype: str, index: Index) -> Iterator[str | Unknown]:
    action = subtype.replace("-", ":", 1)
    yield from call_starts(resource, action, index, f"it calls {subtype}")
