"""The places that may already have an engine, in order of precedence."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from gpuinfra.engine.contract import Engine, EngineAttempt
from gpuinfra.engine.versions import UnsupportedVersionError, cache_folder, version_of

VARIABLE = "GPUINFRA_PULUMI"


def search_places() -> Iterator[EngineAttempt]:
    """Yield every place with its result; each is searched only when requested."""
    yield _attempt_by_variable()
    yield _find_on_path()
    yield _find_in_home()
    yield _find_in_cache()


def examine_executable(origin: str, path: Path) -> EngineAttempt:
    """Return an executable's result: an engine of a supported version, or why it is not one."""
    path = path.absolute()
    try:
        version = version_of(path)
    except UnsupportedVersionError as error:
        return EngineAttempt(description=origin, result=str(error))
    engine = Engine(path=path, version=version, origin=origin)
    return EngineAttempt(description=origin, result=f"{path} is version {version}", engine=engine)


def _attempt_by_variable() -> EngineAttempt:
    configured_path = os.environ.get(VARIABLE)
    if not configured_path:
        return EngineAttempt(description=VARIABLE, result="not set")
    attempt = examine_executable(VARIABLE, Path(configured_path).expanduser())
    if attempt.engine is None:
        return EngineAttempt(
            description=VARIABLE, result=attempt.result, fix=f"correct or unset {VARIABLE}"
        )
    return attempt


def _find_on_path() -> EngineAttempt:
    path = shutil.which("pulumi")
    if path is None:
        return EngineAttempt(description="PATH", result="no pulumi on PATH")
    return examine_executable("PATH", Path(path))


def _find_in_home() -> EngineAttempt:
    pulumi_home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    path = pulumi_home / "bin" / "pulumi"
    if not path.exists():
        return EngineAttempt(description="PULUMI_HOME", result=f"no {path}")
    return examine_executable("PULUMI_HOME", path)


def _find_in_cache() -> EngineAttempt:
    folder = cache_folder()
    paths = sorted(folder.glob("*/bin/pulumi"), key=_newest, reverse=True)
    results = []
    for path in paths:
        attempt = examine_executable("cache", path)
        if attempt.engine is not None:
            return attempt
        results.append(attempt.result)
    return EngineAttempt(description="cache", result="; ".join(results) or f"nothing in {folder}")


def _newest(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.parent.parent.name))
