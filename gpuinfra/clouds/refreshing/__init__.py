"""Facts fetched anew from the clouds' own interfaces: kept for the user, joined with the shipped.

What reads them is light; what fetches them (`job`, `web`, a cloud's `refresh`) is loaded on
demand.
"""

from gpuinfra.clouds.refreshing.refreshed_files import faults

__all__ = ["faults"]
