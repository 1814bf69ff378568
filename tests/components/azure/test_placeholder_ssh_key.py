import base64
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from gpuinfra.clouds.azure.declare import placeholder_ssh_key

PRIME: Final = 2**255 - 19
"""The field and the curve of Ed25519: https://www.rfc-editor.org/rfc/rfc8032#section-5.1"""
CURVE: Final = -121665 * pow(121666, -1, PRIME) % PRIME


def is_on_curve(encoded: bytes) -> bool:
    """Return whether 32 bytes are a point: x² = (y² - 1) / (d·y² + 1) has a root, y reduced."""
    height = int.from_bytes(encoded, "little") % 2**255
    square = (height**2 - 1) * pow(CURVE * height**2 + 1, -1, PRIME) % PRIME
    return height < PRIME and pow(square, (PRIME - 1) // 2, PRIME) in {0, 1}


def test_the_key_is_the_digest_of_the_phrase_and_a_point_of_the_curve() -> None:
    kind, blob, comment = placeholder_ssh_key.public_key().split()
    raw = base64.b64decode(blob)

    assert (kind, comment) == ("ssh-ed25519", "nobody")
    assert raw[:-32] == b"\0\0\0\x0bssh-ed25519\0\0\0\x20"
    assert is_on_curve(raw[-32:])


def test_the_curve_has_its_base_point_and_not_every_height() -> None:
    base = 4 * pow(5, -1, PRIME) % PRIME

    assert is_on_curve(base.to_bytes(32, "little"))
    assert not is_on_curve((2).to_bytes(32, "little"))


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_ssh_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "key.pub"
    file.write_text(f"{placeholder_ssh_key.public_key()}\n")
    seen = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(file)], capture_output=True, text=True, check=True
    )

    assert "(ED25519)" in seen.stdout
