"""Where a resource stands: its own region, its provider's, or the environment's."""

import os
from collections.abc import Mapping
from typing import Any, Final

_ENVIRONMENT: Final[Mapping[str, tuple[str, ...]]] = {"aws": ("AWS_REGION", "AWS_DEFAULT_REGION")}
"""By provider package, the variables that the provider plugin falls back on; a policy pack
inherits the same environment.
https://www.pulumi.com/registry/packages/aws/installation-configuration/#configuration-reference"""


def region_of(resource_type: str, *places: Mapping[str, Any]) -> str | None:
    """The region as the first of the places that has one says it, else as the environment does.

    None when nobody says, or when the first that speaks does not know yet.
    """
    for place in places:
        region = place.get("region")
        if region is not None:
            return region if isinstance(region, str) else None
    names = _ENVIRONMENT.get(resource_type.partition(":")[0], ())
    return next((os.environ[name] for name in names if os.environ.get(name)), None)
