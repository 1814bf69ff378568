"""A copy of the package in which a recipe of the page is followed, and what that changed."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gpuinfra"


@dataclass
class House:
    """`root` holds the copy; `touched` are the files that were written, but for generated ones.

    Names of files are relative to the root.
    """

    root: Path
    touched: set[str] = field(default_factory=set)

    @classmethod
    def copied(cls, root: Path) -> "House":
        for folder in ("gpuinfra", "tests"):
            shutil.copytree(
                ROOT / folder,
                root / folder,
                copy_function=os.link,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        (root / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
        return cls(root)

    @property
    def counted(self) -> set[str]:
        """The files that a recipe counts: those of the package."""
        return {name for name in self.touched if name.startswith("gpuinfra/")}

    def write(self, name: str, text: str) -> None:
        """Write a file anew; what it was linked to stays as it is."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(text)
        self.touched.add(name)

    def patch(self, name: str, difference: str) -> None:
        """Put lines in the place of others, which stand once in the file, as a diff says it."""
        lines = difference.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        text = (self.root / name).read_text()
        assert text.count(old) == 1, (name, old, text.count(old))
        self.write(name, text.replace(old, new))

    def digests(self) -> None:
        """What `make digests` does."""
        listed = self.root / "gpuinfra/clouds/digests.json"
        text = listed.read_text()
        listed.unlink()
        listed.write_text(text)
        self.python("-m", "gpuinfra.clouds.digests")

    def lint(self) -> None:
        """Run the linter on the Python files that were written."""
        written = sorted(name for name in self.touched if name.endswith(".py"))
        for check in (("check",), ("format", "--check")):
            self.python("-m", "ruff", *check, "--no-cache", *written)

    def cli(self, *arguments: str, exits: int = 0) -> str:
        return self.python("-m", "gpuinfra.cli", *arguments, exits=exits)

    def tests(self, *arguments: str) -> None:
        """Run tests on the copy; some have to be there."""
        self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)

    def python(self, *arguments: str, exits: int = 0) -> str:
        """Run the copy; return what it prints."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            cwd=self.root,
            env=environment | {"COLUMNS": "300", "GPUINFRA_CATALOG_HOME": str(self.root / "none")},
            check=False,
        )
        assert ran.returncode == exits, (ran.stdout, ran.stderr)
        return ran.stdout
