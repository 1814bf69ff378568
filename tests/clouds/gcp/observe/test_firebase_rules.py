"""Rules of Firebase that let everyone in open the data of a project."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.gcp_program import GcpProgram

FORM = "service cloud.firestore { match /databases/{d}/documents { match /{x=**} { %s } } }"


def faults(content, *, released=True, guests=None):
    program = GcpProgram()
    if guests is not None:
        sign_in = {"anonymous": {"enabled": guests}}
        program.add("gcp:identityplatform/config:Config", "c", signIn=sign_in)
    files = [{"name": "f", "content": content}]
    rules = program.add("gcp:firebaserules/ruleset:Ruleset", "r", source={"files": files})
    if released:
        release = "gcp:firebaserules/release:Release"
        program.add(release, "f", name="cloud.firestore", rulesetName=rules.out("name"))
    given = observe(program.resources()).grants
    told = [faults_of(grant.faults, "wildcard-policy") for grant in given]
    return UNKNOWN if UNKNOWN in told else [fault for each in told for fault in each]


@pytest.mark.parametrize(
    ("rule", "acts"),
    [
        ("allow read, write: if true;", "read and write"),
        ("allow read, write;", "read and write"),
        ("allow get : if (true);", "get"),
        ("allow create: if true", "create"),
        ("allow /* all */ write: // no\n if true;", "write"),
    ],
)
def test_a_rule_that_always_holds_lets_everyone_in(rule, acts):
    assert faults(FORM % rule) == [f"lets everyone {acts} data that its rules are about"]
    assert faults(FORM % rule, released=False) == []


@pytest.mark.parametrize(
    "rule",
    [
        "allow read: if request.auth != null;",
        "allow read: if true && request.auth.uid == d;",
        "// allow read: if true;",
        "allow read, write: if false;",
    ],
)
def test_a_rule_with_a_condition_lets_some_in(rule):
    assert faults(FORM % rule) == []


def test_rules_that_are_not_known_yet_say_nothing():
    assert faults(UNKNOWN) == []


@pytest.mark.parametrize(
    "rule",
    [
        "allow read, write: if request.auth != null;",
        "allow read, write: if (request.auth.uid != null);",
        "allow read, write: if request.auth!=null",
    ],
)
def test_a_rule_for_those_signed_in_lets_everyone_in_where_guests_are(rule):
    told = "lets everyone read and write data that its rules are about, by an anonymous sign-in"

    assert faults(FORM % rule, guests=True) == [told]
    assert faults(FORM % rule, guests=False) == []
    assert faults(FORM % rule, guests=UNKNOWN) is UNKNOWN
    assert faults(FORM % rule, guests=True, released=False) == []


def test_a_rule_that_asks_for_more_lets_no_guest_in():
    rule = "allow read: if request.auth != null && request.auth.uid == d;"
    assert faults(FORM % rule, guests=True) == []
