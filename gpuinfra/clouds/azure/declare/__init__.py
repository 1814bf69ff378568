"""Declares planned workloads: what is created, as plain data."""
