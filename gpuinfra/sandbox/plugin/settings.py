"""The settings of a provider, and functions to read them that all clouds share."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.sandbox_folder import ON_DEMAND_VARIABLE, STRICT_VARIABLE

# What the engine itself adds to every provider's inputs: resource/provider.go of Pulumi's engine.
_ENGINES = frozenset({"version", "pluginDownloadURL", "pluginChecksums"})


@dataclass(frozen=True)
class ProviderSettings:
    """The parsed configuration of a provider.

    Attributes:
        place: the location of resources that name none: a region or a location.
        account: whose they are, and further defaults, by the cloud's own words (project, zone,
            subscriptionId).
        tags: tags or labels that all resources get.
    """

    place: str = ""
    account: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)


def unknown(configuration: Mapping[str, Any], known: frozenset[str]) -> list[Failure]:
    """Return a failure for each setting that the provider does not have."""
    return [
        Failure(key, f"unknown provider setting '{key}'")
        for key in configuration
        if key not in known | _ENGINES and not key.startswith("__")
    ]


def text(configuration: Mapping[str, Any], key: str, *variables: str) -> str:
    """Return a setting, else the first environment variable that is set; else empty."""
    value = configuration.get(key)
    if isinstance(value, str) and value:
        return value
    return next((os.environ[name] for name in variables if os.environ.get(name)), "")


def nested_setting(configuration: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a setting that is an object; the engine sends nested settings as JSON text."""
    value = configuration.get(key) or {}
    return dict(json.loads(value) if isinstance(value, str) else value)


def temporary() -> bool:
    """Return whether the sandbox is that of a preview without an account."""
    return os.environ.get(ON_DEMAND_VARIABLE) == "1"


def strict() -> bool:
    """Return whether types without a table are refused."""
    return os.environ.get(STRICT_VARIABLE, "") not in ("", "0", "false")
