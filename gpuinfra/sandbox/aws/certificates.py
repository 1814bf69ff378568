"""ACM certificates, requested for a domain or imported."""

from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments, from_aws, without
from gpuinfra.sandbox.plugin.contract import Call

_REQUEST_NAMES = {"validationOptions": "DomainValidationOptions"}
_READ_PROPERTIES = (
    "domainName",
    "notAfter",
    "notBefore",
    "status",
    "subjectAlternativeNames",
    "type",
)


class Certificate(ResourceHandler):
    """``aws:acm/certificate:Certificate``, id its ARN.

    moto can't change a certificate's options: these are answered as last known.
    """

    def create(self, call: Call) -> str:
        client, inputs = call.client("acm"), call.inputs
        labels = tags.pairs(tags.declared_tags(inputs))
        key = inputs.get("privateKey") or inputs.get("privateKeyWo")
        if key:
            chain = inputs.get("certificateChain")
            more = {"CertificateChain": chain.encode()} if chain else {}
            body = inputs["certificateBody"].encode()
            response = client.import_certificate(
                Certificate=body, PrivateKey=key.encode(), Tags=labels, **more
            )
            return str(response["CertificateArn"])
        plain = without(inputs, {"tags", "tagsAll"})
        request = arguments(client, "RequestCertificate", plain, _REQUEST_NAMES)
        tagged = {"Tags": labels} if labels else {}
        return str(client.request_certificate(**request, **tagged)["CertificateArn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("acm")
        certificate = client.describe_certificate(CertificateArn=resource_id)["Certificate"]
        read = from_aws(client, "CertificateDetail", certificate)
        listed = tags.current_tags(client, "list_tags_for_certificate", CertificateArn=resource_id)
        validations = certificate.get("DomainValidationOptions") or []
        return {
            **{name: read.get(name) for name in _READ_PROPERTIES},
            "keyAlgorithm": str(certificate.get("KeyAlgorithm") or "").replace("-", "_") or None,
            "validationMethod": validations[0].get("ValidationMethod") if validations else None,
            "domainValidationOptions": [
                _record(validation) for validation in validations if "ResourceRecord" in validation
            ],
            "renewalEligibility": certificate.get("RenewalEligibility"),
            "arn": resource_id,
            **tags.tag_outputs(call, listed),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("acm")
        listed = tags.current_tags(client, "list_tags_for_certificate", CertificateArn=resource_id)
        put, dropped = tags.difference(listed, tags.declared_tags(call.inputs))
        if put:
            client.add_tags_to_certificate(CertificateArn=resource_id, Tags=tags.pairs(put))
        if dropped:
            gone = [{"Key": name} for name in dropped]
            client.remove_tags_from_certificate(CertificateArn=resource_id, Tags=gone)


def _record(option: dict[str, Any]) -> dict[str, Any]:
    record = option["ResourceRecord"]
    return {
        "domainName": option["DomainName"],
        "resourceRecordName": record["Name"],
        "resourceRecordType": record["Type"],
        "resourceRecordValue": record["Value"],
    }
