"""`gpuinfra engine`: show which Pulumi engine is used, or install one."""

import click

from gpuinfra.cli.lazy import FullHelpGroup
from gpuinfra.cli.source import format_options
from gpuinfra.cli.views.render import note, show_json, wrap_after
from gpuinfra.engine import install
from gpuinfra.engine.contract import Engine


@click.group("engine", cls=FullHelpGroup)
def command() -> None:
    """The Pulumi engine: found on PATH or in PULUMI_HOME, or installed once."""


@command.command("status")
@format_options
def status(format_: str) -> int:
    """Show the engine that would be used, without installing anything; exit 3 if there is none."""
    _show(install.find(), format_)
    return 0


@command.command("install")
@click.option("--yaml", is_flag=True, help="Also the language host for YAML programs.")
@format_options
def install_(format_: str, yaml: bool) -> int:
    """Find a fitting engine, or install one: official installer first, then a Go build."""
    engine = install.ensure(note)
    if yaml:
        from gpuinfra.engine.program_preview import yaml_host  # noqa: PLC0415  (few ask for it)

        note(f"the language host for YAML programs: {yaml_host.ensure(engine.path, note)}")
    _show(engine, format_)
    return 0


def _show(engine: Engine, format_: str) -> None:
    if format_ == "json":
        show_json(engine)
    else:
        click.echo(wrap_after("", f"Pulumi {engine.version} at {engine.path} ({engine.origin})"))
