"""A folder that stands for a machine: its root, and stand-ins for its system's programs."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from gpuinfra.clouds.aws import userdata

ROOTED = re.compile(
    r"(?<![\w.:/\[-])"
    r"/(?=(?:etc|var|run|usr/local/bin|usr/share|opt|local|shared|data|checkpoints|sys|proc)\b"
    r"|dev/(?!udp|null))"
)
"""Absolute paths of a script; what is part of an address or of a pattern is none."""

HERE = re.compile(r"^cat >/usr/local/bin/(\S+) <<'(\w+)'\n(.*?)^\2$", re.MULTILINE | re.DOTALL)


class Machine:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.bin = root / "stand-ins"
        self.bin.mkdir()
        for folder in ("etc/gpuinfra", "etc/systemd/system", "var/lib/gpuinfra", "run", "dev"):
            (root / folder).mkdir(parents=True)
        (root / "usr/local/bin").mkdir(parents=True)
        self.stand_in("sleep", "")

    def stand_in(self, name: str, body: str) -> None:
        """A program that notes how it is called, and then does what the body says."""
        program = self.bin / name
        program.write_text(f'#!/bin/bash\necho "{name} $*" >>{self.root}/calls\n{body}\n')
        program.chmod(0o755)

    def file(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def rooted(self, script: str) -> str:
        return ROOTED.sub(f"{self.root}/", script)

    def run(self, script: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", self.rooted(script), "here", *arguments],
            env={
                "PATH": f"{self.bin}:{self.root}/usr/local/bin:/usr/bin:/bin",
                "HOME": str(self.root),
                **more,
            },
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )

    def install(self, part: str) -> None:
        """Write the programs of a part where the part would write them."""
        for name, _, text in HERE.findall(read(part)):
            program = self.root / "usr/local/bin" / name
            program.write_text(self.rooted(text))
            program.chmod(0o755)

    def program(self, name: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return self.run('exec "$@"', str(self.root / "usr/local/bin" / name), *arguments, **more)

    @property
    def calls(self) -> list[str]:
        calls = self.root / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def forget(self) -> None:
        (self.root / "calls").unlink(missing_ok=True)

    def tree(self) -> dict[str, str]:
        """All files below etc, by path."""
        return {
            os.path.relpath(path, self.root): path.read_text()
            for path in sorted((self.root / "etc").rglob("*"))
            if path.is_file()
        }


def read(part: str) -> str:
    return (Path(userdata.__file__).parent / "startup" / part).read_text()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
