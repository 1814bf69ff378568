"""ECR repositories of container images, and their two kinds of policy."""

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler, ResourceHandler
from gpuinfra.sandbox.aws.shapes import document
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import read_fields


class EcrRepository(ResourceHandler):
    """``aws:ecr/repository:Repository``, id its name.

    moto keeps no exclusion filters of tag mutability: they are answered as last known.
    """

    def create(self, call: Call) -> str:
        inputs, name = call.inputs, physical_name(call)
        request = {}
        for encryption in inputs.get("encryptionConfigurations") or []:
            key = {"kmsKey": encryption["kmsKey"]} if encryption.get("kmsKey") else {}
            kind = encryption.get("encryptionType") or "AES256"
            request["encryptionConfiguration"] = {"encryptionType": kind, **key}
        call.client("ecr").create_repository(
            repositoryName=name,
            imageTagMutability=inputs.get("imageTagMutability") or "MUTABLE",
            imageScanningConfiguration={"scanOnPush": _scans_on_push(inputs)},
            tags=tags.pairs(tags.declared_tags(inputs)),
            **request,
        )
        return name

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client, inputs = call.client("ecr"), call.inputs
        repository = client.describe_repositories(repositoryNames=[resource_id])["repositories"][0]
        encryption = repository.get("encryptionConfiguration") or {}
        scan = repository["imageScanningConfiguration"]["scanOnPush"]
        is_default_encryption = encryption.get("encryptionType") == "AES256"
        return {
            **read_fields(call.token, repository),
            "imageScanningConfiguration": (
                {"scanOnPush": scan} if scan or "imageScanningConfiguration" in inputs else None
            ),
            "encryptionConfigurations": (
                None
                if is_default_encryption and "encryptionConfigurations" not in inputs
                else [encryption]
            ),
            **tags.tag_outputs(
                call, tags.current_tags(client, resourceArn=repository["repositoryArn"])
            ),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client, inputs = call.client("ecr"), call.inputs
        client.put_image_tag_mutability(
            repositoryName=resource_id,
            imageTagMutability=inputs.get("imageTagMutability") or "MUTABLE",
        )
        client.put_image_scanning_configuration(
            repositoryName=resource_id,
            imageScanningConfiguration={"scanOnPush": _scans_on_push(inputs)},
        )
        tags.change(call, client, resourceArn=old["arn"])

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        is_forced = bool(old.get("forceDelete"))
        call.client("ecr").delete_repository(repositoryName=resource_id, force=is_forced)


class RegistryPolicy(PutHandler):
    """``aws:ecr/lifecyclePolicy`` and ``repositoryPolicy``, id the repository's name."""

    def __init__(self, noun: str, verb: str, text: str) -> None:
        self._noun, self._verb, self._text = noun, verb, text

    id_input = "repository"

    def put(self, call: Call, resource_id: str) -> None:
        text = {self._text: document(call.inputs["policy"])}
        self._ask(call, self._verb, resource_id, **text)

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        policy = self._ask(call, "get", resource_id)
        return {
            "repository": resource_id,
            "policy": policy[self._text],
            "registryId": policy["registryId"],
        }

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        self._ask(call, "delete", resource_id)

    def _ask(self, call: Call, verb: str, name: str, **text: str) -> Properties:
        answer: Properties = getattr(call.client("ecr"), f"{verb}_{self._noun}")(
            repositoryName=name, **text
        )
        return answer


def _scans_on_push(inputs: Properties) -> bool:
    return bool((inputs.get("imageScanningConfiguration") or {}).get("scanOnPush"))
