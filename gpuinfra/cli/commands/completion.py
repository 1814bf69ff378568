"""`gpuinfra completion`: the shell script that completes commands, options and names."""

import click

from gpuinfra.errors import PROGRAM

VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"
"""The environment variable for completions: click derives it from the program's name."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion of SHELL.

    \b
    bash, in ~/.bashrc:  eval "$(gpuinfra completion bash)"
    zsh, in ~/.zshrc:    eval "$(gpuinfra completion zsh)"
    fish:                gpuinfra completion fish > ~/.config/fish/completions/gpuinfra.fish
    """  # noqa: D301  (click looks for the character itself)
    from click.shell_completion import get_completion_class  # noqa: PLC0415  (only here)

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(completion(ctx.find_root().command, {}, PROGRAM, VARIABLE).source())
