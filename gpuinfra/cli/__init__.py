"""The command line: thin commands over the packages below; each is imported when it runs."""

import atexit
import gc
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import click

from gpuinfra import __version__, logs
from gpuinfra.cli.hints import RunningCommand
from gpuinfra.cli.lazy import LazyGroup
from gpuinfra.cli.views.ascii_symbols import plain_signs
from gpuinfra.errors import PROGRAM, GpuinfraError, InputError, command_line, forget_names

COMMANDS = (
    ("init", "write a short stack file, or a commented one"),
    ("migrate", "bring a stack file to the newest version, with its comments"),
    ("schema", "print the JSON Schema of a kind of file, for editors"),
    ("check", "check a stack file, or any Pulumi preview, state or program, offline"),
    ("explain", "show a rule, its reason and an example"),
    ("plan", "show what a stack becomes: machines, rungs, fabric, storage"),
    ("cost", "quote a stack per hour, month and run, line by line"),
    ("report", "write one HTML page: verdict, money, ladders, machines, network"),
    ("lock", "freeze machines, prices and image ids in a lock file"),
    ("iam", "the least permissions that deploying a stack on AWS requires"),
    ("choose", "rank the machine types that fit a request, with the reasons why others don't"),
    ("catalog", "machine types, GPUs and prices, with dates and sources"),
    ("commitments", "what a commitment saves, when it pays off, and how large it should be"),
    ("preview", "show what `up` would change, checked by the policy packs"),
    ("up", "create or update the resources of the stack file"),
    ("status", "show the deployed resources, their cost per hour, rung and age"),
    ("refresh", "read the deployed resources again, and show changes made outside of Pulumi"),
    ("destroy", "delete all deployed resources"),
    ("policy", "policy packs to commit, for any Pulumi program"),
    ("engine", "find or install the Pulumi engine"),
    ("sandbox", "the local cloud: start, stop, look inside, inject faults"),
    ("doctor", "what is installed; with SOURCE, what the account allows"),
    ("completion", "print the script that completes commands and names in bash, zsh or fish"),
    ("quickstart", "a tour from check to destroy, in the sandbox"),
)
"""Every command with its line of help; the module of the same name has `command`."""

SECTIONS = {
    "init": "Write",
    "check": "Judge and price",
    "choose": "Choose and buy",
    "preview": "Build",
    "policy": "Tools",
}
"""The sections of the help by the first command of each."""

EXTRAS = {
    "pulumi": "engine",
    "pulumi_policy": "engine",
    "boto3": "aws",
    "botocore": "aws",
    "moto": "sandbox",
    "urllib3": "refresh",
    "statsmodels": "forecast",
    "jinja2": "report",
    "matplotlib": "report",
}
"""The extra that brings each package which the base install leaves out, a cloud's SDK apart."""

DEBUG = "--debug"

INTERRUPTED_EXIT_CODE = 130

PIPE_CLOSED = 141
"""Of a command whose output is no longer read: 128 and SIGPIPE, as a shell has it."""

_MAX_ERROR_LENGTH = 200
"""The maximum printed length of an unexpected error's message."""


@click.group(
    cls=LazyGroup,
    members=COMMANDS,
    sections=SECTIONS,
    module="gpuinfra.cli.commands.{}",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 passed, 1 violated, 2 bad input, 3 engine, cloud or gpuinfra failed,"
    " 130 Ctrl-C, 141 closed pipe.",
)
@click.version_option(__version__, message="gpuinfra %(version)s")
@click.option(DEBUG, is_flag=True, help="Log to standard error each file read and each decision.")
def cli(*, debug: bool) -> None:
    """GPU infrastructure from one stack file: planned, priced, judged and built."""
    if debug:
        logs.show()


def main() -> None:
    """Run the command line; report every error as a message and exit with its code."""
    _disable_pydantic_plugins()
    # A command is modules and plain values, which form few cycles and go with the process. To
    # look for cycles took a tenth of a cold `gpuinfra check`.
    gc.disable()
    plain_signs()
    _exit(run(sys.argv[1:]))


