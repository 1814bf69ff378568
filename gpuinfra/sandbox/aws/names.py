"""Names for resources whose program gave none, and ids that the real provider makes up."""

import hashlib

from gpuinfra.sandbox.plugin.contract import Call


def physical_name(call: Call, key: str = "name", prefix_key: str = "namePrefix") -> str:
    """The name the program gave, else its prefix or logical name with a suffix from the URN."""
    if name := call.inputs.get(key):
        return str(name)
    prefix = call.inputs.get(prefix_key) or f"{call.name}-"
    return f"{prefix}{digest(call.urn)[:7]}"


def digest(text: str) -> str:
    """Hexadecimal digits that are the same for the same text."""
    return hashlib.sha256(text.encode()).hexdigest()
