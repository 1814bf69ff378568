"""Properties by one spelling: the engine's camelCase, whichever way a file has them.

The engine writes camelCase; files that a person or a Python program wrote have snake_case.
"""

import re
from collections.abc import Mapping
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
"""Properties whose keys are a person's own words, and stay as they are."""


def camel(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Spell the keys of properties as the engine does, at any depth.

    Where both spellings stand side by side the engine's own holds.
    """
    spelled = {camel_key(key): (key, value) for key, value in properties.items()}
    exact = {key: (key, value) for key, value in properties.items() if key in spelled}
    return {
        name: value if key in OWN_KEYS else _spelled(value)
        for name, (key, value) in {**spelled, **exact}.items()
    }


def camel_key(key: str) -> str:
    """A property's name as the engine spells it; what is no snake_case stays."""
    if "_" not in key or _SNAKE.fullmatch(key) is None:
        return key
    first, *others = key.split("_")
    return first + "".join(other.capitalize() for other in others)


def _spelled(value: Any) -> Any:
    if isinstance(value, Mapping):
        return camel(value)
    return [_spelled(one) for one in value] if isinstance(value, list) else value