def _disable_pydantic_plugins() -> None:
    """Let pydantic look for no plugins, which our forms don't want.

    Even if the environment disables them, the module that looks for them imports all that reads
    installed distributions, which took a twentieth of a cold `gpuinfra check`. Another name than
    `get_plugins`, which another release of pydantic may want, is imported from pydantic's module.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    loader = ModuleType("pydantic.plugin._loader")

    def other(name: str) -> Any:
        if name == "__path__":  # which the import system looks for
            raise AttributeError(name)
        sys.modules.pop(loader.__name__, None)
        return getattr(import_module(loader.__name__), name)

    vars(loader).update(get_plugins=tuple, __getattr__=other)
    sys.modules[loader.__name__] = loader


def _exit(code: int) -> NoReturn:
    """Exit without freeing each object first, which took a twentieth of a cold `gpuinfra check`.

    Exit functions run first. Python exits as usual with other threads, under a profiler, and where
    the output can't be written.
    """
    if threading.active_count() == 1 and sys.getprofile() is None:
        atexit._run_exitfuncs()  # noqa: SLF001  (`os._exit` runs none)
        with suppress(OSError, ValueError):
            for stream in filter(None, (sys.stdout, sys.stderr)):  # None where it was closed
                stream.flush()
            os._exit(code)
    gc.freeze()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    running = RunningCommand(tuple(arguments))
    forget_names()
    is_plain_output = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    color = False if is_plain_output else None
    # What is said of an error belongs to the command: its colours, and whether it is JSON.
    with click.Context(cli, obj=running, color=color):
        return _run_safely(running, color)


def _with_debug_first(arguments: list[str]) -> list[str]:
    """Return the arguments with --debug, which may also follow the command, moved to the front."""
    own_arguments = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if DEBUG not in own_arguments:
        return arguments
    return [
        DEBUG,
        *(argument for argument in own_arguments if argument != DEBUG),
        *arguments[len(own_arguments) :],
    ]


def _as_options(arguments: list[str]) -> list[str]:
    """Return the arguments with a leading `help` or `version` replaced by the option."""
    if arguments[:1] == ["help"]:
        return [*arguments[1:], "--help"]
    return ["--version"] if arguments == ["version"] else arguments


def _run_safely(running: RunningCommand, color: bool | None) -> int:
    arguments = _with_debug_first(_as_options(list(running.arguments)))
    output, errors = sys.stdout, sys.stderr
    try:
        result = cli.main(
            args=arguments, prog_name=PROGRAM, standalone_mode=False, obj=running, color=color
        )
    except click.ClickException as error:
        from gpuinfra.cli.views.render import show_usage  # noqa: PLC0415

        return _show_error(partial(show_usage, error), error.exit_code)
    except (KeyboardInterrupt, click.Abort) as error:
        cause = error if isinstance(error, KeyboardInterrupt) else error.__cause__
        cause_arguments = cause.args if isinstance(cause, KeyboardInterrupt) else ()
        interruption_text = ": ".join(("interrupted", *map(str, cause_arguments)))
        click.echo(f"{_after_prompt(error)}{interruption_text}", err=True)
        return INTERRUPTED_EXIT_CODE
    except SystemExit:
        # When the reader of the output has gone, click wraps it and exits with 1.
        if sys.stdout is output:
            raise
        sys.stdout, sys.stderr = output, errors
        _close_output()
        return PIPE_CLOSED
    except OSError as error:
        click.echo(f"error: {error.strerror or error}: {error.filename or 'the output'}", err=True)
        return GpuinfraError.exit_code
    except Exception as error:  # noqa: BLE001  (every other one is a bug, and told as one)
        from gpuinfra.cli.views.render import show_error  # noqa: PLC0415

        reportable = _reportable_error(error, running, arguments)
        return _show_error(partial(show_error, reportable), reportable.exit_code)
    return result if isinstance(result, int) else 0


def _after_prompt(error: BaseException) -> str:
    """Return the end of the line of a question that was interrupted; click ends no other line."""
    interrupted_prompt = isinstance(error, click.Abort) and isinstance(
        error.__context__, KeyboardInterrupt
    )
    return "\n" if interrupted_prompt and error.__cause__ is None else ""


def _show_error(show: Callable[[], None], code: int) -> int:
    """Show an error, ignoring a closed output, and return its exit code."""
    try:
        show()
    except BrokenPipeError:
        _close_output()
    return code


def _close_output() -> None:
    """Redirect stdout to the null device after its reader went away (| head)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reportable_error(
    error: Exception, running: RunningCommand, arguments: list[str]
) -> GpuinfraError:
    """Return the error to report: a known error, a missing package, or a bug report."""
    if isinstance(error, GpuinfraError):
        return error
    missing = _missing_extra_error(error) if isinstance(error, ModuleNotFoundError) else None
    return missing or _bug(error, running, debug=DEBUG in arguments[:1])


def _bug(error: Exception, running: RunningCommand, *, debug: bool) -> GpuinfraError:
    """Return the error that reports a bug; with `debug`, print its traceback first."""
    import traceback  # noqa: PLC0415  (after a bug only)

    if debug:
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    at = f", {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    summary = " ".join(f"{type(error).__name__}: {error}".split())[:_MAX_ERROR_LENGTH]
    traceback_hint = "" if debug else f"; traceback: {command_line(DEBUG, *running.arguments)}"
    return GpuinfraError(f"this is a bug of gpuinfra {__version__}: {summary}{at}{traceback_hint}")


def _missing_extra_error(error: ModuleNotFoundError) -> InputError | None:
    """Return the error that names the extra to install for a package; None if no extra has it."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(package) or _cloud_of_sdk(package)
    if extra is None:
        return None
    message = f"the Python package {package} is not installed"
    fix = f"install gpuinfra with the extra {extra!r} or 'all': gpuinfra[{extra}]"
    return InputError.of(message, fix=fix)


def _cloud_of_sdk(package: str) -> str | None:
    """Return the cloud of a Pulumi SDK, which is also the name of its extra; None for others."""
    from gpuinfra.clouds import PACKAGES, SDKS  # noqa: PLC0415  after a failure only

    clouds = {SDKS[provider]: cloud for cloud, provider in PACKAGES.items()}
    return clouds.get(package)
