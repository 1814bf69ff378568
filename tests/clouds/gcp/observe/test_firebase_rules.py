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
    assert faults(FORM % rule) == [f"lets everyone {acts} data that it protects"]
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
    told = "lets everyone read and write data that it protects, by an anonymous sign-in"

    assert faults(FORM % rule, guests=True) == [told]
    assert faults(FORM % rule, guests=False) == []
    assert faults(FORM % rule, guests=UNKNOWN) is UNKNOWN
    assert faults(FORM % rule, guests=True, released=False) == []


def test_a_rule_that_asks_for_more_lets_no_guest_in():
    rule = "allow read: if request.auth != null && request.auth.uid == d;"
    assert faults(FORM % rule, guests=True) == []


@pytest.mark.parametrize(
    "rule",
    [
        "allow read, write: if request.time < timestamp.date(2027, 1, 1);",
        "allow read, write: if request.time.toMillis() > 0 && !false;",
        "allow read, write: if request.auth == null || true;",
        "allow read, write: if request.auth == null;",
        "allow read, write: if resource.data.open == true || 1 == 1;",
        "allow read, write: if 'a' != \"b\";",
        "allow read, write: if request.auth != null ? resource.data.a : true;",
        "function ok() { return true; } allow read, write: if ok();",
        "function ok() { let a = !false; return a; } allow read, write: if ok() == true;",
        "function same(a, b) { return a == b; } allow read, write: if same(1, 1);",
        "function f(a) { return g(a); } function g(b) { return b } allow read, write: if f(true);",
    ],
)
def test_a_condition_that_everyone_meets_lets_everyone_in(rule):
    assert faults(FORM % rule) == ["lets everyone read and write data that it protects"]


@pytest.mark.parametrize(
    "rule",
    [
        "allow read: if unread();",
        "allow read: if other(request.auth.uid);",
        "allow read: if request.query.limit < 10;",
        "function f() { return f(); } allow read: if f();",
        "function f() { return true; } function f() { return false; } allow read: if f();",
        "function f(a) { return a; } allow read: if f();",
        "allow read: if request.method == 'get' || request.auth != null;",
    ],
)
def test_a_condition_that_is_not_understood_is_unknown(rule):
    assert faults(FORM % rule) is UNKNOWN


@pytest.mark.parametrize(
    "rule",
    [
        "function signedIn() { return request.auth != null; } allow read: if signedIn();",
        """function a() { return request.auth.uid != null; }
        function owns(i) { return a() && request.auth.uid == i; } allow read: if owns(d);""",
        """function user() { return get(/databases/$(d)/users/$(request.auth.uid)).data; }
        allow read: if user().role in ['admin', 'staff'];""",
        "allow read: if exists(/databases/$(d)/documents/admins/$(request.auth.uid));",
        "allow read: if resource.data.visibility == 'public';",
        "allow read: if !(request.auth == null) && request.time < timestamp.date(2027, 1, 1);",
        "allow create: if request.resource.data.keys().hasOnly(['a', 'b; if true']);",
        "allow read: if request.auth.token.email.matches('.*@acme[.]com');",
        "allow read: if d == 'shared';",
        "allow read: if (request.auth != null) ? request.auth.uid == d : false;",
        "allow read: if request.auth != null && unread();",
        "allow read: if 1 == 2;",
    ],
)
def test_a_condition_on_data_or_an_account_lets_some_in(rule):
    assert faults(FORM % rule) == []


def test_a_condition_on_the_time_lets_guests_in():
    rule = "allow read: if request.auth != null && request.time < timestamp.date(2027, 1, 1);"
    told = "lets everyone read data that it protects, by an anonymous sign-in"
    assert faults(FORM % rule, guests=True) == [told]
    assert faults(FORM % "allow read: if request.auth != null && f();", guests=True) is UNKNOWN


@pytest.mark.parametrize("deep", ["(" * 900 + "true" + ")" * 900, "!" * 900 + "true"])
def test_rules_that_are_nested_deeply_are_read(deep):
    told = faults(FORM % f"allow read: if {deep};")
    assert told is UNKNOWN or told
