"""Parallel file systems (FSx for Lustre): their tiers and their limits."""
