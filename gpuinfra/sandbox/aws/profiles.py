"""IAM instance profiles: the role of a machine."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.kind import Kind, Properties, or_none
from gpuinfra.sandbox.aws.names import given
from gpuinfra.sandbox.plugin.contract import Call


class InstanceProfile(Kind):
    """``aws:iam/instanceProfile:InstanceProfile``."""

    def make(self, call: Call) -> str:
        client, name = call.client("iam"), given(call)
        path = {"Path": call.inputs["path"]} if call.inputs.get("path") else {}
        client.create_instance_profile(
            InstanceProfileName=name, Tags=tags.pairs(tags.wanted(call.inputs)), **path
        )
        if role := call.inputs.get("role"):
            client.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return name

    def look(self, call: Call, resource_id: str) -> Properties | None:
        found = self._find(call, resource_id)
        roles = found.get("Roles") or []
        return {
            "name": found["InstanceProfileName"],
            "path": found["Path"],
            "role": roles[0]["RoleName"] if roles else None,
            "arn": found["Arn"],
            "createDate": found["CreateDate"].isoformat(),
            "uniqueId": found["InstanceProfileId"],
            **tags.seen(call, tags.mapping(found.get("Tags"))),
        }

    def change(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("iam")
        found = self._find(call, resource_id)
        standing = [role["RoleName"] for role in found.get("Roles") or []]
        wanted = call.inputs.get("role")
        for role in standing:
            if role != wanted:
                client.remove_role_from_instance_profile(
                    InstanceProfileName=resource_id, RoleName=role
                )
        if wanted and wanted not in standing:
            client.add_role_to_instance_profile(InstanceProfileName=resource_id, RoleName=wanted)
        put, dropped = tags.difference(tags.mapping(found.get("Tags")), tags.wanted(call.inputs))
        if put:
            client.tag_instance_profile(InstanceProfileName=resource_id, Tags=tags.pairs(put))
        if dropped:
            client.untag_instance_profile(InstanceProfileName=resource_id, TagKeys=dropped)

    def remove(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("iam")
        for role in (or_none(lambda: self._find(call, resource_id)) or {}).get("Roles", []):
            client.remove_role_from_instance_profile(
                InstanceProfileName=resource_id, RoleName=role["RoleName"]
            )
        client.delete_instance_profile(InstanceProfileName=resource_id)

    def _find(self, call: Call, name: str) -> dict[str, Any]:
        found: dict[str, Any] = call.client("iam").get_instance_profile(InstanceProfileName=name)
        profile: dict[str, Any] = found["InstanceProfile"]
        return profile
