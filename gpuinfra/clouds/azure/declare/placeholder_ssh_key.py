"""The public key of Linux machines, which Azure requires and no private key matches."""

import base64
import hashlib
from typing import Final

PHRASE: Final = "gpuinfra: nobody holds the private half of this key"
"""The source of the key; another phrase or comment would replace the machines that run."""
USER: Final = "gpuinfra"


def public_key() -> str:
    """Return a key that no login matches: a curve point taken from the digest of a phrase.

    Azure starts no Linux machine without a password or a public key. A new key would
    leave its private half in some state or change with every update. The private half of this one
    was never made, and finding it is as hard as breaking Ed25519; no login with it is possible.
    https://learn.microsoft.com/azure/virtual-machines/linux/create-ssh-keys-detailed
    """
    point = hashlib.sha256(PHRASE.encode()).digest()
    parts = (b"ssh-ed25519", point)
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()} nobody"
