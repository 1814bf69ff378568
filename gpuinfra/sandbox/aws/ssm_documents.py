"""SSM documents."""

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class SsmDocument(ResourceHandler):
    """``aws:ssm/document:Document``, id its name; a change is a new default version.

    moto checks no attachments: these and permissions are answered as last known.
    """

    def create(self, call: Call) -> str:
        client, name = call.client("ssm"), physical_name(call)
        request = arguments(client, "CreateDocument", call.inputs)
        labels = tags.pairs(tags.declared_tags(call.inputs))
        client.create_document(**request | {"Name": name, "Tags": labels})
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client, inputs = call.client("ssm"), call.inputs
        document = client.describe_document(Name=resource_id)["Document"]
        properties = {"DocumentFormat": document["DocumentFormat"]}
        content = client.get_document(Name=resource_id, **properties)["Content"]
        listed = tags.current_tags(client, ResourceType="Document", ResourceId=resource_id)
        return {
            **read_fields(call.token, document),
            "name": resource_id,
            "content": content,
            "createdDate": inputs.get("createdDate") or document["CreatedDate"].isoformat(),
            "arn": f"arn:aws:ssm:{call.region}:{document['Owner']}:document/{resource_id}",
            **tags.tag_outputs(call, listed),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ssm")
        if call.inputs["content"] != old.get("content"):
            request = arguments(client, "UpdateDocument", call.inputs)
            response = client.update_document(
                **request | {"Name": resource_id, "DocumentVersion": "$LATEST"}
            )
            client.update_document_default_version(
                Name=resource_id,
                DocumentVersion=response["DocumentDescription"]["DocumentVersion"],
            )
        tags.change(
            call,
            client,
            methods=("add_tags_to_resource", "remove_tags_from_resource"),
            ResourceType="Document",
            ResourceId=resource_id,
        )
