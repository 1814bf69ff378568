"""`gpuinfra schema`: the JSON Schema of the files that a user writes."""

import click

from gpuinfra.cli.render import show_json


@click.command("schema")
@click.argument("file", type=click.Choice(["stack", "prices", "purchase"]), default="stack")
def command(file: str) -> None:
    """Print the JSON Schema of a stack file; point your editor's YAML plugin at it.

    gpuinfra schema > gpuinfra.schema.json; or of FILE: prices for a prices.yaml, purchase for
    what cost --against reads.
    """
    from gpuinfra.stackfile.json_schema import schema  # noqa: PLC0415

    if file == "stack":
        show_json(schema())
        return
    from gpuinfra.own.purchase import Purchase  # noqa: PLC0415
    from gpuinfra.own.schema import PriceFile  # noqa: PLC0415

    root = PriceFile if file == "prices" else Purchase
    show_json(schema(root, f"gpuinfra {file}.yaml"))
