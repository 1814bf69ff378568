"""The JSON form of a plan's rows, whose keys are independent of the model's fields."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from gpuinfra.clouds.observed_rules import judges
from gpuinfra.model import (
    Bucket,
    Defect,
    Disk,
    Fabric,
    Fault,
    FileSystem,
    Grant,
    Group,
    GroupLifecycle,
    MarketFacts,
    Reachability,
    Safety,
    WorkloadNeeds,
    fault_messages,
    faults_of,
)

_FAULTS: Final[Mapping[type[Any], Mapping[str, str]]] = {
    Group: {
        "spot_faults": "spot-settings",
        "block_faults": "capacity-block",
        "launch_faults": "launch-settings",
        "disk_faults": "disk-limits",
        "scaling_faults": "scaling-settings",
        "name_faults": "valid-names",
        "flex_faults": "flex-start",
        "eviction_faults": "eviction-policy",
        "unbounded": "pool-maximum",
    },
    Fabric: {
        "card_faults": "fabric-cards",
        "network_faults": "fabric-networks",
        "set_faults": "fabric-scale-set",
        "place_faults": "fabric-placement",
    },
    Safety: {"login_faults": "login-identity"},
    Bucket: {"name_faults": "valid-names"},
}
"""Keys that faults have by the rule that reports them; those of other rules are `faults`."""

_SPREAD: Final = (GroupLifecycle, MarketFacts, WorkloadNeeds)
"""Records whose fields are part of their row."""

_NAMES: Final = {("needs", "nvlink"): "nvlink_wish", ("needs", "fabric"): "fabric_wish"}

_KEYS: Final[Mapping[str, Mapping[str, str]]] = {
    "AccountCheck": {"item": "what", "result": "found"},
    "AdviceItem": {"aspect": "what", "actual": "has", "recommended": "advised", "is_met": "fine"},
    "BreakEven": {"interrupted_share": "share", "hours_between": "between"},
    "Bucket": {"public_access": "unblocked", "public_access_fix": "unblocked_fix"},
    "BudgetDoubt": {"reason": "words"},
    "Candidate": {"note": "said", "bounded_by": "bound", "buildable": "built"},
    "Checkpoint": {"interval_hours": "every", "size_key": "of"},
    "Claim": {"text": "says"},
    "ClaimVerdict": {"evidence": "found"},
    "Commitment": {"saved_share": "saves", "break_even_share": "pays_from"},
    "ConsideredPrice": {"is_effective": "counts"},
    "Contradiction": {"shipped": "taken"},
    "CostRate": {"is_complete": "whole"},
    "Count": {"backend": "where"},
    "Credential": {"description": "what", "expiry": "until"},
    "DoctorRow": {"item": "what", "result": "found"},
    "Effect": {"losses": "gives_up", "assumptions": "assumes"},
    "EnergyUse": {"period": "of"},
    "EngineAttempt": {"description": "way"},
    "Fabric": {"requirement": "wish"},
    "FabricVerdict": {
        "reasons": "because",
        "changes": "change",
        "unknown_facts": "unknown",
        "transport": "over",
    },
    "Finding": {"is_deferred": "later"},
    "Fix": {"settled_findings": "settles", "noted_findings": "noted", "passes_check": "whole"},
    "Group": {"active_rung": "standing"},
    "GuideAdvice": {"text": "says"},
    "InterruptionRisk": {
        "counted_share": "counted",
        "rate_source": "place",
        "hours_between": "between",
        "interrupted_share": "interrupted",
    },
    "Interval": {
        "stated_hours": "now",
        "best_hours": "best",
        "first_order_hours": "young",
        "run_hours_stated": "hours_now",
        "run_hours_best": "hours_best",
    },
    "Item": {"quantity_hint": "unstated"},
    "Level": {"savings": "saves"},
    "MarketFacts": {"usage_classes": "ways"},
    "MemoryNeed": {"assumptions": "assumed"},
    "ModelFit": {"rule_of_thumb": "thumb"},
    "ModelShape": {"assumptions": "assumed"},
    "NearMiss": {"required": "asked", "actual": "has", "saved_share": "saves"},
    "NotJudged": {"hourly_maximum": "small"},
    "Price": {"remark": "said"},
    "Quote": {"active_rungs": "standing"},
    "RateSource": {"base": "of"},
    "Reachability": {"open_paths": "ways"},
    "RentComparison": {"rent_cost": "rented", "depreciation": "wear", "ownership_cost": "owned"},
    "RunOption": {"uninterrupted_cost": "least", "bounded_by": "bound"},
    "RunOutlook": {
        "work_hours": "work",
        "hours_with_writes": "written",
        "options": "ways",
        "break_even": "even",
        "missing_key": "unknown",
        "parent_key": "under",
    },
    "RungChange": {"skip_reason": "struck"},
    "RungQuote": {"skip_reason": "struck", "in_ceiling": "counts"},
    "SandboxResource": {"backend": "where", "created_at": "made"},
    "ScoreInput": {"direction": "better", "values": "readings", "full_points_value": "full"},
    "SharedNetwork": {"maximum_items": "most"},
    "Storage": {
        "gpu_read_rate": "reads",
        "stated_write_rate": "writes",
        "rate_kind": "held",
        "bottleneck": "narrowest",
        "is_too_slow": "starved",
    },
    "Total": {"active": "standing"},
    "Trial": {"months_inside": "inside"},
    "TypeBackend": {"backend": "where", "ledger_reason": "why"},
    "UsagePatternAdvice": {"even_usage_savings": "even_saves"},
}
"""JSON keys that differ from a field's name, by class and field."""

