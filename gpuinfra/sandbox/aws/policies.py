"""Managed IAM policies."""

import json

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, document
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class IamPolicy(ResourceHandler):
    """``aws:iam/policy:Policy``; every change of the document is a new default version."""

    volatile = frozenset({"attachmentCount"})

    def create(self, call: Call) -> str:
        client, inputs = call.client("iam"), call.inputs
        fixed_arguments = {
            "PolicyName": physical_name(call),
            "PolicyDocument": document(inputs["policy"]),
            "Tags": tags.pairs(tags.declared_tags(inputs)),
        }
        response = client.create_policy(
            **arguments(client, "CreatePolicy", inputs) | fixed_arguments
        )
        return str(response["Policy"]["Arn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("iam")
        policy = client.get_policy(PolicyArn=resource_id)["Policy"]
        version = client.get_policy_version(
            PolicyArn=resource_id, VersionId=policy["DefaultVersionId"]
        )["PolicyVersion"]
        return {
            **read_fields(call.token, policy),
            "policy": json.dumps(version["Document"]),
            **tags.tag_outputs(call, tags.mapping(policy.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("iam")
        self._drop_versions(call, resource_id)
        client.create_policy_version(
            PolicyArn=resource_id,
            PolicyDocument=document(call.inputs["policy"]),
            SetAsDefault=True,
        )
        policy = client.get_policy(PolicyArn=resource_id)["Policy"]
        listed, methods = tags.mapping(policy.get("Tags")), ("tag_policy", "untag_policy")
        tags.change(call, client, listed, methods=methods, PolicyArn=resource_id)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        self._drop_versions(call, resource_id)
        call.client("iam").delete_policy(PolicyArn=resource_id)

    def _drop_versions(self, call: Call, arn: str) -> None:
        """Delete all versions but the default one: AWS keeps five at most."""
        client = call.client("iam")
        for version in client.list_policy_versions(PolicyArn=arn)["Versions"]:
            if not version["IsDefaultVersion"]:
                client.delete_policy_version(PolicyArn=arn, VersionId=version["VersionId"])
