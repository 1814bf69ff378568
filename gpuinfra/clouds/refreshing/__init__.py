"""Prices and machines fetched from the clouds' APIs: stored, and joined with shipped tables.

What reads them is light; what fetches them (`job`, `web`, a cloud's `refresh`) is loaded on
demand.
"""

from gpuinfra.clouds.refreshing.user_table_files import faults

__all__ = ["faults"]
