"""The keys of a plan's rows as JSON, whatever the model calls them."""

import ast
import re
from pathlib import Path

import gpuinfra
from gpuinfra.cli.views.plan_rows import _KEYS
from gpuinfra.cli.views.render import json_value
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Defect, Fabric, Fault, Grant, Reachability
from tests.rules.cases.judging import group

PACKAGE = Path(gpuinfra.__file__).parent


def test_keys_are_given_to_fields_that_there_are() -> None:
    kinds = re.compile(f"^class (?:{'|'.join(_KEYS)})\\b", re.MULTILINE)
    texts = (path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    fields = {
        (kind.name, field.target.id)
        for text in texts
        if kinds.search(text)
        for kind in ast.parse(text).body
        if isinstance(kind, ast.ClassDef)
        for field in kind.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }

    assert {(kind, name) for kind, keys in _KEYS.items() for name in keys} <= fields


def test_faults_stand_under_what_they_concern() -> None:
    shown = json_value(
        group(
            faults=(
                *rule_faults("spot-settings", ("one", "two")),
                *rule_faults("disk-limits", UNKNOWN),
                Fault(rule="of-tomorrow", message="three"),
            )
        )
    )

    assert (shown["spot_faults"], shown["disk_faults"]) == (["one", "two"], "unknown")
    assert (shown["name_faults"], shown["faults"]) == ([], ["three"])


def test_a_fabric_has_null_where_its_cloud_has_no_such_thing() -> None:
    told = rule_faults("fabric-interfaces", ("a",)) + rule_faults("fabric-networks", ("b",))
    joined = Fabric(requirement="required", interfaces=1, faults=told)
    shown = json_value(group(cloud="gcp", fabric=joined))["fabric"]

    assert (shown["faults"], shown["network_faults"], shown["place_faults"]) == (["a"], ["b"], [])
    assert (shown["card_faults"], shown["set_faults"]) == (None, None)


def test_logins_stand_with_the_security_basics() -> None:
    told = rule_faults("login-identity", ("a",))

    shown = json_value(group(cloud="gcp", faults=told))
    assert (shown["safety"]["login_faults"], shown["faults"]) == (["a"], [])
    assert json_value(group(cloud="aws"))["safety"]["login_faults"] is None


def test_a_set_has_one_order() -> None:
    names = [f"label-{number}" for number in range(9)]

    assert json_value(frozenset(names)) == names


def test_other_rows_have_all_faults_under_one_key() -> None:
    wrong = Defect(
        name="n", subject="urn", cloud="aws", faults=rule_faults("resource-settings", "b")
    )
    assert json_value(wrong)["faults"] == ["b"]

    reach = json_value(
        Reachability(open_paths=("a",), faults=rule_faults("network-access", ("b",)))
    )
    grant = Grant(
        name="n", subject="urn", cloud="aws", faults=rule_faults("wildcard-policy", UNKNOWN)
    )

    assert reach == {"ways": ["a"], "faults": ["b"]}
    assert json_value(grant)["faults"] == "unknown"
