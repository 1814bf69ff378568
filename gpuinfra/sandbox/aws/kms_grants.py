"""KMS grants: other principals' permissions to use a key."""

from typing import Any

from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_CONSTRAINTS = {
    "encryptionContextEquals": "EncryptionContextEquals",
    "encryptionContextSubset": "EncryptionContextSubset",
}


class KmsGrant(ResourceHandler):
    """``aws:kms/grant:Grant``, id ``<key>:<grant id>``; every input replaces."""

    def create(self, call: Call) -> str:
        inputs = call.inputs
        optional: dict[str, Any] = {
            "Name": inputs.get("name"),
            "RetiringPrincipal": inputs.get("retiringPrincipal"),
            "GrantTokens": inputs.get("grantCreationTokens"),
            "Constraints": {
                aws_name: constraint[property_name]
                for constraint in inputs.get("constraints") or []
                for property_name, aws_name in _CONSTRAINTS.items()
                if constraint.get(property_name)
            },
        }
        response = call.client("kms").create_grant(
            KeyId=_key(inputs["keyId"]),
            GranteePrincipal=inputs["granteePrincipal"],
            Operations=inputs["operations"],
            **{key: value for key, value in optional.items() if value},
        )
        return f"{inputs['keyId']}:{response['GrantId']}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        details = _find(call, resource_id)
        if details is None:
            return None
        key, _, grant = resource_id.rpartition(":")
        constraints = {
            property_name: details.get("Constraints", {}).get(aws_name)
            for property_name, aws_name in _CONSTRAINTS.items()
        }
        set_constraints = {name: value for name, value in constraints.items() if value}
        return {
            "keyId": key,
            "grantId": grant,
            "grantToken": call.inputs.get("grantToken") or grant,
            **read_fields(call.token, details),
            "constraints": [set_constraints] if set_constraints else None,
        }

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client, (key, _, grant) = call.client("kms"), resource_id.rpartition(":")
        end = client.retire_grant if old.get("retireOnDelete") else client.revoke_grant
        end(KeyId=_key(key), GrantId=grant)


def _find(call: Call, resource_id: str) -> dict[str, Any] | None:
    key, _, grant = resource_id.rpartition(":")
    listed = call.client("kms").list_grants(KeyId=_key(key))["Grants"]
    return next((row for row in listed if row["GrantId"] == grant), None)


def _key(key_reference: str) -> str:
    return key_reference.rpartition("/")[2]
