"""Reads groups of machines: how they are bought, kept up, scaled, secured and ended."""
