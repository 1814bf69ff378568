"""What every test stands on: nothing of the user's is read or written, loops do not leak."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from gpuinfra.engine import install
from gpuinfra.engine.contract import Engine, RunRequest, Target
from gpuinfra.errors import EngineError

# Two busy cores make any deadline a matter of luck; a hang is pytest-timeout's to end.
hypothesis.settings.register_profile("gpuinfra", deadline=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=20)

HOSTS = Path(__file__).parent / "hosts"
FOREIGN = (
    *("AWS_", "PULUMI_", "GPUINFRA_", "XDG_", "BOTO_", "MOTO_"),
    *("GOOGLE_", "GCLOUD_", "CLOUDSDK_", "ARM_"),
)
"""Variables by their beginning that would let the user's own settings into a test."""

KEPT = frozenset({"GPUINFRA_GOLDEN"})


SLOW = (
    # Whole programs are registered, servers and processes started.
    *("components", "provider", "sandbox", "site", "cli/pages", "clouds/refreshing"),
    *("clouds/aws/agent", "clouds/aws/account", "clouds/aws/startup"),
    *("architecture/test_laziness.py", "pulumi_files/test_light.py", "lock/test_sameness.py"),
    *("cli/test_closed_pipe.py", "cli/test_pull_request.py", "report/test_ci.py"),
    *("clouds/aws/functions/test_stop.py", "clouds/test_deletion_order.py"),
    "crossguard/test_caps_in_an_update.py",
    # Start-up scripts are run by a shell.
    *("clouds/test_startup_scripts.py", "clouds/aws/test_userdata.py"),
    *("clouds/azure/test_userdata.py", "clouds/gcp/test_userdata.py"),
    # All that SDKs, moto and botocore hold is read.
    *("clouds/test_says_who.py", "clouds/aws/test_drift.py", "clouds/aws/test_interfaces.py"),
    *("clouds/aws/test_managed_policies.py", "clouds/aws/test_may_start.py"),
    "clouds/aws/test_unread_inputs.py",
    # Stack files are checked, changed and checked again; models are fitted; pages are written.
    *("fixes/test_any_stack.py", "fixes/test_fix_command.py", "fixes/test_search.py"),
    *("fixes/test_fix_of_programs.py", "fixes/test_partial_fixes.py"),
    *("fixes/test_stack_file_fixes.py", "fixes/test_caps_of_machines.py"),
    *("fixes/test_longer_runs.py", "fixes/test_longest_end.py"),
    *("rules/test_run_time_limit.py", "rules/test_fixes_in_stack_files.py"),
    *("lock/test_lock_checks.py", "lock/test_lock_differences.py", "lock/test_locked_plan.py"),
    *("cli/test_lock.py", "cli/test_write_waivers.py", "cli/test_ways_out.py"),
    *("cli/test_near_words.py", "cli/test_init_ci.py", "cli/test_init_disk.py"),
    *("cli/test_init.py", "cli/test_init_place.py", "cli/test_init_cheapest.py"),
    *("cli/test_init_defaults.py", "cli/test_init_refusals.py", "cli/test_schema.py"),
    "cli/test_declared_facts.py",
    *("cli/test_check_output.py", "cli/test_outputs.py", "cli/test_commitments.py"),
    *("cli/test_width.py", "cli/test_check_pulumi_file.py", "cli/test_compare.py"),
    *("cli/test_init_questions.py", "cli/test_lock_images.py"),
    *("forecast", "report/html", "report/test_many.py"),
    # Hundreds of drawn or listed cases, each a whole program.
    *("planning/test_brute_force.py", "price_overrides/test_fuzz.py"),
    *("pulumi_files/test_hostile.py", "pulumi_files/test_hostile_sources.py"),
    *("clouds/azure/observe/test_unknowns.py", "clouds/gcp/observe/test_unknowns.py"),
)
"""Folders and modules that `make quick` leaves out."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing of what is left out whole: it loads the clouds' SDKs."""
    left_out = [*SLOW] if "not slow" in config.option.markexpr else []
    left_out += ["e2e"] if "not e2e" in config.option.markexpr else []
    place = collection_path.relative_to(Path(__file__).parent).as_posix()
    return place in left_out or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in a slow place; tests of the engine come first, and ask for it."""
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        if isinstance(item, pytest.Function) and item.get_closest_marker("e2e"):
            item.fixturenames.insert(0, "engine")
    items.sort(key=lambda item: item.get_closest_marker("e2e") is None)


def pytest_configure(config: pytest.Config) -> None:
    """Let the AWS SDK's own import warnings pass: as errors they leave half a module behind.

    `make quick` draws fewer examples: `make test` draws the others.
    """
    config.addinivalue_line("filterwarnings", "ignore::DeprecationWarning:pulumi_.*")
    is_quick = "not slow" in config.option.markexpr
    hypothesis.settings.load_profile("quick" if is_quick else "gpuinfra")
    gc.disable()  # what is collected stays: to look through it again and again takes a fifth


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests make alone, and seldom.

    A test that imports an SDK adds a hundred thousand objects that stay: to look through them as
    often as Python does by itself takes a third of the components' tests.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def found_engine() -> Engine | EngineError:
    """The user's engine, looked for before anything is isolated."""
    try:
        return install.find()
    except EngineError as error:
        return error


