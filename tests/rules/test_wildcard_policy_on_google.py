"""Roles too wide, on raw resources of strangers on Google Cloud."""

import json

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts


class TestGrantsOfGoogle:
    RULE = "wildcard-policy"

    @both
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("roles/editor", ("violated", "grants roles/editor on the whole project")),
            ("roles/owner", ("violated", "grants roles/owner on the whole project")),
            (
                "roles/storage.admin",
                (
                    "violated",
                    (
                        "grants roles/storage.admin, changes to the data of every bucket, on "
                        "the whole project"
                    ),
                ),
            ),
            ("roles/storage.objectViewer", ("fine", "no wildcard grants broad permissions")),
            (UNKNOWN, ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_a_role_is_no_owner_s(self, given, expected, moment):
        program = GcpProgram()
        account = program.add("serviceaccount/account:Account", "a", accountId="a")
        program.add("projects/iAMMember:IAMMember", "m", role=given, member=account.out("member"))
        assert verdicts(of_resources(program.resources(moment)), self.RULE) == [expected]

    @pytest.mark.parametrize(
        ("condition", "outcome"),
        [
            (UNKNOWN, "not-knowable"),
            ({"title": "a", "expression": UNKNOWN}, "not-knowable"),
            (None, "violated"),
            *(
                ({"title": "a", "expression": expression}, "fine")
                for expression in (
                    "resource.name == 'projects/_/buckets/tokens'",
                    'resource.name.startsWith("projects/_/buckets/tokens")',
                    "resource.type == 'storage.googleapis.com/Bucket'",
                    "resource.service == 'storage.googleapis.com' && true",
                    "(resource.matchTag('1/env', 'test') || resource.hasTagKey('1/open'))",
                    "api.getAttribute('modifiedGrantsByRole', []).hasOnly(['roles/viewer'])",
                    "destination.port == 22",
                    "resource.name.extract('/buckets/{name}/') in ['a', 'b']",
                    "request.time < timestamp('2026-12-01T00:00:00Z')",
                    "request.time.getHours('Europe/Berlin') < 18",
                )
            ),
            *(
                ({"title": "a", "expression": expression}, "violated")
                for expression in (
                    "true",
                    "1 == 1",
                    "(true)",
                    "!false",
                    "true || resource.name == 'a'",
                    "'resource.name' == 'resource.name'",
                    "resource.name == resource.name",
                    "resource.name != 'x'",
                    "!resource.name.startsWith('projects/_/buckets/a')",
                    "resource.name.startsWith('projects/')",
                    "resource.name.startsWith('projects/shop-1/')",
                    "resource.name.startsWith('')",
                    "resource.name.matches('.*')",
                    "resource.name == 'a' ? true : true",
                    "request.time > timestamp('2020-01-01T00:00:00Z')",
                    "resource.type == 'a' || 2 > 1",
                )
            ),
        ],
    )
    def test_a_condition_narrows_a_service_and_no_owner(self, condition, outcome):
        for name, expected in (("roles/storage.admin", outcome), ("roles/owner", "violated")):
            program = GcpProgram()
            given = {"role": name, "member": "user:a@b.c", "condition": condition}
            program.add("projects/iAMMember:IAMMember", "m", **given)
            ((shown, _),) = verdicts(of_resources(program.resources()), self.RULE)
            assert shown == expected

    def test_a_condition_of_a_whole_policy_is_read_alike(self):
        for expression, outcome in (("1 == 1", "violated"), ("resource.name == 'a'", "fine")):
            condition = {"title": "a", "expression": expression}
            binding = {"role": "roles/storage.admin", "members": ["user:a@b.c"]}
            document = json.dumps({"bindings": [{**binding, "condition": condition}]})
            program = GcpProgram()
            program.add("projects/iAMPolicy:IAMPolicy", "p", policyData=document)
            assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]

    @pytest.mark.parametrize("anyone", ["allUsers", "allAuthenticatedUsers"])
    def test_everybody_is_too_many(self, anyone):
        program = GcpProgram()
        program.add(
            "projects/iAMBinding:IAMBinding", "b", role="roles/viewer", members=["user:a", anyone]
        )
        assert verdicts(of_resources(program.resources()), self.RULE) == [
            ("violated", "grants roles/viewer to everyone")
        ]

    def test_someone_hidden_may_be_everybody(self):
        program = GcpProgram()
        program.add("projects/iAMMember:IAMMember", "m", role="roles/viewer", member=UNKNOWN)
        assert outcomes(of_resources(program.resources()), self.RULE) == ["not-knowable"]

    @pytest.mark.parametrize(
        ("bindings", "expected"),
        [
            (
                [{"role": "roles/owner", "members": ["user:a@b.c"]}],
                ("violated", "grants roles/owner on a folder of projects"),
            ),
            (
                [{"role": "roles/viewer", "members": ["allUsers"]}],
                ("violated", "grants roles/viewer to everyone"),
            ),
            ([{"role": "roles/viewer", "members": ["user:a@b.c"]}], ("fine", None)),
            (None, ("not-knowable", None)),
        ],
    )
    def test_a_whole_policy_is_read(self, bindings, expected):
        program = GcpProgram()
        text = UNKNOWN if bindings is None else json.dumps({"bindings": bindings})
        program.add("folder/iAMPolicy:IAMPolicy", "p", policyData=text)
        ((outcome, message),) = verdicts(of_resources(program.resources()), self.RULE)
        assert outcome == expected[0]
        assert expected[1] in (None, message)


