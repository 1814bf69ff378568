"""The image that machines start from: the caller's, or the public one of the table, pinned."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.clouds.azure.images import ACCEPTED, BY_ID, WORDS, image_fault, public_image
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Purpose
from gpuinfra.records import record


@record
class Image:
    """An image: how the scale set refers to it, and in one word.

    `trusted_launch` says whether it starts with that security type, None that nobody knows.
    """

    reference: Mapping[str, Any]
    word: str
    trusted_launch: bool | None = None


def find_image(name: str, wish: str | None, purpose: Purpose, architecture: str | None) -> Image:
    """Find the image: the one that the caller names, else the public one.

    Raises:
        InputError: the wish is no image or names no version, or there is no public image.
    """
    if wish is None:
        found = public_image(purpose, architecture)
        if found is None:
            raise InputError([_unknown(name, architecture)])
        reference = _marketplace(found.publisher, found.offer, found.sku, found.version)
        return Image(
            reference=reference, word=found.reference, trusted_launch=found.trusted_launch
        )
    if fault := image_fault(wish):
        raise InputError([_not_taken(name, wish, fault)])
    if words := WORDS.fullmatch(wish):
        return Image(reference=_marketplace(*words.groups()), word=wish)
    (key,) = [key for key, form in BY_ID.items() if form.fullmatch(wish)]
    return Image(reference={key: wish}, word=wish)


def _marketplace(publisher: str, offer: str, sku: str, version: str) -> Mapping[str, str]:
    return {"publisher": publisher, "offer": offer, "sku": sku, "version": version}


def _unknown(name: str, architecture: str | None) -> Problem:
    return Problem(
        message=f"{name}: no public image is known for {architecture or 'this'} machines",
        path=(name, "machine_image"),
        allowed="an image of your own",
        fix="name one with machine_image: publisher:offer:sku:version",
    )


def _not_taken(name: str, wish: str, fault: str) -> Problem:
    return Problem(
        message=f"{name}: {wish!r} {fault}",
        path=(name, "machine_image"),
        value=wish,
        allowed=ACCEPTED,
    )
