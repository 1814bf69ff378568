import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuinfra.cli import run
from tests.cli.hints import hints_in, takes
from tests.money_forms import other_forms

STACKS = Path(__file__).parents[2] / "stacks"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def gpuinfra(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs one command in this process and gives what it printed."""

    def call(*arguments: object) -> Ran:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        document = captured.out.startswith(("{", "[", "<", "::", "#"))
        for hint in hints_in(captured.err if document else captured.out + captured.err):
            takes(hint)
        assert other_forms(captured.out + captured.err) == []
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickstart without a time limit: so it has a warning, and a month counts 730 hours."""
    folder = shutil.copytree(STACKS, tmp_path_factory.mktemp("shipped") / "stacks") / "quickstart"
    file = folder / "stack.yaml"
    lines = file.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.lstrip().startswith("time_to_live: ")]
    assert len(kept) == len(lines) - 1
    file.write_text("".join(kept))
    return folder


@pytest.fixture
def stack(tmp_path: Path, quickstart: Path) -> Callable[..., Path]:
    """Writes the quickstart's stack file with some of its text replaced."""

    def write(*replaced: tuple[str, str]) -> Path:
        text = (quickstart / "stack.yaml").read_text()
        for old, new in replaced:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / "stack.yaml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def locked(gpuinfra: Run, stack: Callable[..., Path]) -> Path:
    """The quickstart's stack file with its lock."""
    path = stack()
    assert gpuinfra("lock", path).code == 0
    return path


BUCKET = """
import pulumi
class Raw(pulumi.CustomResource):
    def __init__(self, type_, name, **props):
        super().__init__(type_, name, {**props, "arn": None})
Raw("aws:s3/bucket:Bucket", "data")
Raw("aws:sagemaker/domain:Domain", "new", domainName="d")
"""


@pytest.fixture
def town(tmp_path: Path) -> Callable[..., Path]:
    """Writes a program: town(code, **files); gives its folder."""

    def write(
        code: str = BUCKET, project: str = "name: town\nruntime: python\n", **files: str
    ) -> Path:
        folder = tmp_path / "town"
        folder.mkdir(exist_ok=True)
        for name, text in {"Pulumi.yaml": project, "__main__.py": code, **files}.items():
            (folder / name).write_text(text)
        return folder

    return write


WRITTEN_REGION = re.compile(r"^where: \{regions: \[(\S+)\]\}$", re.MULTILINE)


def written_region(folder: Path) -> str:
    """The one region that a stack file of `init` names."""
    found = WRITTEN_REGION.search((folder / "stack.yaml").read_text("utf-8"))
    assert found
    return found[1]
