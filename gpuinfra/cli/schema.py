"""`gpuinfra schema`: the stack file's JSON Schema."""

import click

from gpuinfra.cli.render import show_json


@click.command("schema")
def command() -> None:
    """Print the stack file's JSON Schema; point your editor's YAML plugin at it.

    gpuinfra schema > gpuinfra.schema.json
    """
    from gpuinfra.stackfile.json_schema import schema  # noqa: PLC0415

    show_json(schema())
