"""The checkout that contains a source, and paths relative to its root."""

import os
from pathlib import Path
from typing import Final

from gpuinfra.stackfile.file_names import FILE_NAME

CHECKOUTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables that name the checkout, of GitHub's and of GitLab's runners."""


def checkout(source: Path) -> Path:
    """Return the CI checkout of a source, else its git repository, else the current folder."""
    source_path = Path(os.path.realpath(source))
    folders = (Path(os.environ[name]) for name in CHECKOUTS if os.environ.get(name))
    for folder in folders:
        if source_path.is_relative_to(os.path.realpath(folder)):
            return folder
    holders = (
        folder for folder in (source_path, *source_path.parents) if (folder / ".git").exists()
    )
    return next(holders, Path.cwd())


def source_name(source: Path, root: Path) -> str:
    """Return a source's path from the checkout's root, of a stack file that of its folder.

    It is the same whether the source can be read or not, and differs from those of the checkout's
    other sources. At the root it is the name of that folder.
    """
    place = Path(os.path.realpath(source))
    place = place.parent if place.name == FILE_NAME else place
    path = relative(place, root)
    return place.name if path is None or path == "." else path


def relative(file: Path | str, root: Path) -> str | None:
    """Return a file's path from the checkout's root, with slashes; None if it is outside."""
    path = Path(os.path.realpath(file))
    top = Path(os.path.realpath(root))
    return path.relative_to(top).as_posix() if path.is_relative_to(top) else None
