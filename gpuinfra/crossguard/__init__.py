"""The policy door: turns rules into CrossGuard policies that judge any Pulumi stack."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuinfra.crossguard.policies import pack

__all__ = ["pack"]


def __getattr__(name: str) -> Any:
    """Load `pack` on first touch: the settings and subjects of packs are read without Pulumi."""
    if name != "pack":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpuinfra.crossguard.policies import pack  # noqa: PLC0415

    return pack
