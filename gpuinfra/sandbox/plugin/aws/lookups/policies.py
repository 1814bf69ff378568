"""Look-ups of IAM: policy documents, which need no cloud, and existing resources."""

import json
import zlib
from typing import Any
from urllib.parse import unquote

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.aws.lookups.answers import single_match, tags
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import read_fields

Document = dict[str, Any]
_VERSION = "2012-10-17"


def _document(_look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    statements: list[Document] = []
    for source in args.get("sourcePolicyDocuments") or ():
        _add(statements, _parse_statements(source))
    _merge(statements, [_statement(item) for item in args.get("statements") or ()])
    for override in args.get("overridePolicyDocuments") or ():
        _merge(statements, _parse_statements(override))
    document: Document = {"Version": args.get("version") or _VERSION}
    if args.get("policyId"):
        document["Id"] = args["policyId"]
    document["Statement"] = statements
    text = json.dumps(document, indent=2)
    return {
        **args,
        "id": str(zlib.crc32(text.encode())),
        "json": text,
        "minifiedJson": json.dumps(document, separators=(",", ":")),
    }


def _parse_statements(text: str) -> list[Document]:
    statements = json.loads(text or "{}").get("Statement", [])
    return statements if isinstance(statements, list) else [statements]


def _add(statements: list[Document], more: list[Document]) -> None:
    sids = {item["Sid"] for item in statements if item.get("Sid")}
    for item in more:
        if item.get("Sid") in sids:
            raise CloudRefusalError("DuplicateSid", f"duplicate Sid ({item['Sid']}) in documents")
        statements.append(item)


def _merge(statements: list[Document], more: list[Document]) -> None:
    for item in more:
        same = [index for index, old in enumerate(statements) if old.get("Sid") == item.get("Sid")]
        if item.get("Sid") and same:
            statements[same[0]] = item
        else:
            statements.append(item)


def _statement(block: dict[str, Any]) -> Document:
    statement: Document = {}
    if block.get("sid"):
        statement["Sid"] = block["sid"]
    statement["Effect"] = block.get("effect") or "Allow"
    for key, name in {
        "actions": "Action",
        "notActions": "NotAction",
        "resources": "Resource",
        "notResources": "NotResource",
    }.items():
        if block.get(key):
            statement[name] = _one_or_many(sorted(block[key], reverse=True))
    for key, name in {"principals": "Principal", "notPrincipals": "NotPrincipal"}.items():
        if block.get(key):
            statement[name] = _principals(block[key])
    if block.get("conditions"):
        statement["Condition"] = _conditions(block["conditions"])
    return statement


def _principals(blocks: list[dict[str, Any]]) -> Any:
    if any(item["type"] == "*" and "*" in item["identifiers"] for item in blocks):
        return "*"
    merged: dict[str, list[str]] = {}
    for item in blocks:
        merged.setdefault(item["type"], []).extend(item["identifiers"])
    return {kind: _one_or_many(sorted(names, reverse=True)) for kind, names in merged.items()}


def _conditions(blocks: list[dict[str, Any]]) -> Document:
    merged: dict[str, dict[str, list[str]]] = {}
    for item in blocks:
        merged.setdefault(item["test"], {}).setdefault(item["variable"], []).extend(item["values"])
    return {
        test: {variable: _one_or_many(values) for variable, values in variables.items()}
        for test, variables in merged.items()
    }


def _one_or_many(values: list[str]) -> Any:
    return values[0] if len(values) == 1 else values


def _role(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("iam", lookup_context.settings.place)
    role = client.get_role(RoleName=args["name"])["Role"]
    policy = role["AssumeRolePolicyDocument"]
    return {
        **read_fields("aws:iam/getRole:getRole", role),
        "assumeRolePolicy": policy if isinstance(policy, str) else json.dumps(policy),
        "description": role.get("Description", ""),
        "maxSessionDuration": role.get("MaxSessionDuration", 3600),
        "tags": tags(role.get("Tags")),
    }


def _instance_profile(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("iam", lookup_context.settings.place)
    profile = client.get_instance_profile(InstanceProfileName=args["name"])["InstanceProfile"]
    role = dict(next(iter(profile["Roles"]), {}))
    return {
        "id": profile["InstanceProfileId"],
        "name": args["name"],
        "arn": profile["Arn"],
        "path": profile["Path"],
        "createDate": profile["CreateDate"].isoformat(),
        "roleArn": role.get("Arn", ""),
        "roleId": role.get("RoleId", ""),
        "roleName": role.get("RoleName", ""),
    }


def _policy(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    client = lookup_context.client("iam", lookup_context.settings.place)
    arn = args.get("arn")
    if arn is None:
        pages = client.get_paginator("list_policies").paginate()
        policies = (item for page in pages for item in page["Policies"])
        arns = [item["Arn"] for item in policies if item["PolicyName"] == args.get("name")]
        arn = single_match(arns, "IAM policy")
    try:
        policy = client.get_policy(PolicyArn=arn)["Policy"]
        version = client.get_policy_version(PolicyArn=arn, VersionId=policy["DefaultVersionId"])
    except ClientError as error:
        problem = error.response["Error"]
        raise CloudRefusalError(problem["Code"], problem["Message"]) from error
    document = version["PolicyVersion"]["Document"]
    return {
        "id": arn,
        "arn": arn,
        "name": policy["PolicyName"],
        "description": policy.get("Description", ""),
        "path": policy["Path"],
        "policy": unquote(document) if isinstance(document, str) else json.dumps(document),
        "policyId": policy["PolicyId"],
        "attachmentCount": policy.get("AttachmentCount", 0),
        "tags": tags(policy.get("Tags")),
    }


INVOKES: dict[str, Invoke] = {
    "aws:iam/getInstanceProfile:getInstanceProfile": _instance_profile,
    "aws:iam/getPolicy:getPolicy": _policy,
    "aws:iam/getPolicyDocument:getPolicyDocument": _document,
    "aws:iam/getRole:getRole": _role,
}
