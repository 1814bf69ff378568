"""The calls that AWS would get, against botocore's service models; nothing is sent.

The sandbox's own handlers turn declared inputs into boto3 calls. Botocore judges names and types
of the parameters; lists of values, patterns, lengths and ranges of the model are judged here,
because botocore leaves those to the service. Answers are made up from the model's output shapes.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

import boto3
from botocore.exceptions import ParamValidationError
from botocore.handlers import validate_bucket_name
from botocore.model import OperationModel, Shape

from gpuinfra.graph import Resource
from gpuinfra.sandbox.aws import HANDLERS
from gpuinfra.sandbox.aws.resource_handler import MotoHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.wire import Unknown
from tests.witnesses import values

UNSENT: Final = {
    "aws:budgets/budgetAction:BudgetAction": ("budgets", "CreateBudgetAction"),
    "aws:ec2/capacityReservation:CapacityReservation": ("ec2", "CreateCapacityReservation"),
    "aws:ec2/placementGroup:PlacementGroup": ("ec2", "CreatePlacementGroup"),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": (
        "fsx",
        "CreateDataRepositoryAssociation",
    ),
}
"""Types that the sandbox makes without a call, and the call that the provider makes."""

REGION: Final = "us-east-1"
ACCOUNT: Final = "123456789012"
LATER: Final = "${known only when everything before it stands}"
"""Text in place of an unknown value, long enough for botocore, which judges lengths."""

FILLED: Final = {"accountId": ACCOUNT}
"""What the provider adds to a call of `UNSENT`."""

LEFT_OUT: Final = frozenset(
    {
        *("nexttoken", "marker", "nextmarker", "istruncated"),
        *("unsuccessful", "errors", "error"),
        "metadataoptions",
    }
)
"""Members of answers that ask for another call, say that this one failed, or go into the next."""
SPELLED: Final = {
    r"\uD800\uDC00-\uDBFF\uDFFF": "\U00010000-\U0010ffff",
    r"\p{IsAlphabetic}": "a-zA-Z\u00c0-\uffff",
    r"\p{L}": "a-zA-Z\u00c0-\uffff",
    r"\p{Z}": " ",
    r"\p{N}": "0-9",
    r"\p{M}": "",
}
"""Classes of characters of the models' patterns in Python's words."""

NUMBERS: Final = frozenset({"integer", "long", "float", "double"})


def complaints(resource: Resource) -> Iterator[str]:
    """What the service models would refuse of the calls that create a resource."""
    faults: list[str] = []
    inputs = {key: _sent(value) for key, value in values.inputs(resource).items()}
    inputs = {key: value for key, value in inputs.items() if value is not None}
    urn = f"urn:pulumi:stack::project::{resource.type}::{resource.name}"
    region = inputs.get("region", REGION)
    call = Call(
        resource.type, resource.name, urn, inputs, region, lambda name: _client(name, faults)
    )
    try:
        _make(call)
    except ParamValidationError as error:
        faults.append(str(error).replace("\n", " "))
    except CloudRefusalError as error:
        faults.append(error.message)
    yield from faults


def _make(call: Call) -> None:
    handler = HANDLERS.get(call.token)
    if isinstance(handler, MotoHandler):
        handler.kind.create(call)
        return
    service, operation = UNSENT[call.token]
    client = call.client(service)
    model = client.meta.service_model.operation_model(operation)
    request = arguments(client, operation, {**FILLED, **call.inputs})
    client.meta.events.emit(
        f"before-parameter-build.{service}.{operation}", params=request, model=model, context={}
    )
    client._convert_to_request_dict(request, model, "https://localhost", {})


def _sent(value: Any) -> Any:
    """A value with a text for what is unknown."""
    if isinstance(value, values.Output):
        text = f"{value.ref}{LATER}"
        arn = value.ref.output.lower().endswith("arn")
        return f"arn:aws:any:{REGION}:{ACCOUNT}:{text}" if arn else text
    if isinstance(value, Unknown):
        return LATER
    if isinstance(value, dict):
        return {key: _sent(item) for key, item in value.items()}
    return [_sent(item) for item in value] if isinstance(value, list) else value


class _Judge:
    """Where the complaints about a client's calls go; the client stays, the list changes."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def hear(self, params: dict[str, Any], model: OperationModel, **_: Any) -> None:
        self.faults += [f"{model.name} {fault}" for fault in wrong(model.input_shape, params, "")]
        if not values.partly(str(params.get("Bucket", values.SYMBOL))):
            validate_bucket_name(params)


