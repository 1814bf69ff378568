"""The resources that gpuinfra creates, as plain data, with values that are only known later.

A declared value is plain, or an expression: `Ref` is an output of another resource,
`RuntimeInput` is passed by the caller at run time, `Lookup` is answered by the provider,
`ComputedValue` is a pure function of such values, `Secret` is marked as one. `components.register`
resolves expressions into Pulumi outputs; `planning.declared` reads them as symbols and unknowns.

Standard library only; nothing here knows a cloud or Pulumi.
"""

from gpuinfra.graph.expressions import (
    Archive,
    ComputedValue,
    Expression,
    Lookup,
    Ref,
    RuntimeInput,
    Secret,
    Symbol,
    compute,
    concat,
    expressions,
    format_values,
    item,
    json_text,
    map_expressions,
)
from gpuinfra.graph.resources import (
    NO_OPTIONS,
    STASH,
    Options,
    Resource,
    ResourceGraph,
    references,
    to_json,
)

__all__ = [
    "NO_OPTIONS",
    "STASH",
    "Archive",
    "ComputedValue",
    "Expression",
    "Lookup",
    "Options",
    "Ref",
    "Resource",
    "ResourceGraph",
    "RuntimeInput",
    "Secret",
    "Symbol",
    "compute",
    "concat",
    "expressions",
    "format_values",
    "item",
    "json_text",
    "map_expressions",
    "references",
    "to_json",
]
