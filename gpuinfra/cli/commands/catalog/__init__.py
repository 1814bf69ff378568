"""`gpuinfra catalog`: the known machines, GPUs and prices, with their dates and sources."""

import click

from gpuinfra.cli.lazy import LazyGroup

MEMBERS = (
    ("show", "all facts about a machine type or a GPU; --why shows which rows count"),
    ("ls", "the machine types with their GPUs and the cheapest known price"),
    ("regions", "the regions of each cloud, by continent"),
    ("age", "the age of the data, per cloud, table and mode"),
    ("claims", "claims of the buying guides, compared with the catalog"),
    ("models", "the models that for_model knows by name, with their shapes"),
    ("score", "scores of the providers, weighted as in the guides; unknown values give a range"),
    ("refresh", "fetch a cloud's current prices from its official interface"),
)
"""Every command of the group with its line of help."""


@click.group("catalog", cls=LazyGroup, members=MEMBERS, module="gpuinfra.cli.commands.catalog.{}")
def command() -> None:
    """Machines, GPUs and prices: each fact with its source and its date."""
    from gpuinfra.cli.views.damaged_files_note import note_damaged_files  # noqa: PLC0415  (the commands' names need no tables)

    note_damaged_files()
