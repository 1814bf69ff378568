"""IAM's OpenID Connect providers and service-linked roles."""

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields

_SCHEME = "https://"


class OpenIdConnectProvider(ResourceHandler):
    """``aws:iam/openIdConnectProvider:OpenIdConnectProvider``, id its ARN.

    moto can't change the client ids of one, so a change is a delete and a create: the ARN follows
    from the URL and stays.
    """

    def create(self, call: Call) -> str:
        inputs = call.inputs
        response = call.client("iam").create_open_id_connect_provider(
            Url=_with_scheme(inputs["url"]),
            ClientIDList=inputs["clientIdLists"],
            ThumbprintList=inputs.get("thumbprintLists") or [],
            Tags=tags.pairs(tags.declared_tags(inputs)),
        )
        return str(response["OpenIDConnectProviderArn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("iam")
        details = client.get_open_id_connect_provider(OpenIDConnectProviderArn=resource_id)
        known = str(call.inputs.get("url") or "")
        host = details["Url"].removeprefix(_SCHEME)
        return {
            "url": known if known.removeprefix(_SCHEME) == host else host,
            "clientIdLists": details["ClientIDList"],
            "thumbprintLists": details.get("ThumbprintList"),
            "arn": resource_id,
            **tags.tag_outputs(call, tags.mapping(details.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        self.delete(call, resource_id, old)
        self.create(call)


class ServiceLinkedRole(ResourceHandler):
    """``aws:iam/serviceLinkedRole:ServiceLinkedRole``, id its ARN."""

    def create(self, call: Call) -> str:
        inputs, client = call.inputs, call.client("iam")
        request = arguments(client, "CreateServiceLinkedRole", inputs)
        role = client.create_service_linked_role(**request)["Role"]
        if labels := tags.declared_tags(inputs):
            client.tag_role(RoleName=role["RoleName"], Tags=tags.pairs(labels))
        return str(role["Arn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        _, service, name = resource_id.rsplit("/", 2)
        role = call.client("iam").get_role(RoleName=name)["Role"]
        return {
            "awsServiceName": service,
            "customSuffix": name.partition("_")[2] or None,
            **read_fields(call.token, role),
            "name": name,
            "createDate": role["CreateDate"].isoformat(),
            **tags.tag_outputs(call, tags.mapping(role.get("Tags"))),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client, name = call.client("iam"), _name(resource_id)
        client.update_role(RoleName=name, Description=call.inputs.get("description") or "")
        listed = tags.mapping(client.get_role(RoleName=name)["Role"].get("Tags"))
        tags.change(call, client, listed, methods=tags.ROLE_TAG_OPERATIONS, RoleName=name)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        call.client("iam").delete_service_linked_role(RoleName=_name(resource_id))


def _name(arn: str) -> str:
    return arn.rpartition("/")[2]


def _with_scheme(url: str) -> str:
    return url if url.startswith(_SCHEME) else _SCHEME + url