@cache
def _watched(service: str) -> tuple[Any, _Judge]:
    client = boto3.client(
        service,
        region_name=REGION,
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )
    client.meta.events.unregister("before-parameter-build.s3", validate_bucket_name)
    judge = _Judge()
    client.meta.events.register("before-parameter-build.*.*", judge.hear)
    client.meta.events.register("before-call.*.*", _answered)
    return client, judge


def _client(service: str, faults: list[str]) -> Any:
    client, judge = _watched(service)
    judge.faults = faults
    return client


def _answered(model: OperationModel, **_: Any) -> tuple[Any, dict[str, Any]]:
    """A made-up answer, in place of one from the network."""
    answer = _example(model.output_shape, "", ()) if model.output_shape else {}
    metadata = {"RequestId": "0", "HTTPStatusCode": 200, "HTTPHeaders": {}, "RetryAttempts": 0}
    return _Status(), {**answer, "ResponseMetadata": metadata}


class _Status:
    status_code = 200


def _example(shape: Shape, name: str, within: tuple[str, ...]) -> Any:
    """A value of a shape, with one item in each list; a shape within itself is left empty."""
    kind = shape.type_name
    if kind == "structure":
        if shape.name in within:
            return {}
        return {
            key: _example(member, key, (*within, shape.name))
            for key, member in shape.members.items()
            if key.lower() not in LEFT_OUT
        }
    if kind == "list":
        return [_example(shape.member, name, within)]
    if kind == "map":
        return {}
    if kind == "string":
        text = ACCOUNT if name == "Account" else f"${{{name}}}"
        return shape.enum[0] if shape.enum else text
    return {"boolean": True, "timestamp": datetime.now(UTC), "blob": b""}.get(kind, 1)


def wrong(shape: Shape | None, value: Any, path: str) -> Iterator[str]:
    """Where a parameter is not in the model's list of values, pattern, length or range."""
    if shape is None or value is None:
        return
    if shape.type_name == "structure" and isinstance(value, dict):
        for key, item in value.items():
            yield from wrong(shape.members.get(key), item, f"{path}.{key}")
    elif shape.type_name == "list" and isinstance(value, list):
        yield from _bounds(shape, len(value), path, "items")
        for index, item in enumerate(value):
            yield from wrong(shape.member, item, f"{path}[{index}]")
    elif shape.type_name == "map" and isinstance(value, dict):
        yield from _bounds(shape, len(value), path, "entries")
        for key, item in value.items():
            yield from wrong(shape.key, key, f"{path} key {key!r}")
            yield from wrong(shape.value, item, f"{path}[{key!r}]")
    elif shape.type_name == "string" and isinstance(value, str) and not values.partly(value):
        yield from _text(shape, value, path)
    elif shape.type_name in NUMBERS and isinstance(value, int | float):
        yield from _bounds(shape, value, path, "")


def _text(shape: Shape, value: str, path: str) -> Iterator[str]:
    listed = shape.metadata.get("enum", ())
    if listed and value not in listed:
        yield f"{path}: {value!r} is not one of {', '.join(listed[:8])}"
    pattern = _pattern(shape.metadata.get("pattern", ""))
    if pattern is not None and not pattern.fullmatch(value):
        yield f"{path}: {value!r:.80} does not match {pattern.pattern}"
    yield from _bounds(shape, len(value), path, "characters")


def _bounds(shape: Shape, size: float, path: str, unit: str) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if (least is not None and size < least) or (most is not None and size > most):
        yield f"{path}: {size} {unit} is outside of {least} to {most}".replace("  ", " ")


@cache
def _pattern(pattern: str) -> re.Pattern[str] | None:
    """A pattern of a service model in Python's words; None for none."""
    if not pattern:
        return None
    for theirs, ours in SPELLED.items():
        pattern = pattern.replace(theirs, ours)
    flags = re.IGNORECASE if "(?i)" in pattern else re.NOFLAG
    return re.compile(pattern.replace("(?i)", ""), flags)
