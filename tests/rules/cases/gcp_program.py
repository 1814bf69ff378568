"""A stranger's program on Google Cloud: what its resources are called once they are created."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.rules.cases.program import Handle, Program, Ref

PROJECT = "shop-1"
API = "https://www.googleapis.com/compute/v1/"

PLACES = {
    "Instance": "zones/us-central1-a/instances",
    "InstanceTemplate": "global/instanceTemplates",
    "InstanceGroupManager": "zones/us-central1-a/instanceGroupManagers",
    "RegionInstanceGroupManager": "regions/us-central1/instanceGroupManagers",
    "Network": "global/networks",
    "Subnetwork": "regions/us-central1/subnetworks",
    "Firewall": "global/firewalls",
    "ResourcePolicy": "regions/us-central1/resourcePolicies",
    "Router": "regions/us-central1/routers",
    "Address": "regions/us-central1/addresses",
    "Reservation": "zones/us-central1-a/reservations",
    "ServiceAttachment": "regions/us-central1/serviceAttachments",
}


@dataclass(frozen=True)
class GcpHandle(Handle):
    """A registered resource, with the outputs that Google gives it."""

    @property
    def link(self) -> Ref:
        return self.out("selfLink")

    @property
    def outputs(self) -> dict[str, str]:
        chosen = self.inputs.get("name")
        name = chosen if isinstance(chosen, str) else f"{self.name}-1a2b3c"
        kind = self.type.rpartition(":")[2]
        if kind == "Account":
            email = f"{self.inputs.get('accountId', name)}@{PROJECT}.iam.gserviceaccount.com"
            path = f"projects/{PROJECT}/serviceAccounts/{email}"
            return {"id": path, "name": path, "email": email, "member": f"serviceAccount:{email}"}
        if kind not in PLACES:
            return {"id": name, "name": name}
        path = f"projects/{PROJECT}/{PLACES[kind]}/{name}"
        group = path.replace("instanceGroupManagers", "instanceGroups")
        return {
            "id": path,
            "name": name,
            "selfLink": f"{API}{path}",
            "instanceGroup": f"{API}{group}",
        }


class GcpProgram(Program):
    """What a program registers; its provider says no region, the resources do."""

    def __init__(self) -> None:
        super().__init__(region=None)

    def add(self, token: str, name: str, /, **inputs: Any) -> GcpHandle:
        """Register a resource; `token` may leave the package out."""
        full = token if token.startswith("gcp:") else f"gcp:{token}"
        return self._keep(f"urn:pulumi:dev::shop::{full}::{name}", full, name, inputs)

    def change(self, handle: Handle, **inputs: Any) -> None:
        now = {**self.handles[handle.urn].inputs, **inputs}
        kept = {key: value for key, value in now.items() if value is not None}
        self._keep(handle.urn, handle.type, handle.name, kept)

    def _keep(self, urn: str, token: str, name: str, inputs: Mapping[str, Any]) -> GcpHandle:
        handle = GcpHandle(urn, token, name, inputs)
        self.handles[urn] = handle
        return handle
