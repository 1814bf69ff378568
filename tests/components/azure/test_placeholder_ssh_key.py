import base64
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuinfra.clouds.azure.declare import placeholder_ssh_key


def test_the_key_is_the_digest_of_the_phrase_and_a_point_of_the_curve() -> None:
    kind, blob, comment = placeholder_ssh_key.public_key().split()
    raw = base64.b64decode(blob)

    assert (kind, comment) == ("ssh-ed25519", "nobody")
    assert raw[:-32] == b"\0\0\0\x0bssh-ed25519\0\0\0\x20"
    assert placeholder_ssh_key.on_curve(raw[-32:])


def test_a_phrase_that_gives_no_point_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placeholder_ssh_key, "PHRASE", f"{placeholder_ssh_key.PHRASE} 1")

    with pytest.raises(ValueError, match="choose another"):
        placeholder_ssh_key.public_key()


def test_the_curve_has_its_base_point_and_not_every_height() -> None:
    base = 4 * pow(5, -1, placeholder_ssh_key.PRIME) % placeholder_ssh_key.PRIME

    assert placeholder_ssh_key.on_curve(base.to_bytes(32, "little"))
    assert not placeholder_ssh_key.on_curve((2).to_bytes(32, "little"))


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_ssh_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "key.pub"
    file.write_text(f"{placeholder_ssh_key.public_key()}\n")
    seen = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(file)], capture_output=True, text=True, check=True
    )

    assert "(ED25519)" in seen.stdout
