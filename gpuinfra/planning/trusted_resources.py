"""Trust in resources outside the stack, where no other fact is known about them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final

from gpuinfra.clouds import cloud_of, provider_of
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.trusted_placeholders import (
    PLACEHOLDER_NAME_PREFIX,
    PLACEHOLDER_URN_PREFIX,
)
from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.model import (
    STACK_REFERENCE,
    UNKNOWN,
    Group,
    Item,
    Resource,
    Rows,
    Safety,
    Trust,
    Unknown,
    Usage,
)
from gpuinfra.records import record

FACTS: Final = ("private", "limited")
"""The facts for which a reference can be trusted."""

_MACHINE_FACTS: Final = ("public_ip", "open_login", "administrator")
"""The machine facts that a trusted reference can settle."""

_ADDRESS: Final = "address"
"""The kind of an item for a public address."""


@record
class _StandIns:
    """The resources with a stand-in for each trusted reference, and the references by entry."""

    resources: dict[str, Resource]
    new_resources: dict[str, Resource] = field(default_factory=dict)
    references_by_entry: dict[int, dict[str, None]] = field(default_factory=dict)


def apply_trust(cloud: str, rows: Rows, resources: Sequence[Resource], usage: Usage) -> Rows:
    """Return the rows with the facts that trusted references settle: of machines, and of code.

    The resources are observed once more, with a harmless one in place of each trusted reference.
    Only what was unknown without them is taken from that, so that trust never excuses what the
    stack itself shows, for example an open rule that it adds to a trusted security group.

    Args:
        cloud: whose rows they are.
        rows: what its resources hold, as far as they show it.
        resources: all of the stack.
        usage: has the trust.
    """
    if not (rows.unseen_rights or any(_is_unknown(group) for group in rows.groups)):
        return rows
    stand_ins = _stand_ins(cloud, resources, usage.trust)
    if not stand_ins.new_resources:
        return rows
    known_resources = (*stand_ins.new_resources.values(), *stand_ins.resources.values())
    observed_again = provider_of(cloud).observe.observe(known_resources, usage)
    safeties = {(group.subject, group.name): group.safety for group in observed_again.groups}
    subjects = {row.subject for row in rows.unseen_rights}
    groups = tuple(_with_trusted_safety(group, safeties) for group in rows.groups)
    return replace(
        rows,
        groups=groups,
        items=tuple(_without_addresses(rows, groups)),
        unseen_rights=tuple(
            row for row in observed_again.unseen_rights if row.subject in subjects
        ),
    )


def notes(resources: Sequence[Resource], trust: Sequence[Trust]) -> Iterator[str]:
    """Yield a note on what each entry trusts, and in which references; or that it matches none."""
    clouds = {cloud for resource in resources if (cloud := cloud_of(resource.type))}
    references = [
        _stand_ins(cloud, resources, trust).references_by_entry for cloud in sorted(clouds)
    ]
    for number, entry in enumerate(trust):
        names = dict.fromkeys(
            name for reference in references for name in reference.get(number, ())
        )
        facts = " and ".join(fact for fact in FACTS if getattr(entry, fact))
        input_text = entry.input if entry.value is None else f"{entry.input} {entry.value}"
        if names:
            names_text = ", ".join(names)
            yield f"trusted as {facts}, not checked: {input_text} ({names_text}): {entry.why}"
        else:
            yield (
                f"trust: no reference to a resource outside the stack matches {input_text};"
                " its entry is ignored"
            )


def _is_unknown(group: Group) -> bool:
    return any(getattr(group.safety, fact) is UNKNOWN for fact in _MACHINE_FACTS)


def _with_trusted_safety(group: Group, safeties: Mapping[tuple[str, str], Safety]) -> Group:
    safety = safeties.get((group.subject, group.name))
    if safety is None:
        return group
    trusted_facts = {
        fact: getattr(safety, fact)
        for fact in _MACHINE_FACTS
        if getattr(group.safety, fact) is UNKNOWN
    }
    return replace(group, safety=replace(group.safety, **trusted_facts))


def _without_addresses(rows: Rows, settled: Sequence[Group]) -> Iterator[Item]:
    """Yield the items, except the public addresses of machines that trust shows to have none."""
    private = {
        group_after.name
        for group_before, group_after in zip(rows.groups, settled, strict=True)
        if group_before.safety.public_ip is UNKNOWN and group_after.safety.public_ip is False
    }
    for item in rows.items:
        if not (item.kind == _ADDRESS and item.per_machine and item.group in private):
            yield item


def _stand_ins(cloud: str, resources: Sequence[Resource], trust: Sequence[Trust]) -> _StandIns:
    stand_ins = _StandIns(resources={resource.urn: resource for resource in resources})
    index = provider_of(cloud).observe.Index(resources)
    for resource in resources:
        if cloud_of(resource.type) != cloud:
            continue
        for number, entry in enumerate(trust):
            if entry.input in resource.inputs:
                _add(stand_ins, number, entry, stand_ins.resources[resource.urn], index, cloud)
    return stand_ins


def _add(
    stand_ins: _StandIns, number: int, entry: Trust, resource: Resource, index: Any, cloud: str
) -> None:
    kinds = {
        kind: inputs
        for fact, target in provider_of(cloud).observe.STAND_INS.items()
        if getattr(entry, fact)
        for kind, inputs in target.items()
    }
    value = resource.inputs[entry.input]
    stacks = _stacks_of(resource, entry.input, stand_ins.resources)
    texts = tuple(dict.fromkeys((*texts_in(value), *_ids_in(value))))
    by_stack = len(stacks) == len(texts) == 1 and _matches_name(stacks[0], entry.value)
    for text in texts:
        targets = (index.targets(resource, entry.input, kind, text) for kind in kinds)
        is_of_stack = any(
            target.certain or target.possible or target.namesakes for target in targets
        )
        if not is_of_stack and (by_stack or _matches_name(text, entry.value)):
            _stand_in(stand_ins, number, text, text, kinds, resource)
    if stacks and all(_matches_name(name, entry.value) for name in stacks):
        name = f"{PLACEHOLDER_NAME_PREFIX}{resource.urn}:{entry.input}"
        filled = _fill_unknown_parts(value, name)
        if filled != value:
            inputs = {**resource.inputs, entry.input: filled}
            stand_ins.resources[resource.urn] = replace(resource, inputs=inputs)
            _stand_in(stand_ins, number, name, ", ".join(stacks), kinds, resource)


def _ids_in(value: Any) -> Iterator[str]:
    """Yield the ids that are keys of mappings, as managed identities may be."""
    if isinstance(value, Mapping):
        yield from (key for key in value if str(key).startswith("/"))
        for part in value.values():
            yield from _ids_in(part)


def _stand_in(
    stand_ins: _StandIns,
    number: int,
    name: str,
    called: str,
    kinds: Mapping[str, Mapping[str, Any]],
    holder: Resource,
) -> None:
    stand_ins.references_by_entry.setdefault(number, {})[called] = None
    plain = name.rpartition("/")[2] if name.startswith("arn:") else name
    outputs = {"id": name, "arn": name, "email": name, "name": plain}
    for kind, inputs in kinds.items():
        urn = f"{PLACEHOLDER_URN_PREFIX}{kind}::{holder.region}/{name}"
        stand_ins.new_resources[urn] = Resource(
            urn=urn,
            type=kind,
            name=name,
            inputs=_stand_in_inputs(inputs, name),
            outputs=outputs,
            region=holder.region,
        )


def _stacks_of(
    resource: Resource, prop: str, resources: Mapping[str, Resource]
) -> tuple[str, ...]:
    """Return the names of the stacks that a value comes from; empty for another source."""
    sources = [resources.get(urn) for urn in resource.relations.get(prop, ())]
    if any(source is None or source.type != STACK_REFERENCE for source in sources):
        return ()
    return tuple(
        str(source.inputs.get("name") or source.name) for source in sources if source is not None
    )


def _matches_name(name: str, pattern: str | None) -> bool:
    return pattern is None or matches_pattern(pattern, name)


def _fill_unknown_parts(value: Any, name: str) -> Any:
    """Return a value with a name in place of each unknown part."""
    if isinstance(value, Unknown):
        return name
    if isinstance(value, Mapping):
        return {key: _fill_unknown_parts(part, name) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_fill_unknown_parts(part, name) for part in value]
    return value


def _stand_in_inputs(inputs: Any, name: str) -> Any:
    """Return the inputs of a stand-in, with the reference in place of `{}`."""
    if isinstance(inputs, Mapping):
        return {key: _stand_in_inputs(part, name) for key, part in inputs.items()}
    return name if inputs == "{}" else inputs
