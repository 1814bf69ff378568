"""`gpuinfra schema`: the JSON Schema of each file that gpuinfra reads."""

from typing import TYPE_CHECKING, Any

import click

from gpuinfra.cli.views.render import show_json

if TYPE_CHECKING:
    from gpuinfra.specs.forms import Form

KINDS = ("stack", "settings", "waivers", "prices", "purchase", "lock")


@click.command("schema")
@click.argument("kind", type=click.Choice(KINDS), default="stack")
def command(kind: str) -> None:
    """Print the JSON Schema of a kind of file; point your editor's YAML plugin at it.

    gpuinfra schema > gpuinfra.schema.json is that of a stack file. settings: what check --settings
    reads; waivers: gpuinfra.waivers.yaml; prices: prices.yaml; purchase: what cost --against
    reads; lock: gpuinfra.lock, which only gpuinfra writes.
    """
    show_json(_lock() if kind == "lock" else _form_schema(kind))


def _form_schema(kind: str) -> dict[str, Any]:
    """Return the schema of a kind of file that users write."""
    from gpuinfra.price_overrides.rent_or_buy import Purchase  # noqa: PLC0415
    from gpuinfra.price_overrides.schema import PriceFile  # noqa: PLC0415
    from gpuinfra.pulumi_files.settings_file import Settings  # noqa: PLC0415  (only what is asked for)
    from gpuinfra.pulumi_files.waivers import WaiverFile  # noqa: PLC0415
    from gpuinfra.specs import Stack  # noqa: PLC0415
    from gpuinfra.stackfile.json_schema import schema  # noqa: PLC0415

    roots: dict[str, type[Form]] = {
        "stack": Stack,
        "settings": Settings,
        "waivers": WaiverFile,
        "prices": PriceFile,
        "purchase": Purchase,
    }
    return schema(roots[kind], f"gpuinfra {kind} file")


def _lock() -> dict[str, Any]:
    from gpuinfra.lock.text import lock_adapter  # noqa: PLC0415
    from gpuinfra.stackfile.json_schema import DIALECT  # noqa: PLC0415

    return {"$schema": DIALECT, **lock_adapter().json_schema(), "title": "gpuinfra lock"}
