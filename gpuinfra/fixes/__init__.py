"""Fixes with prices: the smallest edits with which a check passes, and their effect."""

from gpuinfra.fixes.fix import Edit, Effect, FabricChange, Fix, Proposal
from gpuinfra.fixes.spans import Span

__all__ = ["Edit", "Effect", "FabricChange", "Fix", "Proposal", "Span"]
