"""Benchmarks: each yields (name, ratio, limit, details), against a floor of the same run."""
