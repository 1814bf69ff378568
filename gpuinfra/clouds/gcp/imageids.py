"""Asks Google Cloud, with the caller's access token, for the newest image of a family."""

import os
from typing import Final

from gpuinfra.clouds.refreshing.web import Web
from gpuinfra.errors import CloudError, RefreshError, Refusal

ENDPOINT: Final = "https://compute.googleapis.com/compute/v1"
TOKEN: Final = "GOOGLE_OAUTH_ACCESS_TOKEN"  # noqa: S105 - the variable that Pulumi's provider reads
FIX: Final = f"export {TOKEN}=$(gcloud auth print-access-token)"


def image_id(name: str, region: str) -> str:  # noqa: ARG001 - families are global
    """Return the link of the newest image of projects/…/global/images/family/….

    https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/getFromFamily

    Raises:
        CloudError: there is no token, or Google Cloud refuses or can't be reached.
    """
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise _lookup_error(name, f"{TOKEN} is not set", FIX)
    try:
        content = Web(ENDPOINT, {"Authorization": f"Bearer {token}"}).json(f"/{name}").content
    except RefreshError as error:
        fix = error.fix or f"use a fresh token: {FIX}"
        raise _lookup_error(name, error.message, fix) from None
    link = content.get("selfLink") if isinstance(content, dict) else None
    if not isinstance(link, str) or "/global/images/" not in link:
        raise _lookup_error(name, "the response has no selfLink of an image", "try again")
    return link


def _lookup_error(name: str, reason: str, fix: str) -> CloudError:
    return CloudError([Refusal(what=name, why=reason, fix=fix)])
