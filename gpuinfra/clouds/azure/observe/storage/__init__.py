"""Reads what keeps data: disks, buckets and file systems."""
