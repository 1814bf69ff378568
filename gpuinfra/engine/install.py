"""Search for and installation of the Pulumi CLI; concurrent processes share one install."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from gpuinfra import file_locks, logs
from gpuinfra.engine import go_build, official_installer
from gpuinfra.engine.contract import Engine, EngineAttempt, EngineStatus
from gpuinfra.engine.engine_locations import VARIABLE, search_places
from gpuinfra.engine.versions import FITTING, cache_folder
from gpuinfra.errors import EngineError

Say = Callable[[str], None]


def find() -> Engine:
    """Return the first Pulumi CLI of a supported version, without installing one.

    Looks at GPUINFRA_PULUMI, PATH, PULUMI_HOME/bin (~/.pulumi/bin) and our own cache.

    Raises:
        EngineError: there is none; names each place and why what is there does not fit.
    """
    tried_paths = []
    for attempt in search_places():
        if attempt.engine is not None:
            engine = attempt.engine
            logs.debug("Pulumi engine %s from %s: %s", engine.version, engine.origin, engine.path)
            return attempt.engine
        tried_paths.append(attempt)
    raise EngineError(
        f"no Pulumi engine that fits ({FITTING}) was found:\n{_attempts_text(tried_paths)}",
        fix="run `gpuinfra engine install`",
    )


def status() -> EngineStatus:
    """Return every place searched; the first engine of a supported version is in use."""
    search_path = tuple(search_places())
    return EngineStatus(
        engine=next((place.engine for place in search_path if place.engine is not None), None),
        attempts=search_path,
    )


def ensure(progress: Say | None = None) -> Engine:
    """Return the engine that `find` gives, installed first if there is none.

    Tries the official installer, then a build with Go, into the user's cache. Two runs that race
    make one installation: the second waits.

    Args:
        progress: called with progress messages.

    Raises:
        EngineError: nothing worked; names each way tried, why it failed and the fix.
    """
    show_progress = progress or (lambda _: None)
    engines = status()
    if engines.engine is not None:
        return engines.engine
    for attempt in engines.attempts:
        if attempt.fix:
            show_progress(f"{attempt.description} is not used: {attempt.result}")
    folder = cache_folder()
    try:
        with cache_lock(folder, show_progress):
            return _install_once(folder, show_progress)
    except OSError as error:
        raise EngineError(
            f"the engine cannot be installed into {folder}: {error.strerror or error}",
            fix="make that folder writable, set XDG_CACHE_HOME to another, or set "
            f"{VARIABLE} to a Pulumi CLI",
        ) from error


def _install_once(folder: Path, show_progress: Say) -> Engine:
    """Install an engine unless another run just did; the caller holds the lock."""
    engines = status()
    if engines.engine is not None:
        return engines.engine
    attempts = list(engines.attempts)
    show_progress("no suitable Pulumi engine was found; trying the official installer")
    installers: tuple[Callable[[], EngineAttempt | None], ...] = (
        lambda: official_installer.install(folder),
        lambda: go_build.install(folder, show_progress),
    )
    for installer in installers:
        failed = installer()
        if failed is None:
            return _newly_installed(attempts)
        attempts.append(failed)
        show_progress(f"{failed.description} failed: {failed.result}")
    raise _no_engine_error(attempts)


def _newly_installed(attempts: Sequence[EngineAttempt]) -> Engine:
    """Return the engine just installed, after the same checks as any other."""
    engines = status()
    if engines.engine is None:
        raise _no_engine_error(
            [
                *attempts,
                *(
                    engine_place
                    for engine_place in engines.attempts
                    if engine_place.description == "cache"
                ),
            ]
        )
    return engines.engine


def _no_engine_error(attempts: Sequence[EngineAttempt]) -> EngineError:
    return EngineError(
        f"no Pulumi engine that fits ({FITTING}) was found or could be installed:\n"
        f"{_attempts_text(attempts)}",
        fix=f"one of these is enough; or install Pulumi by hand and name it in {VARIABLE}",
    )


def _attempts_text(attempts: Sequence[EngineAttempt]) -> str:
    return "\n".join(
        f"  {attempt.description}: {attempt.result}"
        + (f"\n    fix: {attempt.fix}" if attempt.fix else "")
        for attempt in attempts
    )


def cache_lock(folder: Path, show_progress: Say) -> AbstractContextManager[None]:
    """Lock the cache for an installation, waiting for another one to end."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting = "another run is installing the Pulumi engine; waiting for it"
    return file_locks.hold_lock(folder / ".lock", lambda: show_progress(waiting))
