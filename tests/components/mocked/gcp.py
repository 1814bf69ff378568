"""Google Cloud, without an engine."""

from typing import Any

from pulumi.runtime import mocks

from tests.components.mocked import Mocked

PROJECT = "my-project"
API = "https://www.googleapis.com/compute/v1/"
ADDRESS = "10.0.0.4"

GLOBAL = {"Network": "networks", "Firewall": "firewalls", "InstanceTemplate": "instanceTemplates"}
REGIONAL = {
    "Address": "addresses",
    "ForwardingRule": "forwardingRules",
    "RegionAutoscaler": "autoscalers",
    "RegionBackendService": "backendServices",
    "RegionHealthCheck": "healthChecks",
    "RegionInstanceGroupManager": "instanceGroupManagers",
    "ResourcePolicy": "resourcePolicies",
    "Router": "routers",
    "Subnetwork": "subnetworks",
}


def newest(args: dict[str, Any]) -> dict[str, Any]:
    path = f"projects/{args['project']}/global/images/{args['family']}-20260901"
    return {"selfLink": f"{API}{path}"}


def computed(args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
    module, kind = args.typ.split(":")[1].partition("/")[0], args.typ.rpartition(":")[2]
    name = args.inputs.get("name", f"{args.name}-0a1b2c3")
    if kind == "Account":
        email = f"{name}@{PROJECT}.iam.gserviceaccount.com"
        member = f"serviceAccount:{email}"
        return f"projects/{PROJECT}/serviceAccounts/{email}", {
            "accountId": name,
            "email": email,
            "member": member,
        }
    if kind == "IAMCustomRole":
        path = f"projects/{PROJECT}/roles/{args.inputs['roleId']}"
        return path, {"name": path, "project": PROJECT}
    if module != "compute" or kind == "RouterNat":
        return name, {"name": name, "project": PROJECT, "url": f"gs://{name}"}
    path = f"projects/{PROJECT}/{_place(kind, args.inputs)}/{name}"
    outputs = {"name": name, "project": PROJECT, "selfLink": f"{API}{path}"}
    if kind.endswith("InstanceGroupManager"):
        group = path.replace("instanceGroupManagers", "instanceGroups")
        outputs["instanceGroup"] = f"{API}{group}"
    if kind == "ForwardingRule":
        outputs["ipAddress"] = ADDRESS
    return path, outputs


def _place(kind: str, inputs: dict[str, Any]) -> str:
    if kind == "InstanceGroupManager":
        return f"zones/{inputs['zone']}/instanceGroupManagers"
    if kind in GLOBAL:
        return f"global/{GLOBAL[kind]}"
    return f"regions/{inputs['region']}/{REGIONAL[kind]}"


PROVIDER = Mocked(
    package="gcp",
    sdk="pulumi_gcp",
    parts=(
        "billing",
        "compute",
        "monitoring",
        "organizations",
        "projects",
        "serviceaccount",
        "storage",
    ),
    answers={
        "gcp:organizations/getClientConfig:getClientConfig": {"project": PROJECT},
        "gcp:compute/getImage:getImage": newest,
    },
    computed=computed,
)
