"""Lambda functions and their invocation permissions."""

import json
from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import digest, physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, from_aws
from gpuinfra.sandbox.plugin import assets
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_NAMES = {"name": "FunctionName", "kmsKeyArn": "KMSKeyArn"}
# Kept by moto and changed by its UpdateFunctionConfiguration, so a change behind our back is seen.
_READ_PROPERTIES = ("description", "handler", "memorySize", "role", "runtime", "timeout")
_PLACES = ("code", "imageUri", "s3Bucket", "s3Key", "s3ObjectVersion")
_CODE = frozenset({*_PLACES, "tags", "architectures"})
# What Lambda sets where the program says nothing (API_CreateFunction of the Lambda reference).
_DEFAULTS: dict[str, Any] = {"memorySize": 128, "timeout": 3}


class LambdaFunction(ResourceHandler):
    """``aws:lambda/function:Function``, id its name.

    moto forgets changes of architectures, storage, tracing and logging: these are answered as last
    known, as is the code itself; its hash is read.
    """

    def create(self, call: Call) -> str:
        client, name = call.client("lambda"), physical_name(call)
        request = _configuration(call, "CreateFunction")
        # moto and AWS take a list or leave it out.
        if machines := call.inputs.get("architectures"):
            request["Architectures"] = machines
        client.create_function(
            **request | {"FunctionName": name, "Code": _code(call.inputs)},
            Tags=tags.declared_tags(call.inputs),
        )
        self._reserve(call, name, {})
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client, inputs = call.client("lambda"), call.inputs
        answer = client.get_function(FunctionName=resource_id)
        configuration = answer["Configuration"]
        read = from_aws(client, "FunctionConfiguration", configuration, _NAMES)
        variables = configuration.get("Environment", {}).get("Variables")
        reserved = answer.get("Concurrency", {}).get("ReservedConcurrentExecutions")
        settings = {
            key: read.get(key)
            for key in _READ_PROPERTIES
            if key in inputs or read.get(key) not in (None, "", _DEFAULTS.get(key))
        }
        arn = configuration["FunctionArn"].removesuffix(":$LATEST")
        invoke = (
            f"arn:aws:apigateway:{call.region}:lambda:path/2015-03-31/functions/{arn}/invocations"
        )
        return {
            **settings,
            **read_fields(call.token, configuration),
            "environment": {"variables": variables} if variables else None,
            "reservedConcurrentExecutions": reserved,
            "vpcConfig": _network(configuration.get("VpcConfig"), inputs.get("vpcConfig")),
            "lastModified": inputs.get("lastModified") or configuration["LastModified"],
            "arn": arn,
            "invokeArn": invoke,
            "qualifiedArn": f"{arn}:{configuration['Version']}",
            **tags.tag_outputs(call, answer.get("Tags") or {}),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("lambda")
        request = _configuration(call, "UpdateFunctionConfiguration")
        if old.get("environment"):
            request.setdefault("Environment", {"Variables": {}})
        client.update_function_configuration(**request | {"FunctionName": resource_id})
        if _code_changed(call.inputs, old):
            client.update_function_code(FunctionName=resource_id, **_code(call.inputs))
        self._reserve(call, resource_id, old)
        existing = tags.current_tags(client, "list_tags", Resource=old["arn"])
        tags.change(call, client, existing, form=dict, Resource=old["arn"])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        if not old.get("skipDestroy"):
            call.client("lambda").delete_function(FunctionName=resource_id)

    def _reserve(self, call: Call, name: str, old: Properties) -> None:
        client, reserved = call.client("lambda"), call.inputs.get("reservedConcurrentExecutions")
        if reserved is not None and reserved >= 0:
            client.put_function_concurrency(
                FunctionName=name, ReservedConcurrentExecutions=int(reserved)
            )
        elif old.get("reservedConcurrentExecutions") is not None:
            client.delete_function_concurrency(FunctionName=name)


class LambdaPermission(ResourceHandler):
    """``aws:lambda/permission:Permission``, id that of the statement; any change replaces it."""

    def create(self, call: Call) -> str:
        client, inputs = call.client("lambda"), call.inputs
        statement = str(inputs.get("statementId") or f"terraform-{digest(call.urn)[:26]}")
        request = arguments(client, "AddPermission", inputs)
        client.add_permission(
            **request | {"FunctionName": inputs["function"], "StatementId": statement}
        )
        return statement

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        function, sid = _function_and_statement(call.inputs, resource_id)
        policy = call.client("lambda").get_policy(FunctionName=function)["Policy"]
        statement = next(
            (load for load in json.loads(policy)["Statement"] if load["Sid"] == sid), None
        )
        if statement is None:
            return None
        principal = statement["Principal"]
        principal_name = (
            next(iter(principal.values())) if isinstance(principal, dict) else principal
        )
        known = call.inputs.get("principal")
        return {
            "function": function,
            "statementId": sid,
            "action": statement["Action"],
            "principal": known if known and str(known) in str(principal_name) else principal_name,
        }

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        function, sid = _function_and_statement(old, resource_id)
        call.client("lambda").remove_permission(FunctionName=function, StatementId=sid)


def _configuration(call: Call, operation: str) -> dict[str, Any]:
    client = call.client("lambda")
    plain = {
        key: value
        for key, value in call.inputs.items()
        if key not in _CODE and not key.startswith("tags")
    }
    request = arguments(client, operation, plain, _NAMES)
    request.pop("Publish", None)
    return request


def _code(inputs: Properties) -> dict[str, Any]:
    """Return the code's location in the arguments of CreateFunction and UpdateFunctionCode."""
    if assets.is_asset(inputs.get("code")):
        return {"ZipFile": assets.content(inputs["code"])}
    if inputs.get("imageUri"):
        return {"ImageUri": inputs["imageUri"]}
    key_names = {"S3Bucket": "s3Bucket", "S3Key": "s3Key", "S3ObjectVersion": "s3ObjectVersion"}
    return {
        aws_name: inputs[property_name]
        for aws_name, property_name in key_names.items()
        if inputs.get(property_name)
    }


def _code_changed(inputs: Properties, old: Properties) -> bool:
    """Return whether the code changed; an asset is compared by hash, since its file may change."""
    physical_name, known = inputs.get("code"), old.get("code")
    if assets.is_asset(physical_name) and assets.is_asset(known):
        return not assets.is_same_asset(physical_name, known)
    return any(inputs.get(key) != old.get(key) for key in _PLACES)


def _network(existing: Properties | None, known: Properties | None) -> Properties | None:
    if not existing or not existing.get("SubnetIds"):
        return None
    read = {
        "subnetIds": existing["SubnetIds"],
        "securityGroupIds": existing["SecurityGroupIds"],
    }
    return {**(known or {}), **read}


def _function_and_statement(known: Properties, resource_id: str) -> tuple[str, str]:
    if "function" in known:
        return str(known["function"]), resource_id
    function, _, sid = resource_id.rpartition("/")
    return function, sid
