"""The start-up script as Azure's custom data: base64, for cloud-init."""

import base64
import gzip
import io
import zlib
from typing import Final

MAX_CUSTOM_DATA: Final = 65_535
"""Bytes of custom data that Azure takes, before base64:
https://learn.microsoft.com/azure/virtual-machines/custom-data"""

_MAGIC: Final = b"\x1f\x8b"
_MAX_EXPANDED_BYTES: Final = MAX_CUSTOM_DATA * 1032
"""What the best compression makes of all that Azure takes: https://zlib.net/zlib_tech.html"""


def encode_script(script: str) -> str:
    """Return the script in the encoding of a scale set's `custom_data`."""
    return base64.b64encode(script.encode()).decode()


def unpack_custom_data(data: bytes) -> bytes:
    """Return custom data, decoded from base64, without its compression, if any.

    cloud-init takes gzip: https://cloudinit.readthedocs.io/en/latest/explanation/format.html

    Raises:
        ValueError: it begins as compressed data does, and is broken or larger than Azure takes.
    """
    if not data.startswith(_MAGIC):
        return data
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            unpacked_bytes = packed.read(_MAX_EXPANDED_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError("the custom data is not a complete gzip file") from error
    if len(unpacked_bytes) > _MAX_EXPANDED_BYTES:
        raise ValueError("the custom data is larger than Azure's limit")
    return unpacked_bytes


def is_accepted_by_azure(script: str) -> bool:
    """Return whether Azure accepts the script."""
    return len(script.encode()) <= MAX_CUSTOM_DATA
