"""The user's own prices, and the machines that they own or may buy."""

from typing import Final

FILE_NAME: Final = "prices.yaml"
"""The name of the price file next to a stack file."""
