"""Findings wait for an update only where it writes every text that they are about."""

from collections.abc import Mapping
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.rules import Finding, Verdict
from gpuinfra.rules.bucket_facts import BUCKET_ENCRYPTED, BUCKET_TLS
from gpuinfra.rules.deferred import DEFERRED_REASON, DeferredAnswers, mark_deferred
from gpuinfra.rules.rule import Rule, fine, not_knowable, violated
from gpuinfra.rules.secret_in_output import RULE as SECRET_IN_OUTPUT


def resource(name: str, relations: tuple[str, ...] = (), **inputs: Any) -> Resource:
    return Resource(
        urn=name, type="aws:s3/bucket:Bucket", name=name, inputs=inputs, relations={"a": relations}
    )


def is_written(text_owner: Resource, _: str) -> bool:
    return not text_owner.name.startswith("hidden")


def waits(resources: tuple[Resource, ...], finding: Finding, rule: Rule = BUCKET_TLS) -> bool:
    shown = {each.urn: each for each in resources}
    return DeferredAnswers(shown, is_written).depends_on_update(finding, rule)


DATA = resource("data")
POLICY = resource("policy", ("data",), policy=UNKNOWN)
HIDDEN = resource("hidden", ("data",), policy=UNKNOWN)
UNKNOWN_TLS = not_knowable("data", "the TLS requirement is unknown")


@pytest.mark.parametrize(
    ("resources", "is_left"),
    [
        ((DATA, POLICY), True),
        ((DATA, HIDDEN), False),
        ((DATA, POLICY, HIDDEN), False),
        ((DATA, resource("policy", ("data",), policy="known")), False),
        ((DATA, resource("policy", ("data",), other=UNKNOWN)), False),
        # what refers to nothing may belong to any subject
        ((DATA, POLICY, resource("stray", policy=UNKNOWN)), True),
        ((DATA, POLICY, resource("hidden", policy=UNKNOWN)), False),
        ((DATA, resource("stray", policy=UNKNOWN)), True),
        # another bucket's policy is no matter
        ((DATA, resource("b"), resource("hidden-b", ("b",), policy=UNKNOWN), POLICY), True),
        ((DATA, resource("b"), resource("policy", ("b",), policy=UNKNOWN)), False),
        # a reference in a circle, or to what the preview lacks
        ((resource("data", ("policy",)), POLICY), True),
        ((DATA, resource("policy", ("data", "elsewhere"), policy=UNKNOWN)), True),
        # by way of another resource
        ((resource("data", ("key",)), resource("key", policy=UNKNOWN)), True),
        ((resource("data", ("key",)), resource("key"), resource("hidden", ("key",))), False),
    ],
)
def test_a_finding_waits_where_the_update_writes_all_that_is_unknown(
    resources: tuple[Resource, ...], is_left: bool
) -> None:
    assert waits(resources, UNKNOWN_TLS) == is_left


@pytest.mark.parametrize(
    ("name", "is_left"), [("function", True), ("hidden-function", False), ("known", False)]
)
def test_the_environment_of_a_function_is_its_own(name: str, is_left: bool) -> None:
    table = resource("table")
    environment = {} if name == "known" else {"environment": {"TABLE": UNKNOWN}}
    function = resource(name, ("table",), **environment)
    other = resource("hidden-other", ("table",), environment={"KEY": UNKNOWN})
    stray = resource("hidden-stray", template={"KEY": UNKNOWN})
    finding = not_knowable(name, "its values are unknown")

    assert waits((table, function, other, stray), finding, SECRET_IN_OUTPUT) == is_left


def test_a_finding_of_the_whole_stack_is_about_every_text() -> None:
    stack = not_knowable("shop", "something is unknown")

    assert waits((DATA, POLICY), stack)
    assert not waits((DATA, POLICY, HIDDEN), stack)
    assert not waits((DATA,), stack)


@pytest.mark.parametrize(
    ("finding", "rule"),
    [
        (fine("data", "only TLS"), BUCKET_TLS),
        (violated("data", "no TLS"), BUCKET_TLS),
        (not_knowable("data", "unknown"), BUCKET_ENCRYPTED),
        (violated("data", "not encrypted"), BUCKET_ENCRYPTED),
    ],
)
def test_what_is_known_or_read_from_no_text_does_not_wait(finding: Finding, rule: Rule) -> None:
    assert not waits((DATA, POLICY), finding, rule)


def marked(resources: Mapping[str, Resource], rule: str) -> Finding:
    finding = Finding(
        outcome="not-knowable", subject="data", message="it is unknown", rule=rule, fix="mend it"
    )
    answers = DeferredAnswers(resources, is_written)
    (found,) = mark_deferred(Verdict(findings=(finding,)), [BUCKET_TLS], answers).findings
    return found


def test_what_waits_is_an_advice_that_says_why() -> None:
    found = marked({"data": DATA, "policy": POLICY}, "bucket-tls")

    assert (found.level, found.is_deferred) == ("advisory", True)
    assert found.message == f"it is unknown: {DEFERRED_REASON}"
    assert found.fix.startswith("check the update with a policy pack")


def test_what_does_not_wait_stays_as_it_is() -> None:
    for found in (
        marked({"data": DATA, "hidden": HIDDEN}, "bucket-tls"),
        marked({"data": DATA, "policy": POLICY}, "a-rule-of-others"),
    ):
        assert (found.level, found.is_deferred) == ("mandatory", False)
        assert (found.message, found.fix) == ("it is unknown", "mend it")
