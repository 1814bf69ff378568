"""SSM parameters and KMS keys."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, document, without
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_GONE = {"PendingDeletion", "PendingReplicaDeletion"}
_ALIAS = "alias/"


class SsmParameter(ResourceHandler):
    """``aws:ssm/parameter:Parameter``, id its name."""

    def create(self, call: Call) -> str:
        name = physical_name(call)
        overwrites = bool(call.inputs.get("overwrite"))
        labels = {} if overwrites else {"Tags": tags.pairs(tags.declared_tags(call.inputs))}
        self._put(call, name, Overwrite=overwrites, **labels)
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("ssm")
        parameter = client.get_parameter(Name=resource_id, WithDecryption=True)["Parameter"]
        filters = [{"Key": "Name", "Option": "Equals", "Values": [resource_id]}]
        described = client.describe_parameters(ParameterFilters=filters)["Parameters"][0]
        is_plain_text = "insecureValue" in call.inputs
        return {
            **read_fields(call.token, parameter),
            **({"insecureValue": parameter["Value"]} if is_plain_text else {}),
            "description": described.get("Description"),
            "allowedPattern": described.get("AllowedPattern"),
            "tier": described.get("Tier"),
            "keyId": described.get("KeyId"),
            **tags.tag_outputs(
                call, tags.current_tags(client, ResourceType="Parameter", ResourceId=resource_id)
            ),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ssm")
        self._put(call, resource_id, Overwrite=True)
        tags.change(
            call,
            client,
            methods=("add_tags_to_resource", "remove_tags_from_resource"),
            ResourceType="Parameter",
            ResourceId=resource_id,
        )

    def _put(self, call: Call, name: str, **more: Any) -> None:
        client = call.client("ssm")
        skipped = {"tags", "overwrite", "insecureValue", "valueWo", "value"}
        inputs = without(call.inputs, skipped)
        values = (call.inputs.get(key) for key in ("value", "insecureValue", "valueWo"))
        value = next((str(value) for value in values if value is not None), "")
        request = arguments(client, "PutParameter", inputs)
        client.put_parameter(**request | {"Name": name, "Value": value} | more)


class KmsKey(ResourceHandler):
    """``aws:kms/key:Key``; a key whose deletion is scheduled counts as deleted."""

    def create(self, call: Call) -> str:
        client, inputs = call.client("kms"), call.inputs
        names = {"customerMasterKeySpec": "KeySpec"}
        plain = {key: value for key, value in inputs.items() if key != "tags"}
        response = client.create_key(
            **arguments(client, "CreateKey", plain, names),
            Tags=_pairs(tags.declared_tags(inputs)),
        )
        key_id: str = response["KeyMetadata"]["KeyId"]
        self._switch(call, key_id)
        return key_id

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("kms")
        metadata = client.describe_key(KeyId=resource_id)["KeyMetadata"]
        if metadata["KeyState"] in _GONE:
            return None
        rotation = client.get_key_rotation_status(KeyId=resource_id)
        return {
            **read_fields(call.token, metadata),
            "multiRegion": bool(metadata.get("MultiRegion")),
            "enableKeyRotation": rotation["KeyRotationEnabled"],
            "policy": client.get_key_policy(KeyId=resource_id, PolicyName="default")["Policy"],
            **tags.tag_outputs(call, self._tags(call, resource_id)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("kms")
        client.update_key_description(
            KeyId=resource_id, Description=call.inputs.get("description") or ""
        )
        if policy := call.inputs.get("policy"):
            client.put_key_policy(KeyId=resource_id, PolicyName="default", Policy=document(policy))
        self._switch(call, resource_id)
        tags.change(call, client, self._tags(call, resource_id), form=_pairs, KeyId=resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        window = old.get("deletionWindowInDays")
        days = {"PendingWindowInDays": int(window)} if window else {}
        call.client("kms").schedule_key_deletion(KeyId=resource_id, **days)

    def _switch(self, call: Call, key_id: str) -> None:
        client, inputs = call.client("kms"), call.inputs
        if inputs.get("enableKeyRotation"):
            client.enable_key_rotation(KeyId=key_id)
        else:
            client.disable_key_rotation(KeyId=key_id)
        if inputs.get("isEnabled", True):
            client.enable_key(KeyId=key_id)
        else:
            client.disable_key(KeyId=key_id)

    def _tags(self, call: Call, key_id: str) -> dict[str, str]:
        listed = call.client("kms").list_resource_tags(KeyId=key_id)["Tags"]
        return {tag["TagKey"]: tag["TagValue"] for tag in listed}


class KmsAlias(ResourceHandler):
    """``aws:kms/alias:Alias``, id its name."""

    def create(self, call: Call) -> str:
        name = physical_name(call)
        name = name if name.startswith(_ALIAS) else _ALIAS + name
        call.client("kms").create_alias(AliasName=name, TargetKeyId=_key(call.inputs))
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("kms")
        pages = client.get_paginator("list_aliases").paginate()
        listed = (alias for page in pages for alias in page["Aliases"])
        row = next((alias for alias in listed if alias["AliasName"] == resource_id), None)
        if row is None:
            return None
        key = client.describe_key(KeyId=row["TargetKeyId"])["KeyMetadata"]
        target = str(call.inputs.get("targetKeyId") or "")
        return {
            "name": resource_id,
            "targetKeyId": key["Arn"] if target.startswith("arn:") else key["KeyId"],
            "targetKeyArn": key["Arn"],
            "arn": row["AliasArn"],
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        call.client("kms").update_alias(AliasName=resource_id, TargetKeyId=_key(call.inputs))


def _key(inputs: Properties) -> str:
    return str(inputs["targetKeyId"]).rpartition("/")[2]


def _pairs(labels: dict[str, str]) -> list[dict[str, str]]:
    return [{"TagKey": key, "TagValue": value} for key, value in labels.items()]
