"""The command line: thin commands over the rooms below, each loaded when it is called."""

import importlib
import os
import sys

import click

from gpuinfra.errors import GpuinfraError, nearest

COMMANDS = (
    ("init", "write a commented starter stack file"),
    ("check", "judge a stack file: budget, spot, fabric, security; offline"),
    ("plan", "show the machines, where they stand and what joins them"),
    ("cost", "quote a stack per hour, month and run, line by line"),
    ("choose", "rank the machines that fit a request, and say why others lose"),
    ("schema", "print the stack file's JSON Schema for editors"),
    ("preview", "show what an up would change, judged by the policy packs"),
    ("up", "create or change what the stack file says"),
    ("status", "show what stands, at what rate, on which rung, since when"),
    ("refresh", "read what stands anew, and show what changed behind Pulumi's back"),
    ("destroy", "delete all that stands"),
    ("engine", "find or install the Pulumi engine"),
    ("sandbox", "the local cloud: start, stop, look inside, inject faults"),
    ("doctor", "what is installed, found and missing, and the way out of each"),
    ("quickstart", "the main job from check to destroy, in the sandbox"),
)
"""Every command with its line of help; the module of the same name has `command`."""

INTERRUPTED = 130


class Lazy(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order a newcomer meets them."""
        return [name for name, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command itself; None lets click say what is there."""
        if cmd_name not in dict(COMMANDS):
            return None
        module = importlib.import_module(f"gpuinfra.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, with "did you mean" for a misspelt one."""
        if args and args[0] not in dict(COMMANDS) and not args[0].startswith("-"):
            near = nearest(args[0], dict(COMMANDS))
            hint = f" Did you mean {near!r}?" if near else ""
            ctx.fail(f"no such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS))


@click.group(
    cls=Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine, 1 violated, 2 bad input, 3 engine or cloud failed, 130 Ctrl-C.",
)
@click.version_option(package_name="gpuinfra", message="gpuinfra %(version)s")
def cli() -> None:
    """GPU infrastructure from one stack file: planned, priced, judged and built."""


def main() -> None:
    """Run the command line; every error ends as a message and the design's exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        result = cli.main(args=arguments, prog_name="gpuinfra", standalone_mode=False)
    except GpuinfraError as error:
        from gpuinfra.cli.render import show_error  # noqa: PLC0415

        show_error(error)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (| head); say nothing, and keep Python from trying.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        click.echo(f"error: {error.strerror or error}: {error.filename or 'the output'}", err=True)
        return GpuinfraError.exit_code
    return result if isinstance(result, int) else 0
