"""The public key of Linux machines, which Azure requires and no private key matches."""

import base64
import hashlib
from typing import Final

PHRASE: Final = "gpuinfra: nobody holds the private half of this key"
USER: Final = "gpuinfra"

PRIME: Final = 2**255 - 19
"""The field and the curve of Ed25519: https://www.rfc-editor.org/rfc/rfc8032#section-5.1"""
CURVE: Final = -121665 * pow(121666, -1, PRIME) % PRIME


def public_key() -> str:
    """Return a key that no login matches: a curve point taken from the digest of a phrase.

    Azure starts no Linux machine without a password or a public key. A new key would
    leave its private half in some state or change with every update. The private half of this one
    was never made, and finding it is as hard as breaking Ed25519; no login with it is possible.
    https://learn.microsoft.com/azure/virtual-machines/linux/create-ssh-keys-detailed
    """
    point = hashlib.sha256(PHRASE.encode()).digest()
    if not on_curve(point):
        raise ValueError("the phrase gives no point of the curve; choose another")
    parts = (b"ssh-ed25519", point)
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()} nobody"


def on_curve(encoded: bytes) -> bool:
    """Return whether 32 bytes are a point: x² = (y² - 1) / (d·y² + 1) has a root, y reduced."""
    height = int.from_bytes(encoded, "little") % 2**255
    square = (height**2 - 1) * pow(CURVE * height**2 + 1, -1, PRIME) % PRIME
    return height < PRIME and pow(square, (PRIME - 1) // 2, PRIME) in {0, 1}
