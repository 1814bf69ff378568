"""Look-ups of accounts and places: project, provider, regions, zones, service accounts."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.gcp import places, references
from gpuinfra.sandbox.plugin.gcp.resource_names import PROJECT_NUMBER


def project(lookup_context: LookupContext, args: Mapping[str, Any], key: str = "project") -> str:
    """Return the requested project, else the provider's; raise its error without one."""
    value = args.get(key) or lookup_context.settings.account.get("project")
    if not value:
        raise CloudRefusalError("MissingSetting", "project: required field is not set")
    return str(value)


def region(lookup_context: LookupContext, args: Mapping[str, Any]) -> str:
    """Return the requested region, else the provider's."""
    place = str(args.get("region") or lookup_context.settings.place)
    if not places.is_region(place):
        raise CloudRefusalError("invalid", f"Error 400: Unknown region '{place}'")
    return place


def _client_config(lookup_context: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    project_name = lookup_context.settings.account.get("project", "")
    zone = lookup_context.settings.account.get("zone", "")
    place = lookup_context.settings.place
    return {
        "id": f'projects/"{project_name}"/regions/"{place}"/zones/"{zone}"',
        "project": project_name,
        "region": place,
        "zone": zone,
        "accessToken": "sandbox",
        "defaultLabels": dict(lookup_context.settings.tags),
    }


def _project(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    project_name = project(lookup_context, args, "projectId")
    return {
        "id": f"projects/{project_name}",
        "projectId": project_name,
        "name": project_name,
        "number": PROJECT_NUMBER,
        "autoCreateNetwork": True,
        "billingAccount": "",
        "deletionPolicy": "PREVENT",
        "effectiveLabels": {},
        "folderId": "",
        "labels": {},
        "orgId": "",
        "pulumiLabels": {},
        "tags": {},
    }


def _zones(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    project_name, place = project(lookup_context, args), region(lookup_context, args)
    return {
        "id": f"projects/{project_name}/regions/{place}",
        "project": project_name,
        "region": place,
        "names": [] if args.get("status") == "DOWN" else list(places.zones(place)),
        "status": args.get("status"),
    }


def _regions(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    project_name = project(lookup_context, args)
    names = [] if args.get("status") == "DOWN" else list(places.regions())
    return {"id": f"projects/{project_name}", "project": project_name, "names": names, **args}


def _default_account(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    project_name, email = project(lookup_context, args), references.default_account()
    name = f"projects/{project_name}/serviceAccounts/{email}"
    return {
        "id": name,
        "name": name,
        "project": project_name,
        "email": email,
        "member": f"serviceAccount:{email}",
        "displayName": "Compute Engine default service account",
        "uniqueId": "1" + PROJECT_NUMBER.zfill(20),
    }


def _storage_account(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    project_name = project(lookup_context, args)
    email = f"service-{PROJECT_NUMBER}@gs-project-accounts.iam.gserviceaccount.com"
    return {
        "id": email,
        "project": project_name,
        "emailAddress": email,
        "member": f"serviceAccount:{email}",
        "userProject": args.get("userProject"),
    }


def _policy(_look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of a policy, which needs no cloud.

    https://www.pulumi.com/registry/packages/gcp/api-docs/organizations/getiampolicy/
    """
    bindings = [
        {
            **{key: binding[key] for key in ("condition", "role") if binding.get(key)},
            "members": binding.get("members") or [],
        }
        for binding in args.get("bindings") or []
    ]
    audits = {"auditConfigs": args["auditConfigs"]} if args.get("auditConfigs") else {}
    text = json.dumps({**audits, "bindings": bindings}, sort_keys=True, separators=(",", ":"))
    return {**args, "id": str(zlib.crc32(text.encode())), "policyData": text}


INVOKES: dict[str, Invoke] = {
    "gcp:compute/getDefaultServiceAccount:getDefaultServiceAccount": _default_account,
    "gcp:compute/getRegions:getRegions": _regions,
    "gcp:compute/getZones:getZones": _zones,
    "gcp:organizations/getClientConfig:getClientConfig": _client_config,
    "gcp:organizations/getIAMPolicy:getIAMPolicy": _policy,
    "gcp:organizations/getProject:getProject": _project,
    "gcp:storage/getProjectServiceAccount:getProjectServiceAccount": _storage_account,
}
