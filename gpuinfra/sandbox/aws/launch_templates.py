"""Launch templates: every change makes a new version."""

from typing import Any

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, camel, from_aws, to_aws, without
from gpuinfra.sandbox.aws.spelling import is_same_value
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, names_in_table, read_fields

# Where the letters of Pulumi and of the EC2 API differ.
_NAMES = facts("aws", "attributes")["aws:ec2/launchTemplate:LaunchTemplate"]
# The provider's schema keeps these as text ("true"), so that unset and false differ.
_TEXTS = names_in_table("aws", "texts")
_TEMPLATE_PROPERTIES = frozenset(
    {"name", "namePrefix", "description", "tags", "tagsAll", "region"}
)
_VERSIONING = frozenset({"defaultVersion", "latestVersion", "updateDefaultVersion", "arn"})


class LaunchTemplate(ResourceHandler):
    """``aws:ec2/launchTemplate:LaunchTemplate``; reads return the latest version."""

    def create(self, call: Call) -> str:
        client = call.client("ec2")
        response = client.create_launch_template(
            LaunchTemplateName=physical_name(call),
            LaunchTemplateData=_data(call, call.inputs),
            **_note(call),
            **ec2.tag_specifications(call, "launch-template"),
        )
        return str(response["LaunchTemplate"]["LaunchTemplateId"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        template = ec2.describe_one(
            call, "describe_launch_templates", "LaunchTemplates", LaunchTemplateIds=[resource_id]
        )
        if template is None:
            return None
        version = self._latest(call, resource_id)
        data = version["LaunchTemplateData"]
        shape = call.client("ec2").meta.service_model.shape_for("ResponseLaunchTemplateData")
        account = ec2.account(call)
        return {
            **read_fields(call.token, template),
            "description": version.get("VersionDescription"),
            "arn": ec2.arn(call, account, "launch-template", resource_id),
            **_unset_properties(shape),
            **_texts(_read_data(call, data)),
            **tags.tag_outputs(call, ec2.current_tags(call, resource_id)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("ec2")
        if self._has_changes(call, old):
            client.create_launch_template_version(
                LaunchTemplateId=resource_id,
                LaunchTemplateData=_data(call, call.inputs),
                **_note(call),
            )
        default = call.inputs.get("defaultVersion")
        if call.inputs.get("updateDefaultVersion"):
            default = self._latest(call, resource_id)["VersionNumber"]
        if default is not None:
            client.modify_launch_template(
                LaunchTemplateId=resource_id, DefaultVersion=str(default)
            )
        ec2.retag(call, resource_id)

    def _latest(self, call: Call, resource_id: str) -> dict[str, Any]:
        versions = call.client("ec2").describe_launch_template_versions(
            LaunchTemplateId=resource_id
        )["LaunchTemplateVersions"]
        latest: dict[str, Any] = max(versions, key=lambda version: version["VersionNumber"])
        return latest

    def _has_changes(self, call: Call, old: Properties) -> bool:
        keys = (
            (call.inputs.keys() | old.keys())
            - _VERSIONING
            - (_TEMPLATE_PROPERTIES - {"description"})
        )
        return any(not is_same_value(call.inputs.get(key), old.get(key)) for key in keys)


def _data(call: Call, inputs: Properties) -> dict[str, Any]:
    content = without(inputs, _TEMPLATE_PROPERTIES | _VERSIONING)
    data: dict[str, Any] = to_aws(
        call.client("ec2"), "RequestLaunchTemplateData", _without_blanks(content), _NAMES
    )
    return data


def _note(call: Call) -> dict[str, Any]:
    return arguments(
        call.client("ec2"),
        "CreateLaunchTemplate",
        {"versionDescription": call.inputs.get("description")},
    )


def _without_blanks(value: Any) -> Any:
    """Return a value without empty texts, which the provider treats as unset."""
    if isinstance(value, dict):
        return {
            key: _without_blanks(item) for key, item in value.items() if item not in ("", None)
        }
    if isinstance(value, list):
        return [_without_blanks(item) for item in value]
    return value


def _read_data(call: Call, data: dict[str, Any]) -> Properties:
    content: Properties = from_aws(call.client("ec2"), "ResponseLaunchTemplateData", data, _NAMES)
    # moto lists the template's own tags among those for what it launches; AWS does not.
    specifications = [
        specification
        for specification in content.get("tagSpecifications", [])
        if specification["resourceType"] != "launch-template"
    ]
    return content | {"tagSpecifications": specifications or None}


def _unset_properties(shape: Any) -> Properties:
    """Return every property of a version as None, so that omitted ones are unset."""
    back = {aws: property_name for property_name, aws in _NAMES.items()}
    return dict.fromkeys(back.get(member, camel(member)) for member in shape.members)


def _texts(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _texts(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_texts(item, key) for item in value]
    return str(value).lower() if key in _TEXTS and isinstance(value, bool) else value
