"""User data as EC2 takes it: the script as it is, or compressed when only that fits."""

import gzip
import zlib
from typing import Final

LIMIT: Final = 16 * 1024
"""Bytes of user data that EC2 takes, before base64:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html"""

_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = 16 + zlib.MAX_WBITS
_LARGEST: Final = LIMIT * 1032
"""What the best compression makes of all that EC2 takes: https://zlib.net/zlib_tech.html"""


def packed(script: str) -> bytes:
    """The script's bytes; one that is larger than EC2 takes is compressed, for cloud-init.

    A script that fits stays plain: it can be read in the console, and it does not change with the
    compressor of whoever runs the update, which would make the machines of a pool anew.
    https://cloudinit.readthedocs.io/en/latest/explanation/format.html#gzip-compressed-content
    """
    plain = script.encode()
    return plain if len(plain) <= LIMIT else gzip.compress(plain, mtime=0)


def unpacked(data: bytes) -> bytes:
    """User data with its compression taken off, if it has one.

    Raises:
        ValueError: it begins as compressed data does, and is broken or larger than EC2 takes.
    """
    if not data.startswith(_MAGIC):
        return data
    reader = zlib.decompressobj(_GZIP)
    try:
        plain = reader.decompress(data, _LARGEST)
    except zlib.error as error:
        raise ValueError("the user data is no gzip file") from error
    if not reader.eof or reader.unused_data:
        raise ValueError("the user data is not one whole gzip file")
    return plain


def fits(script: str) -> bool:
    """Whether EC2 takes the script in some form."""
    return len(packed(script)) <= LIMIT
