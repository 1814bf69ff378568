"""The marks of special and unknown values in Pulumi's files and protocol.

Sources: https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/sig/sig.go
https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
"""

from typing import Final

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
"""The key under which an object says what it stands for: one of the five below."""
SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  # marks a secret, is none
OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
RESOURCE: Final = "5cf8f73096256a8f31e491e813e4eb8e"
ASSET: Final = "c44067f5952c0a294b673a41bacd8c17"
ARCHIVE: Final = "0def7320c3a5731c473e5ecbe6d01bc7"

UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Stands for a text that only an update knows."""
SENTINELS: Final = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        UNKNOWN_TEXT,
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""The placeholders of a value known only during an update: a boolean, a number, text, a list, an
asset, an archive, a mapping."""

HIDDEN: Final = "[secret]"
"""The placeholder of a secret in a preview:
https://github.com/pulumi/pulumi/blob/master/pkg/backend/display/json.go"""


def shown_unknown(text: str) -> str:
    """Return text as people read it: *unknown* where it holds an unknown text."""
    return text.replace(UNKNOWN_TEXT, "unknown")
