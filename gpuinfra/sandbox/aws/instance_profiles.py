"""IAM instance profiles, which have the role of a machine."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler, none_if_missing
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class InstanceProfile(ResourceHandler):
    """``aws:iam/instanceProfile:InstanceProfile``."""

    def create(self, call: Call) -> str:
        client, name = call.client("iam"), physical_name(call)
        path = {"Path": call.inputs["path"]} if call.inputs.get("path") else {}
        client.create_instance_profile(
            InstanceProfileName=name, Tags=tags.pairs(tags.declared_tags(call.inputs)), **path
        )
        if role := call.inputs.get("role"):
            client.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        profile = self._find(call, resource_id)
        roles = profile.get("Roles") or []
        return {
            **read_fields(call.token, profile),
            "role": roles[0]["RoleName"] if roles else None,
            "createDate": profile["CreateDate"].isoformat(),
            **tags.tag_outputs(call, tags.mapping(profile.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("iam")
        profile = self._find(call, resource_id)
        existing = [role["RoleName"] for role in profile.get("Roles") or []]
        new_role = call.inputs.get("role")
        for role in existing:
            if role != new_role:
                client.remove_role_from_instance_profile(
                    InstanceProfileName=resource_id, RoleName=role
                )
        if new_role and new_role not in existing:
            client.add_role_to_instance_profile(InstanceProfileName=resource_id, RoleName=new_role)
        tags.change(
            call,
            client,
            tags.mapping(profile.get("Tags")),
            methods=("tag_instance_profile", "untag_instance_profile"),
            InstanceProfileName=resource_id,
        )

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("iam")
        for role in (none_if_missing(lambda: self._find(call, resource_id)) or {}).get(
            "Roles", []
        ):
            client.remove_role_from_instance_profile(
                InstanceProfileName=resource_id, RoleName=role["RoleName"]
            )
        client.delete_instance_profile(InstanceProfileName=resource_id)

    def _find(self, call: Call, name: str) -> dict[str, Any]:
        answer: dict[str, Any] = call.client("iam").get_instance_profile(InstanceProfileName=name)
        profile: dict[str, Any] = answer["InstanceProfile"]
        return profile