@pytest.fixture(scope="session", autouse=True)
def isolated(
    found_engine: Engine | EngineError, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A home of the session's own; gives its folder."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN) and name not in KEPT]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("PULUMI_HOME", str(home / ".pulumi"))
        patch.setenv("PULUMI_SKIP_UPDATE_CHECK", "true")
        patch.setenv("PULUMI_CONFIG_PASSPHRASE", "")
        # Shipped tables only: a test that wants refreshed rows points elsewhere.
        patch.setenv("GPUINFRA_CATALOG_HOME", str(home / "catalog"))
        # The engine's processes are short: they need not look for garbage as often as Go does.
        patch.setenv("GOGC", "400")
        # The tests' output must not depend on the terminal or the job that runs them.
        patch.delenv("COLUMNS", raising=False)
        patch.delenv("CI", raising=False)
        # botocore would ask the machine's metadata service for credentials.
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        if isinstance(found_engine, Engine):
            patch.setenv("GPUINFRA_PULUMI", str(found_engine.path))
        yield home


@pytest.fixture(scope="session")
def engine(found_engine: Engine | EngineError) -> Engine:
    """The Pulumi engine; without one an end-to-end test fails rather than passing unseen."""
    if isinstance(found_engine, EngineError):
        pytest.fail(f"this test needs the Pulumi engine (make engine): {found_engine}")
    return found_engine


@pytest.fixture(scope="session")
def pulumi_home(isolated: Path) -> Path:
    """The session's own PULUMI_HOME."""
    return isolated / ".pulumi"


@pytest.fixture(autouse=True)
def _own_loop_and_interrupt() -> Iterator[None]:
    """Give each test an event loop and Ctrl-C of its own.

    Pulumi's mocks run on the thread's loop; one that leaks makes the next test hang. A shell
    starts what it runs in the background with Ctrl-C ignored; tests send one.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def sandbox_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A sandbox of the test's own; its server is stopped at the end."""
    yield from _sandbox(tmp_path / "sandbox", monkeypatch)


@pytest.fixture(scope="module")
def module_sandbox_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A sandbox that the tests of one module share; its server is stopped at the end."""
    with pytest.MonkeyPatch.context() as patch:
        yield from _sandbox(tmp_path_factory.mktemp("sandbox"), patch)


def _sandbox(home: Path, patch: pytest.MonkeyPatch) -> Iterator[Path]:
    from gpuinfra import sandbox

    patch.setenv("GPUINFRA_SANDBOX_HOME", str(home))
    yield home
    sandbox.stop()


@pytest.fixture(scope="session")
def language_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH that holds a Python language host (tests/hosts, never shipped)."""
    folder = tmp_path_factory.mktemp("hosts")
    script = folder / "pulumi-language-python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HOSTS}/language_python.py" "$@"\n')
    script.chmod(0o755)
    return folder


@dataclass(frozen=True)
class Pulumi:
    """Plain `pulumi`, as a user types it, in one folder on one file backend."""

    engine: Engine
    folder: Path
    environment: Mapping[str, str]

    def __call__(
        self, *arguments: str, check: bool = True, timeout: float = 300
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self.engine.path), "--non-interactive", *arguments],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if check and done.returncode:
            pytest.fail(f"pulumi {' '.join(arguments)}:\n{done.stdout}\n{done.stderr}")
        return done


@pytest.fixture
def plain_pulumi(
    engine: Engine, language_host: Path, tmp_path: Path
) -> Callable[[Path, Mapping[str, str]], Pulumi]:
    """Gives plain `pulumi` for a folder: plain_pulumi(folder, environment).

    The environment is that of `gpuinfra sandbox env`, or empty: then a backend of the test's own
    is used. The language host comes last on PATH.
    """

    def in_folder(folder: Path, environment: Mapping[str, str] | None = None) -> Pulumi:
        backend = tmp_path / "backend"
        backend.mkdir(exist_ok=True)
        given = {"PULUMI_BACKEND_URL": f"file://{backend}", **(environment or {})}
        path = given.get("PATH", os.environ["PATH"])
        return Pulumi(
            engine, folder, {**given, "PATH": os.pathsep.join([path, str(language_host)])}
        )

    return in_folder


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """A sandbox target without plugins: a file backend of the test's own."""
    backend = tmp_path / "backend"
    backend.mkdir()
    return Target(name="sandbox", environment={"PULUMI_BACKEND_URL": f"file://{backend}"})


@pytest.fixture
def request_for(target: Target) -> Callable[..., RunRequest]:
    """Makes a request for a program on that target."""

    def make(program: Callable[[], None], **more: object) -> RunRequest:
        return RunRequest(**{"project": "demo", "program": program, "target": target, **more})

    return make
