"""A program's folder as it was at a git revision."""

import subprocess
from pathlib import Path

import pytest

from gpuinfra.cli.revision import NotInRevisionError, folder_at
from gpuinfra.errors import InputError


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that was not there, then came, then grew."""
    git(tmp_path, "init", "--quiet")
    inner = tmp_path / "program"
    for tag in ("none", "first", "second"):
        if tag != "none":
            (inner / "lib").mkdir(parents=True, exist_ok=True)
            (inner / "lib" / "a.py").write_text(tag)
        (tmp_path / "other").write_text(tag)
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "-m", tag)
        git(tmp_path, "tag", tag)
    (inner / "untracked").write_text("x")
    return inner


def test_all_that_git_keeps_of_it_is_there_for_a_while(folder: Path) -> None:
    with folder_at(folder, "first") as there:
        assert there.name == "program"
        assert [path.relative_to(there).as_posix() for path in sorted(there.rglob("*"))] == [
            "lib",
            "lib/a.py",
        ]
        assert (there / "lib" / "a.py").read_text() == "first"
    assert not there.exists()
    assert (folder / "lib" / "a.py").read_text() == "second"


def test_a_folder_that_was_not_there_is_told_apart(folder: Path) -> None:
    with pytest.raises(NotInRevisionError), folder_at(folder, "none"):
        pass


@pytest.mark.parametrize("revision", ["nowhere", "--all", "HEAD:other"])
def test_what_is_no_revision_is_bad_input(folder: Path, revision: str) -> None:
    with pytest.raises(InputError, match="unknown git revision"), folder_at(folder, revision):
        pass


def test_nothing_is_written_outside_of_it(folder: Path) -> None:
    (folder / "link").symlink_to("/etc")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "a link")

    told = pytest.raises(InputError, match="can't be taken from that revision")
    with told, folder_at(folder, "HEAD"):
        pass
