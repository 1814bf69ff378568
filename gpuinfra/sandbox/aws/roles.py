"""IAM roles, their inline policies and their attachments."""

import json

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import digest, physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, document
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class Role(ResourceHandler):
    """``aws:iam/role:Role``, with inline policies if the program has them."""

    inline = frozenset({"inlinePolicies", "managedPolicyArns"})

    def create(self, call: Call) -> str:
        client, inputs, name = call.client("iam"), call.inputs, physical_name(call)
        fixed_arguments = {
            "RoleName": name,
            "AssumeRolePolicyDocument": document(inputs["assumeRolePolicy"]),
            "Tags": tags.pairs(tags.declared_tags(inputs)),
        }
        client.create_role(**arguments(client, "CreateRole", inputs) | fixed_arguments)
        self._policies(call, name, {})
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("iam")
        role = client.get_role(RoleName=resource_id)["Role"]
        attached = client.list_attached_role_policies(RoleName=resource_id)["AttachedPolicies"]
        return {
            **read_fields(call.token, role),
            "permissionsBoundary": role.get("PermissionsBoundary", {}).get(
                "PermissionsBoundaryArn"
            ),
            "assumeRolePolicy": json.dumps(role["AssumeRolePolicyDocument"]),
            "inlinePolicies": self._inline(call, resource_id),
            "managedPolicyArns": [policy["PolicyArn"] for policy in attached],
            "createDate": role["CreateDate"].isoformat(),
            **tags.tag_outputs(call, tags.mapping(role.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client, inputs = call.client("iam"), call.inputs
        client.update_assume_role_policy(
            RoleName=resource_id, PolicyDocument=document(inputs["assumeRolePolicy"])
        )
        client.update_role(
            RoleName=resource_id,
            Description=inputs.get("description") or "",
            MaxSessionDuration=int(inputs.get("maxSessionDuration") or 3600),
        )
        if boundary := inputs.get("permissionsBoundary"):
            client.put_role_permissions_boundary(
                RoleName=resource_id, PermissionsBoundary=boundary
            )
        elif old.get("permissionsBoundary"):
            client.delete_role_permissions_boundary(RoleName=resource_id)
        self._policies(call, resource_id, old)
        role = client.get_role(RoleName=resource_id)["Role"]
        listed = tags.mapping(role.get("Tags"))
        tags.change(call, client, listed, methods=tags.ROLE_TAG_OPERATIONS, RoleName=resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        """Delete the role and its inline policies; others' only with forceDetachPolicies."""
        client = call.client("iam")
        is_forced = bool(old.get("forceDetachPolicies"))
        if is_forced or "inlinePolicies" in old:
            for name in client.list_role_policies(RoleName=resource_id)["PolicyNames"]:
                client.delete_role_policy(RoleName=resource_id, PolicyName=name)
        if is_forced or "managedPolicyArns" in old:
            for arn in self._attached_policy_arns(call, resource_id):
                client.detach_role_policy(RoleName=resource_id, PolicyArn=arn)
        client.delete_role(RoleName=resource_id)

    def _policies(self, call: Call, name: str, old: Properties) -> None:
        client, inputs = call.client("iam"), call.inputs
        if "inlinePolicies" in inputs or "inlinePolicies" in old:
            policies = {
                entry["name"]: entry["policy"] for entry in inputs.get("inlinePolicies") or []
            }
            for existing in client.list_role_policies(RoleName=name)["PolicyNames"]:
                if existing not in policies:
                    client.delete_role_policy(RoleName=name, PolicyName=existing)
            for policy, text in policies.items():
                client.put_role_policy(
                    RoleName=name, PolicyName=policy, PolicyDocument=document(text)
                )
        if "managedPolicyArns" in inputs or "managedPolicyArns" in old:
            arns = set(inputs.get("managedPolicyArns") or ())
            attached = set(self._attached_policy_arns(call, name))
            for arn in sorted(arns - attached):
                client.attach_role_policy(RoleName=name, PolicyArn=arn)
            for arn in sorted(attached - arns):
                client.detach_role_policy(RoleName=name, PolicyArn=arn)

    def _attached_policy_arns(self, call: Call, name: str) -> list[str]:
        listed = call.client("iam").list_attached_role_policies(RoleName=name)
        return [policy["PolicyArn"] for policy in listed["AttachedPolicies"]]

    def _inline(self, call: Call, name: str) -> list[Properties]:
        client = call.client("iam")
        listed = client.list_role_policies(RoleName=name)["PolicyNames"]
        place = {
            policy.get("name"): index
            for index, policy in enumerate(call.inputs.get("inlinePolicies") or [])
        }
        return [
            {
                "name": policy,
                "policy": json.dumps(
                    client.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
                ),
            }
            for policy in sorted(listed, key=lambda policy: place.get(policy, len(place)))
        ]


class RolePolicy(ResourceHandler):
    """``aws:iam/rolePolicy:RolePolicy``, id ``<role>:<name>``."""

    def create(self, call: Call) -> str:
        name = physical_name(call)
        self._put(call, call.inputs["role"], name)
        return f"{call.inputs['role']}:{name}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        role, _, name = resource_id.partition(":")
        answer = call.client("iam").get_role_policy(RoleName=role, PolicyName=name)
        return {"role": role, "name": name, "policy": json.dumps(answer["PolicyDocument"])}

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        role, _, name = resource_id.partition(":")
        self._put(call, role, name)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        role, _, name = resource_id.partition(":")
        call.client("iam").delete_role_policy(RoleName=role, PolicyName=name)

    def _put(self, call: Call, role: str, name: str) -> None:
        call.client("iam").put_role_policy(
            RoleName=role, PolicyName=name, PolicyDocument=document(call.inputs["policy"])
        )


class RolePolicyAttachment(ResourceHandler):
    """``aws:iam/rolePolicyAttachment:RolePolicyAttachment``, imported by ``<role>/<arn>``."""

    def create(self, call: Call) -> str:
        role, arn = call.inputs["role"], call.inputs["policyArn"]
        call.client("iam").attach_role_policy(RoleName=role, PolicyArn=arn)
        return f"{role}-{digest(arn)[:26]}"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        role, arn = self._role_and_policy(call.inputs, resource_id)
        attached = call.client("iam").list_attached_role_policies(RoleName=role)
        existing = [policy["PolicyArn"] for policy in attached["AttachedPolicies"]]
        return {"role": role, "policyArn": arn} if arn in existing else None

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        role, arn = self._role_and_policy(old, resource_id)
        call.client("iam").detach_role_policy(RoleName=role, PolicyArn=arn)

    def _role_and_policy(self, known: Properties, resource_id: str) -> tuple[str, str]:
        if "role" in known:
            return known["role"], known["policyArn"]
        role, _, arn = resource_id.partition("/")
        return role, arn