_ROWS: Final = (Group, Fabric, Reachability, Bucket, FileSystem, Disk, Grant, Defect)

_CLOUD_SPECIFIC_KEYS: Final = ("card_faults", "network_faults", "set_faults")
"""Keys that are null on clouds that have no such thing."""


def fields_of(row: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record with their JSON keys."""
    keys = other_keys(type(row))
    for field in fields(row):
        value = getattr(row, field.name)
        if isinstance(value, _SPREAD):
            yield from (
                (_NAMES.get((field.name, key), key), field_value)
                for key, field_value in fields_of(value)
            )
        elif field.name == "faults" and isinstance(row, _ROWS):
            yield from _faults(type(row), value)
        elif isinstance(row, Group) and isinstance(value, Fabric):
            yield field.name, _fabric(value, row.cloud)
        elif isinstance(row, Group) and isinstance(value, Safety):
            yield field.name, _safety(value, row)
        else:
            yield keys.get(field.name, field.name), value


def other_keys(kind: type[Any]) -> Mapping[str, str]:
    """Return the JSON keys that differ from a field's name, by the fields of a record."""
    return _KEYS.get(kind.__name__, {})


def _faults(kind: type[Any], faults: Iterable[Fault]) -> Iterator[tuple[str, Any]]:
    keys = _FAULTS.get(kind, {})
    judged_keys = {*keys.values(), *(_FAULTS[Safety].values() if kind is Group else ())}
    yield "faults", fault_messages(fault for fault in faults if fault.rule not in judged_keys)
    for key, rule in keys.items():
        yield key, faults_of(faults, rule)


def _safety(safety: Safety, group: Group) -> dict[str, Any]:
    """Return a group's security basics with those derived from faults; null where none apply."""
    logins = {
        key: faults_of(group.faults, rule) if judges(group.cloud, rule) else None
        for key, rule in _FAULTS[Safety].items()
    }
    return {**dict(fields_of(safety)), **logins}


def _fabric(fabric: Fabric, cloud: str) -> dict[str, Any]:
    """Return a fabric's fields; null for those that its cloud does not have."""
    fields = dict(fields_of(fabric))
    absent = [key for key in _CLOUD_SPECIFIC_KEYS if not judges(cloud, _FAULTS[Fabric][key])]
    return {**fields, **dict.fromkeys(absent)}
