"""The default owner of a stack: the git user, else the login name."""

import os
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gpuinfra.specs import values as v


def default_owner(folder: Path) -> tuple[str, str]:
    """Return the default owner of a stack, and its source.

    The git user's address or name comes first: the folder's own repository says it, or the one in
    which the command runs. The login name comes next; a container may have a user without a name.
    """
    return _git_user(folder) or _login_name() or (f"uid-{os.getuid()}", "the user's id")


def _login_name() -> tuple[str, str] | None:
    """Return the login name from the environment or system, and its source; None for none."""
    from getpass import getuser  # noqa: PLC0415  (most stack files name their owner)

    try:
        name = getuser()
    except (OSError, KeyError, ImportError):
        return None
    return (name, "the login name") if is_valid_for(v.Owner, name) else None


def _git_user(folder: Path) -> tuple[str, str] | None:
    """Return the git user's address or name, and the setting that has it; None for none."""
    for git_folder in (folder, Path.cwd()):
        for setting in ("user.email", "user.name"):
            setting_value = _git_setting(git_folder, setting)
            if setting_value and is_valid_for(v.Owner, setting_value):
                return setting_value, f"git config {setting}"
    return None


def _git_setting(folder: Path, setting: str) -> str:
    """Return a git setting in a folder; empty if git, the folder or the setting is missing."""
    import subprocess  # noqa: PLC0415  (most stack files name their owner)

    try:
        done = subprocess.run(  # noqa: S603  no shell, and no option comes from the file
            ["git", "config", "--get", setting],  # noqa: S607  the user's own git
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def is_valid_for(kind: Any, value: str) -> bool:
    """Return whether a value satisfies a type of the grammar."""
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True
