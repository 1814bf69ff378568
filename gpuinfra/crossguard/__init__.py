"""Policy packs, which turn rules into CrossGuard policies for any Pulumi stack."""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.crossguard.policies import pack, rules_of

__all__ = ["pack", "rules_of"]

__getattr__ = lazy_names(__name__, {"policies": "pack rules_of"})
"""Loaded on first use: the settings and subjects of packs are read without Pulumi."""
