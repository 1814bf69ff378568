"""The form of a resource type's token: the engine's own, a component's, a provider's."""

from typing import Final

_NATIVE: Final = (
    *("aws-native", "azure-native", "google-native"),
    *("command", "docker-build", "kubernetes"),
)
"""How the provider packages begin whose tokens look like a component's, with no slash in the
middle; a package made for one version has that in its name too."""


_ENGINES: Final = ("pulumi:pulumi:", "pulumi:providers:", "pulumi:index:")
"""The modules of the engine's own package."""

CALLS_OUT: Final = frozenset(
    {
        "github:index/repositoryWebhook:RepositoryWebhook",
        "github:index/organizationWebhook:OrganizationWebhook",
        "datadog:index/logsCustomDestination:LogsCustomDestination",
    }
)
"""Types of no cloud that send requests by themselves: the callers of clouds/callees.json."""


def is_engines(token: str) -> bool:
    """Return whether a token is the engine's own: the stack, a provider, a stash, a reference."""
    return token.startswith(_ENGINES)


def is_component(token: str) -> bool:
    """Return whether a token may name a component, judged by its form only.

    A bridged provider writes `package:module/resource:Resource`, a component has no slash.
    """
    package, _, token_rest = token.partition(":")
    if package.startswith(_NATIVE) or "dynamic" in token:
        return False
    return "/" not in token_rest
