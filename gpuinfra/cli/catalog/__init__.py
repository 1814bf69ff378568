"""`gpuinfra catalog`: what is known of machines, GPUs and prices, since when, and from whom."""

import click

from gpuinfra.cli.lazy import Lazy

MEMBERS = (
    ("show", "all that is known of a machine type or a GPU; --why says which rows count"),
    ("ls", "the machine types with their GPUs and the cheapest known price"),
    ("age", "how old what is: per cloud, table and mode"),
    ("claims", "what the buying guides say, held against the catalog"),
    ("score", "the providers as the guides weigh them; the unknown makes a range"),
    ("refresh", "fetch a cloud's prices anew from its official interface"),
)
"""Every command of the group with its line of help."""


@click.group("catalog", cls=Lazy, members=MEMBERS, module="gpuinfra.cli.catalog.{}")
def command() -> None:
    """Machines, GPUs and prices: each fact with its source and its date."""
    from gpuinfra.cli.refreshed import tell  # noqa: PLC0415  (the commands' names need no tables)

    tell()
