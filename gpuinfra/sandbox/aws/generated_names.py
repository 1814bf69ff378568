"""Names for resources without one, and ids that the real provider generates."""

import hashlib

from gpuinfra.sandbox.plugin.contract import Call


def physical_name(call: Call, key: str = "name", prefix_key: str = "namePrefix") -> str:
    """Return the program's name, else its prefix or logical name with a suffix from the URN."""
    if name := call.inputs.get(key):
        return str(name)
    prefix = call.inputs.get(prefix_key) or f"{call.name}-"
    return f"{prefix}{digest(call.urn)[:7]}"


def digest(text: str) -> str:
    """Return the SHA-256 of a text as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
