"""Listeners of load balancers."""

from typing import Any

from gpuinfra.sandbox.aws import elb_tags, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import from_aws, to_aws
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

_ATTRIBUTE_NAMES = facts("aws", "attributes")["aws:lb/listener:Listener"]


class SandboxListener(ResourceHandler):
    """``aws:lb/listener:Listener``."""

    def create(self, call: Call) -> str:
        response = call.client("elbv2").create_listener(
            LoadBalancerArn=call.inputs["loadBalancerArn"],
            **_listener_request(call),
            **(
                {"Tags": tags.pairs(tags.declared_tags(call.inputs))}
                if call.inputs.get("tags")
                else {}
            ),
        )
        return str(response["Listeners"][0]["ListenerArn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("elbv2")
        listener = client.describe_listeners(ListenerArns=[resource_id])["Listeners"][0]
        certificates = listener.get("Certificates") or [{}]
        is_secure = listener.get("Protocol") in {"HTTPS", "TLS"}
        return {
            **read_fields(call.token, listener),
            "sslPolicy": listener.get("SslPolicy") if is_secure else None,
            "certificateArn": certificates[0].get("CertificateArn"),
            "defaultActions": _actions(call, listener["DefaultActions"]),
            "arn": resource_id,
            **elb_tags.tag_outputs(call, resource_id),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        call.client("elbv2").modify_listener(ListenerArn=resource_id, **_listener_request(call))
        elb_tags.retag(call, resource_id)


def _listener_request(call: Call) -> dict[str, Any]:
    inputs = call.inputs
    certificate = inputs.get("certificateArn")
    optional = {
        "Port": inputs.get("port"),
        "Protocol": inputs.get("protocol"),
        "SslPolicy": inputs.get("sslPolicy"),
        "Certificates": [{"CertificateArn": certificate}] if certificate else None,
        "DefaultActions": to_aws(
            call.client("elbv2"),
            "Actions",
            [
                _rename_group_arns(action, "arn", "targetGroupArn")
                for action in inputs["defaultActions"]
            ],
            _ATTRIBUTE_NAMES,
        ),
    }
    return {key: value for key, value in optional.items() if value is not None}


def _actions(call: Call, existing: list[dict[str, Any]]) -> list[Properties]:
    read = from_aws(call.client("elbv2"), "Actions", existing, _ATTRIBUTE_NAMES)
    return [_rename_group_arns(action, "targetGroupArn", "arn") for action in read]


def _rename_group_arns(action: Properties, before: str, after: str) -> Properties:
    """Return a forward action with the ARN key of its weighted groups renamed."""
    forward = action.get("forward")
    if not forward:
        return action
    groups = [
        {after if key == before else key: value for key, value in group.items()}
        for group in forward.get("targetGroups") or []
    ]
    return action | {"forward": forward | {"targetGroups": groups}}