LOGIN = "projects/shop/policies/compute.requireOsLogin"
OFF = {"rules": [{"enforce": "FALSE"}]}
V2, V1 = "orgpolicy/policy:Policy", "projects/organizationPolicy:OrganizationPolicy"
KEYS = "constraints/iam.disableServiceAccountKeyCreation"


@pytest.mark.parametrize(
    ("kind", "inputs", "outcome"),
    [
        (V2, {"name": LOGIN, "spec": OFF}, "violated"),
        (V2, {"name": LOGIN.replace("compute.", "compute.managed."), "spec": OFF}, "violated"),
        (V2, {"name": LOGIN, "spec": {"rules": [{"enforce": "TRUE"}]}}, None),
        (V2, {"name": LOGIN, "spec": {"rules": [{"enforce": UNKNOWN}]}}, "not-knowable"),
        (V2, {"name": LOGIN, "spec": UNKNOWN}, "not-knowable"),
        (V2, {"name": UNKNOWN, "spec": OFF}, "not-knowable"),
        (V2, {"name": UNKNOWN, "spec": {"rules": [{"enforce": "TRUE"}]}}, None),
        (
            V2,
            {"name": LOGIN, "spec": {"rules": [{**OFF["rules"][0], "condition": {}}]}},
            "violated",
        ),
        (
            V2,
            {
                "name": LOGIN,
                "spec": {"rules": [{"enforce": "FALSE", "condition": {"title": "t"}}]},
            },
            None,
        ),
        (
            V2,
            {
                "name": LOGIN.replace("requireOsLogin", "vmExternalIpAccess"),
                "spec": {"rules": [{"allowAll": "TRUE"}]},
            },
            "violated",
        ),
        (V2, {"name": LOGIN.replace("requireOsLogin", "skipOther"), "spec": OFF}, None),
        (V2, {"name": LOGIN, "dryRunSpec": OFF}, None),
        (V1, {"constraint": KEYS, "booleanPolicy": {"enforced": False}}, "violated"),
        (V1, {"constraint": KEYS, "booleanPolicy": {"enforced": True}}, None),
        (
            "folder/organizationPolicy:OrganizationPolicy",
            {
                "constraint": "iam.allowedPolicyMemberDomains",
                "listPolicy": {"allow": {"all": True}},
            },
            "violated",
        ),
        (
            "organizations/policy:Policy",
            {
                "constraint": "iam.allowedPolicyMemberDomains",
                "listPolicy": {"allow": {"values": ["C1"]}},
            },
            None,
        ),
    ],
)
def test_an_organization_policy_lifts_no_safeguard(kind, inputs, outcome):
    program = GcpProgram()
    program.add(kind, "it", **inputs)
    found = [
        (result, words)
        for result, words in verdicts(of_resources(program.resources()), "wildcard-policy")
        if result != "not-applicable"
    ]
    assert [result for result, _ in found] == ([outcome] if outcome else [])
    assert outcome != "violated" or "which allows" in found[0][1]
