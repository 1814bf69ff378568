"""Inputs that name what stands already, for example `{network}`."""

from typing import Any


def filled(value: Any, town: dict[str, str]) -> Any:
    """The inputs with the ids of what stands for its names."""
    if isinstance(value, dict):
        return {key: filled(item, town) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, town) for item in value]
    if isinstance(value, str) and value.startswith("{") and value[1:-1] in town:
        return town[value[1:-1]]
    return value
