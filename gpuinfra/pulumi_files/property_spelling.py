"""The engine's camelCase for property names, whichever spelling a file has.

The engine writes camelCase; files that a user or a Python program wrote have snake_case.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")

OWN_KEYS: Final = frozenset(
    {
        *("tags", "tagsAll", "tags_all", "defaultTags", "default_tags"),
        *("labels", "userLabels", "user_labels", "resourceLabels", "resource_labels"),
        *("effectiveLabels", "effective_labels", "pulumiLabels", "pulumi_labels"),
        *("metadata", "annotations", "variables", "env", "environmentVariables"),
        *("environment_variables", "taints"),
    }
)
"""Properties whose keys are a user's own words, and stay as they are."""


def camel(properties: Mapping[str, Any], package: str) -> dict[str, Any]:
    """Return properties with their keys in the engine's spelling, at any depth.

    Where both spellings are present, the engine's own is used. `package` is the provider's,
    for example azure-native.
    """
    return _camel(properties, _capitals().get(package, {}))


def camel_key(key: str, package: str) -> str:
    """Return a property's name in the engine's spelling; other than snake_case is unchanged."""
    return _camel_key(key, _capitals().get(package, {})) if "_" in key else key


@cache
def _capitals() -> Mapping[str, Mapping[str, str]]:
    """Return, by package, the names with adjacent capitals, by their lower-case form."""
    file = Path(__file__).with_name("data") / "spelling.json"
    spellings = json.loads(file.read_text("utf-8"))
    return {
        package: {name.lower(): name for name in names}
        for package, names in spellings.items()
        if isinstance(names, list)
    }


def _camel(properties: Mapping[str, Any], capitals: Mapping[str, str]) -> dict[str, Any]:
    spelled = {_camel_key(key, capitals): (key, value) for key, value in properties.items()}
    exact = {key: (key, value) for key, value in properties.items() if key in spelled}
    return {
        name: value if key in OWN_KEYS else _in_camel_case(value, capitals)
        for name, (key, value) in {**spelled, **exact}.items()
    }


def _camel_key(key: str, capitals: Mapping[str, str]) -> str:
    if "_" not in key or _SNAKE.fullmatch(key) is None:
        return key
    first, *later_parts = key.split("_")
    name = first + "".join(other.capitalize() for other in later_parts)
    return capitals.get(name.lower(), name)


def _in_camel_case(value: Any, capitals: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return _camel(value, capitals)
    return (
        [_in_camel_case(nested_value, capitals) for nested_value in value]
        if isinstance(value, list)
        else value
    )
