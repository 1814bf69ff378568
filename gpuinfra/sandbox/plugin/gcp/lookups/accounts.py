"""Look-ups of accounts and places: project, provider, regions, zones, service accounts."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.gcp import places, references
from gpuinfra.sandbox.plugin.gcp.paths import PROJECT_NUMBER


def project(look: LookupContext, args: Mapping[str, Any], key: str = "project") -> str:
    """Return the requested project, else the provider's; raise its error without one."""
    value = args.get(key) or look.settings.account.get("project")
    if not value:
        raise CloudRefusalError("MissingSetting", "project: required field is not set")
    return str(value)


def region(look: LookupContext, args: Mapping[str, Any]) -> str:
    """Return the requested region, else the provider's."""
    place = str(args.get("region") or look.settings.place)
    if not places.is_region(place):
        raise CloudRefusalError("invalid", f"Error 400: Unknown region '{place}'")
    return place


def _client_config(look: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    named = look.settings.account.get("project", "")
    zone = look.settings.account.get("zone", "")
    place = look.settings.place
    return {
        "id": f'projects/"{named}"/regions/"{place}"/zones/"{zone}"',
        "project": named,
        "region": place,
        "zone": zone,
        "accessToken": "sandbox",
        "defaultLabels": dict(look.settings.tags),
    }


def _project(look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    named = project(look, args, "projectId")
    return {
        "id": f"projects/{named}",
        "projectId": named,
        "name": named,
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


def _zones(look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    named, place = project(look, args), region(look, args)
    return {
        "id": f"projects/{named}/regions/{place}",
        "project": named,
        "region": place,
        "names": [] if args.get("status") == "DOWN" else list(places.zones(place)),
        "status": args.get("status"),
    }


def _regions(look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    named = project(look, args)
    names = [] if args.get("status") == "DOWN" else list(places.regions())
    return {"id": f"projects/{named}", "project": named, "names": names, **args}


def _default_account(look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    named, email = project(look, args), references.default_account()
    name = f"projects/{named}/serviceAccounts/{email}"
    return {
        "id": name,
        "name": name,
        "project": named,
        "email": email,
        "member": f"serviceAccount:{email}",
        "displayName": "Compute Engine default service account",
        "uniqueId": "1" + PROJECT_NUMBER.zfill(20),
    }


def _storage_account(look: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    named = project(look, args)
    email = f"service-{PROJECT_NUMBER}@gs-project-accounts.iam.gserviceaccount.com"
    return {
        "id": email,
        "project": named,
        "emailAddress": email,
        "member": f"serviceAccount:{email}",
        "userProject": args.get("userProject"),
    }


INVOKES: dict[str, Invoke] = {
    "gcp:compute/getDefaultServiceAccount:getDefaultServiceAccount": _default_account,
    "gcp:compute/getRegions:getRegions": _regions,
    "gcp:compute/getZones:getZones": _zones,
    "gcp:organizations/getClientConfig:getClientConfig": _client_config,
    "gcp:organizations/getProject:getProject": _project,
    "gcp:storage/getProjectServiceAccount:getProjectServiceAccount": _storage_account,
}
