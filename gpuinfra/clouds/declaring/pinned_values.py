"""Values that are looked up once and then kept in the stack's state."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.declaring.children import Children
from gpuinfra.graph import STASH, Options, Ref

_IGNORE_INPUT: Final = Options(ignore_changes=("input",))
"""The one input that an update ignores. An image's alias moves to a newer image every few weeks,
and today's date every day; following them would change an unchanged stack, mid-run."""


def pinned_image(
    children: Children, key: Sequence[str], value: Any, renewed: str = "", address: str = ""
) -> Ref:
    """Return the image that a name means now, pinned until a renewal; see `pinned`.

    `renewed` is when images were last renewed by hand: a part of the pin's name, so that another
    value looks up every image again.
    """
    return pin_value(children, "image", (*key, *([renewed] if renewed else [])), value, address)


def pin_value(
    children: Children, child: str, key: Sequence[str], value: Any, address: str = ""
) -> Ref:
    """Return the current value, kept in the state from the first update on.

    `pulumi up --replace <the URN of the Stash>` renews it.

    Args:
        children: of the component.
        child: the child that uses the value.
        key: the look-up's arguments. It is in the pin's name, so that another region or
            another kind of image is looked up again.
        value: the look-up's current result.
        address: the pin's name within the component, where that has several for one child.
    """
    name = f"{children.name(child)}-{names.digest(key)}"
    return children.add(STASH, address or f"{child}_pin", name, {"input": value}, _IGNORE_INPUT)[
        "output"
    ]
