"""Resource types that are no machine and start none, so that a cap of machines ignores them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.billing import SMALL_CHARGES_LIMIT
from gpuinfra.clouds.observing.values import at, texts_in
from gpuinfra.model import UNKNOWN, Known, Unknown

TABLE: Final = Path(__file__).with_name("without_machines.json")
SCHEMA_TABLE: Final = Path(__file__).with_name("without_machines_by_schema.json")
"""The types that a rule on SDK inputs accepts, by service: see its `about`."""

BILLED_TABLE: Final = Path(__file__).with_name("without_machines_billed.json")
"""The types without machines that have a fixed price: see its `about`."""

CLUSTER_TABLE: Final = Path(__file__).with_name("without_machines_in_clusters.json")
"""The types that run on the nodes of a declared cluster: see its `about`."""

HIDDEN: Final = Path(__file__).with_name("hidden_machines.json")
"""The types that start machines that the resource does not show: see its `about`."""

_ON_NODES_REASON: Final = (
    "pods, which run on the nodes of a cluster of this stack, which are counted"
)
_FAMILY: Final = "*"
_ZERO: Final = Decimal(0)
_NO_INPUTS: Final[Mapping[str, Any]] = MappingProxyType({})


def reason(token: str) -> str:
    """Return why no machine can be in resources of a type; empty if that is not known.

    Args:
        token: a resource type of any package, as its provider spells it today.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    family = f"{token[: token.rfind('/') + 1] or token[: token.rfind(':') + 1]}{_FAMILY}"
    return _reasons().get(token) or _reasons().get(family) or _reason_by_pattern(token)


def _reason_by_pattern(token: str) -> str:
    return next((why for pattern, why in _families() if pattern.fullmatch(token)), "")


def reason_not_judged(token: str) -> str:
    """Return why machines that a type starts are not seen or judged; empty if none is known.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    return _hidden_type_reasons().get(token, "")


def fixed_price_reason(token: str, inputs: Mapping[str, Any] = _NO_INPUTS) -> str:
    """Return why a resource costs a fixed price while it exists; empty if it does not.

    A type that costs it only with some inputs costs it without `inputs`, too, unless the table
    says that their lack does not.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    row = _billed_rows().get(token)
    if row is None or _small_charge(row, inputs) is not None:
        return ""
    why: str = row["why"]
    return why


def charge(token: str, inputs: Mapping[str, Any]) -> Decimal:
    """Return a type's maximum cost an hour, where that is too little to refuse it.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    row = _billed_rows().get(token)
    return _ZERO if row is None else _small_charge(row, inputs) or _ZERO


def _small_charge(row: Mapping[str, Any], inputs: Mapping[str, Any]) -> Decimal | None:
    """Return the hourly charge of a resource too cheap to count as fixed-price; else None."""
    if not row.keys() & {"unless", "small"}:
        return None
    from gpuinfra.clouds import small_charges  # noqa: PLC0415  (few stacks have any)
    from gpuinfra.clouds.observing import free_cases  # noqa: PLC0415  (as above)

    for harmless in row.get("unless", ()):
        if free_cases.matches_case(inputs, harmless):
            return SMALL_CHARGES_LIMIT * sum(free_cases.shares(inputs, harmless), _ZERO)
    for case in row.get("small", ()):
        if free_cases.matches_case(inputs, case["when"]):
            cost = small_charges.per_hour(inputs, case)
            if cost is not None and cost < Decimal(case["below"]):
                return cost
    return None


def no_machine_reason(token: str, inputs: Mapping[str, Any]) -> str:
    """Return why a resource adds no machine to a cluster whose nodes are all counted; or "".

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    table = digests.table(CLUSTER_TABLE)
    spec = inputs.get("spec")
    if token in table["pods"].split():
        has_forbidden_word = not {*_keys_in(inputs), *texts_in(inputs)}.isdisjoint(
            table["never"].split()
        )
        return (
            ""
            if isinstance(spec, Unknown) or has_forbidden_word or not _shows_all(inputs)
            else _ON_NODES_REASON
        )
    name = chart_name(token, inputs)
    if not name:
        return ""
    values = inputs.get("values")
    is_visible = not isinstance(values, Unknown) and not any(
        inputs.get(key) for key in table["hides"].split()
    )
    value_words = {word.casefold() for word in (*_keys_in(values), *texts_in(values))}
    unwanted = (*table["words"].split(), *table["never"].split())
    adds_machines = any(word.casefold() in value_words for word in unwanted)
    is_on_nodes = is_visible and not adds_machines and name in table["charts"].split()
    return _ON_NODES_REASON if is_on_nodes else ""


def chart_name(token: str, inputs: Mapping[str, Any]) -> str:
    """Return the name of the chart that a release of Helm installs; empty for anything else.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    chart = inputs.get("chart")
    is_release = token == digests.table(CLUSTER_TABLE)["helm"] and isinstance(chart, str)
    return str(chart).rpartition("/")[2] if is_release else ""


def _shows_all(inputs: Mapping[str, Any]) -> bool:
    """Return whether all that a resource creates from texts is pods; most have no such text."""
    table = digests.table(CLUSTER_TABLE)
    if table["manifest"] not in _keys_in(inputs):
        return True
    from gpuinfra.clouds import manifests  # noqa: PLC0415  (few have any)

    kinds = {token.rpartition(":")[2] for token in table["pods"].split()}
    return manifests.are_of(inputs, table["manifest"], kinds, table["never"])


def makes_nodes(token: str, inputs: Mapping[str, Any]) -> Known:
    """Return whether a namespace's label makes GKE start nodes for its pods.

    Raises:
        DamagedError: the table differs from the shipped one.
    """
    table = digests.table(CLUSTER_TABLE)
    if token not in table["namespaces"].split():
        return False
    if not {*_keys_in(inputs)}.isdisjoint(table["classes"].split()):
        return True
    unseen_values = (inputs.get("metadata"), at(inputs.get("metadata"), "labels"))
    return UNKNOWN if UNKNOWN in unseen_values else False


def _keys_in(value: Any) -> Iterator[str]:
    """Yield the keys of a value, at any depth."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield key
            yield from _keys_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _keys_in(part)


def rows() -> tuple[Mapping[str, Any], ...]:
    """Return the rows of the types without machines: why, source, as_of and types, or `module/*`.

    Raises:
        DamagedError: a table differs from the shipped one.
    """
    by_hand = digests.table(TABLE)["rows"]
    return (*by_hand, *map(_spelled_out, digests.table(SCHEMA_TABLE)["rows"]))


def _spelled_out(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of one service with its types as tokens: `{}` stands for a name."""
    types = [
        row["token"].format(f"{name[0].lower()}{name[1:]}", name) for name in row["names"].split()
    ]
    return {"why": row["why"], "source": row["source"], "as_of": row["as_of"], "types": types}


@cache
def _reasons() -> Mapping[str, str]:
    return _reasons_by_type(rows())


@cache
def _hidden_type_reasons() -> Mapping[str, str]:
    return _reasons_by_type(digests.table(HIDDEN)["rows"])


def _reasons_by_type(rows_of: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    return {token: row["why"] for row in rows_of for token in row["types"]}


@cache
def _families() -> tuple[tuple[re.Pattern[str], str], ...]:
    families = digests.table(TABLE)["families"]
    return tuple((re.compile(row["pattern"]), row["why"]) for row in families)


@cache
def _billed_rows() -> Mapping[str, Mapping[str, Any]]:
    rows_of = digests.table(BILLED_TABLE)["rows"]
    return {token: row for row in rows_of for token in row["types"]}
