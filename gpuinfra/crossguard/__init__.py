"""The policy door: turns rules into CrossGuard policies that judge any Pulumi stack."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuinfra.crossguard.policies import pack, rules_of

__all__ = ["pack", "rules_of"]


def __getattr__(name: str) -> Any:
    """Load these on first touch: the settings and subjects of packs are read without Pulumi."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpuinfra.crossguard import policies  # noqa: PLC0415

    return getattr(policies, name)
