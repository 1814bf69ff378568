"""Custom data as Azure takes it: the start-up script, for cloud-init, in base64."""

import base64
from typing import Final

LIMIT: Final = 65_535
"""Bytes of custom data that Azure takes, before base64:
https://learn.microsoft.com/azure/virtual-machines/custom-data"""


def encoded(script: str) -> str:
    """The script as a scale set's `custom_data` takes it."""
    return base64.b64encode(script.encode()).decode()


def fits(script: str) -> bool:
    """Whether Azure takes the script."""
    return len(script.encode()) <= LIMIT
