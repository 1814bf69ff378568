"""Fixes with dollars: the smallest edits with which a check passes, and what they change."""

from gpuinfra.fixes.fix import Edit, Effect, FabricChange, Fix, Proposal, Span

__all__ = ["Edit", "Effect", "FabricChange", "Fix", "Proposal", "Span"]
