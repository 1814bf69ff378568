"""Conversion of tags: a map in Pulumi, a list of pairs in AWS."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpuinfra.sandbox.aws.shapes import without
from gpuinfra.sandbox.plugin.contract import Call

ROLE_TAG_OPERATIONS = ("tag_role", "untag_role")


def declared_tags(inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return the resource's tags: `tagsAll` where default tags were merged, else `tags`."""
    tags = inputs.get("tagsAll", inputs.get("tags")) or {}
    return {str(key): str(value) for key, value in tags.items()}


def pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Return tags as the list of pairs that most services take."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def mapping(tags: Iterable[Mapping[str, str]] | None) -> dict[str, str]:
    """Return a list of pairs as a map, without AWS's own ``aws:`` tags."""
    return {
        tag["Key"]: tag.get("Value", "") for tag in tags or () if not tag["Key"].startswith("aws:")
    }


def tag_outputs(call: Call, actual: Mapping[str, str]) -> dict[str, Any]:
    """Return `tags` and `tagsAll` as outputs; default tags are only in `tagsAll`."""
    declared_tags = call.inputs.get("tags") or {}
    merged = call.inputs.get("tagsAll") or {}
    defaults = without(merged, declared_tags)
    tags = {key: value for key, value in actual.items() if defaults.get(key) != value}
    return {"tags": tags or None, "tagsAll": dict(actual)}


def current_tags(
    client: Any, method: str = "list_tags_for_resource", **target: str
) -> dict[str, str]:
    """Return the tags of `target`, in any form that the method lists them."""
    answer = getattr(client, method)(**target)
    tags: Any = next((answer[key] for key in ("Tags", "tags", "TagList") if key in answer), {})
    return tags if isinstance(tags, dict) else mapping(tags)


def change(
    call: Call,
    client: Any,
    actual: Mapping[str, str] | None = None,
    *,
    methods: tuple[str, str] = ("tag_resource", "untag_resource"),
    form: Callable[[dict[str, str]], Any] = pairs,
    **target: Any,
) -> None:
    """Set the tags of `target` to those of the inputs.

    Args:
        call: has the inputs.
        client: of the service.
        actual: the current tags; None for those that the service lists.
        methods: set and remove tags.
        form: how the service takes tags.
        target: names the resource to the methods, in the letters of their other arguments.
    """
    tags, keys = ("tags", "tagKeys") if next(iter(target))[0].islower() else ("Tags", "TagKeys")
    if actual is None:
        actual = current_tags(client, **target)
    put, dropped = difference(actual, declared_tags(call.inputs))
    if put:
        getattr(client, methods[0])(**target, **{tags: form(put)})
    if dropped:
        getattr(client, methods[1])(**target, **{keys: dropped})


def difference(
    actual: Mapping[str, str], target: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the tags to set and the keys to remove, to get from `actual` to `target`."""
    put = {key: value for key, value in target.items() if actual.get(key) != value}
    return put, [key for key in actual if key not in target]
