"""Files and folders of a git revision, written to a temporary folder."""

import io
import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from gpuinfra import lock, price_overrides
from gpuinfra.errors import InputError, Position, Problem, printable
from gpuinfra.similar_words import nearest

COMPANION_FILES: Final = (price_overrides.FILE_NAME, lock.FILE_NAME)
"""The names of the files next to a stack file that `gpuinfra.source` also reads."""


class NotInRevisionError(InputError):
    """The error for a file or folder that does not exist at the revision."""


@contextmanager
def checked_out(path: Path, revision: str) -> Generator[Path]:
    """Write a revision's stack file to a temporary folder; its problems name the revision.

    Raises:
        InputError: there is no git, no repository, no such revision, or the file is not there.
    """
    folder, name = path.parent, path.name
    commit = _commit(folder, revision)
    content = _file_at_commit(folder, commit, name)
    if content is None:
        raise NotInRevisionError.of(
            f"{path} does not exist at that revision",
            value=revision,
            fix=f"git log --oneline -- {path} lists the revisions that have it",
        )
    with TemporaryDirectory(prefix="gpuinfra-") as temporary_folder:
        # a stack is named after its folder
        checkout_folder = Path(temporary_folder, folder.resolve().name)
        checkout_folder.mkdir(exist_ok=True)
        (checkout_folder / name).write_bytes(content)
        for other in COMPANION_FILES:
            other_file = _file_at_commit(folder, commit, other)
            if other_file is not None:
                (checkout_folder / other).write_bytes(other_file)
        try:
            yield checkout_folder / name
        except InputError as error:
            raise InputError(_problems_in_revision(error, checkout_folder, revision)) from error


@contextmanager
def folder_at(folder: Path, revision: str) -> Generator[Path]:
    """Write a revision's folder to a temporary folder, without untracked files.

    Raises:
        InputError: there is no git, no repository, no such revision, or nothing was there.
    """
    import tarfile  # noqa: PLC0415  (only for the base of a program)

    commit = _commit(folder, revision)
    packed = _git(folder, "archive", "--format=tar", commit, ".")
    if packed is None:
        raise NotInRevisionError.of(f"{folder} does not exist at that revision", value=revision)
    with TemporaryDirectory(prefix="gpuinfra-") as temporary_folder:
        checkout_folder = Path(temporary_folder, folder.resolve().name)
        try:
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(checkout_folder, filter="data")  # nothing outside of the folder
        except tarfile.TarError as error:
            raise InputError.of(
                f"{folder} can't be taken from that revision: {printable(str(error))}",
                value=revision,
                fix="check it out yourself: git worktree add ../base REV, then --base ../base",
            ) from None
        try:
            yield checkout_folder
        except InputError as error:
            raise InputError(_problems_in_revision(error, checkout_folder, revision)) from error


def _commit(folder: Path, revision: str) -> str:
    """Return the commit of a revision; a leading hyphen never becomes a git option."""
    in_work_tree = _git(folder, "rev-parse", "--is-inside-work-tree")
    if in_work_tree is None or in_work_tree.strip() != b"true":
        raise InputError.of(
            "revisions can only be compared in a git work tree",
            value=str(folder),
            fix="run it where the file is under git, or use another file",
        )
    commit = _git(
        folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if not commit:
        raise InputError([_unknown(folder, revision)])
    return commit.decode("ascii").strip()


def _unknown(folder: Path, revision: str) -> Problem:
    """Return the problem of an unknown revision, with the existing branches and tags."""
    if _git(folder, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return Problem(
            message="the repository has no commit to compare with",
            value=revision,
            fix="commit the file first: git add, then git commit",
        )
    ref_names = _git(folder, "for-each-ref", "--format=%(refname:short)") or b""
    names = ref_names.decode("utf-8", "replace").split()
    names_text = "".join(f", {name}" for name in names[:MOST_NAMES])
    return Problem(
        message="unknown git revision",
        value=revision,
        allowed=f"a commit, branch or tag, for example HEAD, HEAD~1{printable(names_text)}",
        suggestion=printable(nearest(revision, names)),
    )


MOST_NAMES: Final = 4
"""The maximum number of branches and tags listed."""


def _file_at_commit(folder: Path, commit: str, name: str) -> bytes | None:
    """Return a file's content at a commit; None if it did not exist or is not a file."""
    return _git(folder, "cat-file", "blob", f"{commit}:./{name}")


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Return git's output; None if it fails."""
    try:
        done = subprocess.run(  # noqa: S603  no shell; revisions are never options
            ["git", *arguments],  # noqa: S607  the user's own git, wherever it is
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise InputError.of(
            "git is not installed, so revisions can't be read",
            fix="install git, or use another file: cost --compare, or check --base",
        ) from error
    return done.stdout if done.returncode == 0 else None


def _problems_in_revision(error: InputError, folder: Path, revision: str) -> list[Problem]:
    """Return the problems with their positions in the revision instead of the temporary folder."""
    return [
        problem
        if problem.position is None
        else replace(problem, position=_position_in_revision(problem.position, folder, revision))
        for problem in error.problems
    ]


def _position_in_revision(position: Position, folder: Path, revision: str) -> Position:
    path = Path(position.file)
    name = path.relative_to(folder) if path.is_relative_to(folder) else path
    return replace(position, file=f"{revision}:{name}")
