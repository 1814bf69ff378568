"""The user's own prices, and the machines that they own or may buy."""

from typing import Final

FILE_NAME: Final = "prices.yaml"
"""What a file of own prices beside a stack file is called."""
