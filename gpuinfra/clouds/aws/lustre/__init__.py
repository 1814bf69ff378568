"""Parallel file systems (FSx for Lustre): their tiers, and what AWS does not take."""
