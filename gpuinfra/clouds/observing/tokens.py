"""What a resource type's token tells by its form: the engine's own, a component, a provider's."""

from typing import Final

_NATIVE: Final = frozenset(
    {"aws-native", "azure-native", "google-native", "command", "docker-build", "kubernetes"}
)
"""Provider packages whose tokens look like a component's (no slash in the middle)."""


def is_engines(token: str) -> bool:
    """Say whether a token is the engine's own: the stack, a provider, a stash, a reference."""
    return token.startswith("pulumi:")


def is_component(token: str) -> bool:
    """Say whether a token names a component, by its form alone.

    A bridged provider writes `package:module/resource:Resource`, a component has no slash.
    """
    package, _, rest = token.partition(":")
    if package in _NATIVE or "dynamic" in token:
        return False
    return "/" not in rest
