"""Pulumi's settings of a stack: read from the user's folder, written for a run, saved."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from gpuinfra.engine.contract import RunRequest
from gpuinfra.errors import EngineError


def settings_file(folder: Path, target: str) -> Path:
    """Return the file in which Pulumi keeps a stack's configuration."""
    return folder / f"Pulumi.{target}.yaml"


def lay_out(request: RunRequest, work: Path) -> None:
    """Write the settings of this run: the user's, overridden by the request's.

    The whole file is taken over, so that secrets keep the salt they were encrypted with.
    """
    saved_settings = (
        _read_file(settings_file(request.work_dir, request.target.name))
        if request.work_dir
        else {}
    )
    saved_settings["config"] = {**(saved_settings.get("config") or {}), **request.config}
    with settings_file(work, request.target.name).open("w", encoding="utf-8") as file:
        _yaml().dump(saved_settings, file)


def save_settings(request: RunRequest) -> None:
    """Save the request's configuration in the user's folder, so that git shows the change."""
    if request.work_dir is None or not request.config:
        return
    path = settings_file(request.work_dir, request.target.name)
    saved_settings = _read_file(path)
    config = saved_settings.get("config")
    if not isinstance(config, dict):
        config = saved_settings["config"] = {}
    if all(config.get(key) == value for key, value in request.config.items()):
        return
    config.update(request.config)
    with path.open("w", encoding="utf-8") as file:
        _yaml().dump(saved_settings, file)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        settings = _yaml().load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (YAMLError, UnicodeDecodeError, OSError) as error:
        raise EngineError(
            f"{path} cannot be read: {_error_text(error)}", fix="correct the file or delete it"
        ) from error
    if settings is None:
        return {}
    if not isinstance(settings, dict) or not isinstance(settings.get("config") or {}, dict):
        raise EngineError(
            f"{path} has no Pulumi stack settings",
            why="a mapping with the key `config` is expected",
            fix="correct the file or delete it",
        )
    return settings


def _error_text(error: Exception) -> str:
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        return f"{error.problem} in line {error.problem_mark.line + 1}"
    return str(error)


def _yaml() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    return yaml
