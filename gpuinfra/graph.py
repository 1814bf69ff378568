"""What gpuinfra creates, as plain data: resources, and values that exist only later.

A declared value is plain, or an expression: `Ref` is an output of another resource, `Given` is
passed by the caller at run time, `Lookup` is answered by the provider, `Computed` is a pure
function of such values, `Secret` is marked as one. `components.register` resolves expressions
into Pulumi outputs; `planning.declared` reads them as symbols and unknowns.

Standard library only; nothing here knows a cloud or Pulumi.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import Any, Final

from gpuinfra.records import record

_PLAIN: Final = (str, int, float, bytes, type(None))
"""What holds no expression: most of what is declared, so it is asked first, as `dict` and `list`
are before any mapping and sequence, which takes four times as long."""


class Symbol(str):
    """Text that stands for a value that exists only later, for example ${bucket.data.bucket.arn}.

    It has neither slashes nor colons, so that it stays whole where paths and ARNs are taken apart.
    """

    __slots__ = ()


@record(kw_only=False)
class Expression:
    """A value that exists only later."""


@record(kw_only=False)
class Ref(Expression):
    """An output of a resource of the graph, in the provider's own spelling."""

    key: str
    output: str = "id"

    def __str__(self) -> str:
        return f"${{{self.key.replace('/', '.')}.{self.output}}}"


@record(kw_only=False)
class RuntimeInput(Expression):
    """A value that the caller passes at run time, for example `network.vpc_id` or `stack`."""

    name: str

    def __str__(self) -> str:
        return f"${{given.{self.name}}}"


@record(kw_only=False)
class Lookup(Expression):
    """An output of a provider's function, asked at run time.

    Attributes:
        token: the function, for example aws:ec2/getSubnet:getSubnet.
        arguments: its arguments in the provider's own spelling; may hold expressions.
        output: the output that is read; empty for the whole answer.
        shown: what a reader may know before it is asked; None for nothing.
        public: whether the value is known to be no secret although the answer holds one.
    """

    token: str
    arguments: Mapping[str, Any]
    output: str = ""
    shown: Any = None
    public: bool = False

    def __str__(self) -> str:
        return f"${{{self.token.rpartition(':')[2]}.{self.output}}}"


@record(kw_only=False)
class Computed(Expression):
    """What a pure function returns for values.

    Attributes:
        function: pure; raises only errors of `gpuinfra.errors`.
        arguments: what it is called with, resolved.
        symbolic: the function only writes its arguments into text or a document, so that it may
            be called with symbols, and its result can be judged before they are known.
        shown: the value that a reader checks instead, for example a script before it is packed.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    symbolic: bool = False
    shown: Any = None

    def __str__(self) -> str:
        function = self.function
        while isinstance(function, partial):
            function = function.func
        return f"${{{getattr(function, '__name__', 'computed').strip('_<>')}}}"


@record(kw_only=False)
class Secret(Expression):
    """A value that is a secret in the state."""

    value: Any

    def __str__(self) -> str:
        return "${secret}"


@record(kw_only=False)
class Archive(Expression):
    """An archive of text files by name, for example a function's code."""

    files: Mapping[str, str]

    def __str__(self) -> str:
        return f"${{archive of {', '.join(self.files)}}}"


STASH: Final = "pulumi:index:Stash"
"""The engine's own resource that keeps a value in the state."""


@record
class Options:
    """The engine's options of a resource; other resources are named by their keys.

    Attributes:
        depends_on: must stand before this one, and are deleted after it.
        deleted_with: need not be deleted when that resource is.
        replacement_trigger: values whose change replaces the resource.
        timeouts: create, update and delete, for example 10m.
        former_names: the logical names that it had: what stands under one of them stays.
    """

    depends_on: tuple[str, ...] = ()
    deleted_with: str | None = None
    delete_before_replace: bool = False
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    replacement_trigger: tuple[Any, ...] | None = None
    protect: bool | None = None
    retain_on_delete: bool = False
    timeouts: Mapping[str, str] = field(default_factory=dict)
    former_names: tuple[str, ...] = ()


NO_OPTIONS: Final = Options()


@record(kw_only=False)
class Resource:
    """A declared resource.

    Attributes:
        key: its address in the graph: component/child, for example training.trainer/group.
        type: the provider's type token.
        name: the logical name in Pulumi, which never changes without an alias.
        inputs: in the provider's own spelling; may hold expressions.
        parent: the key of its component; None for a component.
        options: for the engine.
    """

    key: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    parent: str | None = None
    options: Options = NO_OPTIONS

    def __getitem__(self, output: str) -> Ref:
        return Ref(self.key, output)

    @property
    def child(self) -> str:
        """The name of a child within its component."""
        return self.key.partition("/")[2]


