"""What the tables say of an input, by its path."""

from gpuinfra.sandbox.plugin.schema import Property, Schema


def property_at(tables: Schema, token: str, path: str) -> Property | None:
    kind = tables.type(token)
    assert kind is not None
    properties = kind.inputs
    prop: Property | None = None
    for step in path.split("."):
        prop = properties.get(step.removesuffix("[]"))
        if prop is None:
            return None
        form = prop.type.removeprefix("array<").removesuffix(">")
        if form.startswith("object:"):
            properties = tables.shape(form.removeprefix("object:")).properties
    return prop