@dataclass(slots=True)
class ResourceGraph:
    """Resources by key, each after those that it refers to, which is the order of registration.

    Attributes:
        resources: by key.
        outputs: what a component gives to others, by its key; a dataclass of values.
        warnings: what the user is told when the graph is registered.
    """

    resources: dict[str, Resource] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, resource: Resource) -> Resource:
        """Add a resource.

        Raises:
            ValueError: its key is taken, or it refers to a resource that is not there yet.
        """
        if resource.key in self.resources:
            raise ValueError(f"two resources have the key {resource.key}")
        for key in references(resource):
            if key not in self.resources:
                raise ValueError(
                    f"{resource.key} refers to {key}, which is not declared before it"
                )
        self.resources[resource.key] = resource
        return resource

    def extend(self, other: "ResourceGraph") -> None:
        """Add another graph behind this one, in which each reference is found already.

        Raises:
            ValueError: both have a resource of the same key.
        """
        if both := other.resources.keys() & self.resources.keys():
            raise ValueError(f"two resources have the key {min(both)}")
        self.resources |= other.resources
        self.outputs |= other.outputs
        self.warnings += other.warnings

    def children(self, component: str) -> Iterator[Resource]:
        """The resources of a component."""
        return (resource for resource in self.resources.values() if resource.parent == component)

    def reachable(self, key: str) -> frozenset[str]:
        """The keys of all that a resource refers to or depends on, directly or through others.

        They stand before it does, and are deleted after it.
        """
        found: set[str] = set()
        waiting = [key]
        while waiting:
            new = set(references(self.resources[waiting.pop()])) - found
            found |= new
            waiting += new
        return frozenset(found)

    def linked(self, given: Mapping[str, Any]) -> "ResourceGraph":
        """The graph with run-time values filled in, as far as they are given."""

        def fill(expression: Expression) -> Any:
            if isinstance(expression, RuntimeInput):
                return given.get(expression.name, expression)
            return _inside(expression, fill)

        resources = {
            key: replace(resource, inputs=mapped(resource.inputs, fill))
            for key, resource in self.resources.items()
        }
        return ResourceGraph(resources, dict(self.outputs), list(self.warnings))


def references(resource: Resource) -> tuple[str, ...]:
    """The keys of the resources that a resource refers to or depends on, each once."""
    found = [
        expression.key
        for expression in expressions(resource.inputs)
        if isinstance(expression, Ref)
    ]
    options = resource.options
    found += options.depends_on
    found += [options.deleted_with] if options.deleted_with else []
    return tuple(dict.fromkeys(found))


def expressions(value: Any) -> list[Expression]:
    """Every expression in a value, those in the arguments of others included."""
    found: list[Expression] = []
    _gather(value, found)
    return found


def _gather(value: Any, expressions: list[Expression]) -> None:
    if isinstance(value, Expression):
        expressions.append(value)
        value = _inputs(value)
    if isinstance(value, (dict, Mapping)):
        value = value.values()
    elif isinstance(value, _PLAIN) or not isinstance(value, (list, tuple, Sequence)):
        return
    for item in value:
        if not isinstance(item, _PLAIN):  # most are, and a call for each takes longer
            _gather(item, expressions)


def _inputs(expression: Expression) -> Any:
    """What an expression is made of."""
    if isinstance(expression, Computed | Lookup):
        return expression.arguments
    return (expression.value,) if isinstance(expression, Secret) else ()


def mapped(value: Any, change: Callable[[Expression], Any]) -> Any:
    """A value with its outermost expressions changed; sequences become lists."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Expression):
        return change(value)
    if isinstance(value, (dict, Mapping)):
        return {key: mapped(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple, Sequence)):
        return [mapped(item, change) for item in value]
    return value


def _inside(expression: Expression, change: Callable[[Expression], Any]) -> Expression:
    """An expression with those in its arguments changed."""
    if isinstance(expression, Computed):
        return replace(
            expression,
            arguments=tuple(mapped(expression.arguments, change)),
            shown=mapped(expression.shown, change),
        )
    if isinstance(expression, Lookup):
        return replace(expression, arguments=mapped(expression.arguments, change))
    if isinstance(expression, Secret):
        return replace(expression, value=mapped(expression.value, change))
    return expression


def computed(function: Callable[..., Any], *arguments: Any, shown: Any = None) -> Any:
    """What a function returns for values; at once where all of them are plain."""
    if expressions(arguments):
        return Computed(function, arguments, shown=shown)
    return function(*arguments)


def written(function: Callable[..., Any], *arguments: Any) -> Any:
    """The same for a function that only writes its arguments into text or a document."""
    if expressions(arguments):
        return Computed(function, arguments, symbolic=True)
    return function(*arguments)


def concat(*parts: Any) -> Any:
    """Text put together of values."""
    return written(_joined, *parts)


def item(value: Any, index: int | str) -> Any:
    """One item of a list or a mapping."""
    return computed(itemgetter(index), value)


def json_text(value: Any) -> Any:
    """A document as JSON text."""
    return written(json.dumps, value)


def _joined(*parts: Any) -> str:
    return "".join(map(str, parts))


def to_json(graph: ResourceGraph) -> list[dict[str, Any]]:
    """The graph as JSON values, expressions as text."""
    return [
        {
            "key": resource.key,
            "type": resource.type,
            "name": resource.name,
            **({"parent": resource.parent} if resource.parent else {}),
            "inputs": mapped(resource.inputs, str),
            **_options(resource.options),
        }
        for resource in graph.resources.values()
    ]


def _options(options: Options) -> dict[str, Any]:
    values = {name: getattr(options, name) for name in Options.__dataclass_fields__}
    kept = {name: value for name, value in values.items() if value}
    return {"options": mapped(kept, str)} if kept else {}
