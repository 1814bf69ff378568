"""Roles of Google Cloud, predefined and one's own, judged by the same permissions."""

import json

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_cluster import tcpx
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

BUILDER = "roles/cloudbuild.builds.builder"
ENCRYPTER = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
WORKER = "roles/dataproc.worker"
POLICIES = "the IAM policies of all resources of a type"
COMMANDS = "commands on every machine with the OS Config agent"
AGENT = "serviceAccount:service-123@container-engine-robot.iam.gserviceaccount.com"


def project_wide(role, permissions, member="user:me@example.com"):
    """The verdicts on a role on a project: predefined, and one's own with some permissions."""
    for own in (False, True):
        program = GcpProgram()
        given = role
        if own:
            given = program.add(
                "projects/iAMCustomRole:IAMCustomRole",
                "own",
                roleId="own",
                title="own",
                permissions=permissions,
            ).out("name")
        program.add(
            "projects/iAMMember:IAMMember", "m", project="shop-1", role=given, member=member
        )
        yield verdicts(of_resources(program.resources()), "wildcard-policy")[-1]


@pytest.mark.parametrize(
    ("role", "permission", "words"),
    [
        ("roles/secretmanager.secretAccessor", "secretmanager.versions.access", "every secret"),
        (
            "roles/cloudkms.cryptoKeyDecrypter",
            "cloudkms.cryptoKeyVersions.useToDecrypt",
            "decryption with every key",
        ),
        (
            "roles/cloudkms.cryptoOperator",
            "cloudkms.cryptoKeyVersions.useToDecrypt",
            "decryption with every key",
        ),
        (
            "roles/compute.osAdminLogin",
            "compute.instances.osAdminLogin",
            "a login to every machine as an administrator",
        ),
        (
            "roles/compute.instanceAdmin.v1",
            "compute.instances.osAdminLogin",
            "a login to every machine as an administrator",
        ),
        ("roles/compute.osLogin", "compute.instances.osLogin", "a login to every machine"),
        (
            "roles/iap.tunnelResourceAccessor",
            "iap.tunnelInstances.accessViaIAP",
            "a tunnel to every machine",
        ),
        (
            "roles/storage.hmacKeyAdmin",
            "storage.hmacKeys.create",
            "keys to Cloud Storage of every service account",
        ),
        (
            "roles/container.developer",
            "container.pods.create",
            "the secrets of every cluster, and pods in it",
        ),
        (
            "roles/container.admin",
            "container.secrets.get",
            "the secrets of every cluster, and pods in it",
        ),
        (
            "roles/iam.serviceAccountUser",
            "iam.serviceAccounts.actAs",
            "the use of every service account",
        ),
        ("roles/iam.workloadIdentityUser", "iam.serviceAccounts.getAccessToken", ""),
        ("roles/deploymentmanager.editor", "deploymentmanager.deployments.create", ""),
        ("roles/iam.roleAdmin", "iam.roles.update", ""),
        (
            "roles/iam.workloadIdentityPoolAdmin",
            "iam.googleapis.com/workloadIdentityPoolProviders.update",
            "",
        ),
        ("roles/dataproc.serviceAgent", "iam.serviceAccounts.getAccessToken", ""),
        ("roles/osconfig.patchJobExecutor", "osconfig.patchJobs.exec", COMMANDS),
        (
            "roles/osconfig.osPolicyAssignmentAdmin",
            "osconfig.osPolicyAssignments.create",
            COMMANDS,
        ),
        ("roles/osconfig.guestPolicyAdmin", "osconfig.guestPolicies.update", COMMANDS),
        ("roles/osconfig.patchDeploymentAdmin", "osconfig.patchDeployments.create", COMMANDS),
        ("roles/cloudbuild.builds.editor", "cloudbuild.builds.create", "builds as the default"),
        ("roles/dataproc.editor", "dataproc.jobs.create", "jobs as root on every cluster"),
        (
            "roles/composer.editor",
            "composer.environments.executeAirflowCommand",
            "commands in every environment",
        ),
        ("roles/orgpolicy.policyAdmin", "orgpolicy.policy.set", "what organization policies"),
        ("roles/bigquery.dataOwner", "bigquery.datasets.setIamPolicy", POLICIES),
        ("roles/compute.networkAdmin", "compute.subnetworks.setIamPolicy", POLICIES),
        ("roles/iam.workforcePoolAdmin", "iam.googleapis.com/workforcePools.setIamPolicy", ""),
        ("roles/compute.editor", "compute.projects.setCommonInstanceMetadata", "every machine"),
        ("roles/metastore.migrationAdmin", "compute.instances.setMetadata", "start-up script"),
        ("roles/backupdr.diskOperator", "compute.disks.createSnapshot", "copies of every disk"),
        ("roles/storage.objectUser", "storage.objects.delete", "the data of every bucket"),
        ("roles/run.jobsExecutorWithOverrides", "run.jobs.runWithOverrides", "job of Cloud Run"),
        ("roles/iam.denyAdmin", "iam.denypolicies.delete", "what deny policies forbid"),
    ],
)
def test_a_role_is_refused_for_what_one_s_own_is_refused_for(role, permission, words):
    for outcome, message in project_wide(role, [permission]):
        assert outcome == "violated"
        assert words in message


@pytest.mark.parametrize(
    ("role", "permission"),
    [
        ("roles/logging.logWriter", "logging.logEntries.create"),
        ("roles/storage.objectViewer", "storage.objects.setIamPolicy"),
        ("roles/storage.objectCreator", "storage.objects.create"),
        ("roles/viewer", "compute.disks.useReadOnly"),
        ("roles/compute.imageUser", "compute.images.useReadOnly"),
        ("roles/compute.orgSecurityPolicyUser", "compute.globalOperations.setIamPolicy"),
    ],
)
def test_a_narrow_role_is_fine_either_way(role, permission):
    for outcome, _ in project_wide(role, [permission]):
        assert outcome == "fine"


@pytest.mark.parametrize(
    "permission",
    [
        "clusterRoleBindings.create",
        "clusters.impersonate",
        "deployments.update",
        "pods.attach",
        "pods.update",
        "serviceAccounts.createToken",
    ],
)
def test_rights_in_every_cluster_are_refused(permission):
    _, (outcome, message) = project_wide("roles/logging.logWriter", [f"container.{permission}"])
    assert outcome == "violated"
    assert "the secrets of every cluster, and pods in it" in message


TUNNEL = "roles/iap.tunnelResourceAccessor"
TEAM = {"role": TUNNEL, "member": "group:team@example.com"}
TEAM_POLICY = json.dumps({"bindings": [{"role": TUNNEL, "members": [TEAM["member"]]}]})


@pytest.mark.parametrize(
    ("kind", "inputs", "outcome"),
    [
        ("projects/iAMMember:IAMMember", TEAM, "violated"),
        ("iap/tunnelIamMember:TunnelIamMember", TEAM, "violated"),
        (
            "iap/tunnelIamBinding:TunnelIamBinding",
            {"role": TUNNEL, "members": [TEAM["member"]]},
            "violated",
        ),
        ("iap/tunnelIamPolicy:TunnelIamPolicy", {"policyData": TEAM_POLICY}, "violated"),
        (
            "iap/tunnelIamMember:TunnelIamMember",
            {**TEAM, "condition": {"expression": "destination.port == 22"}},
            "fine",
        ),
        ("iap/tunnelIamMember:TunnelIamMember", {**TEAM, "role": UNKNOWN}, "not-knowable"),
        ("iap/tunnelInstanceIAMMember:TunnelInstanceIAMMember", TEAM, None),
        ("iap/tunnelDestGroupIamMember:TunnelDestGroupIamMember", TEAM, None),
    ],
)
def test_a_tunnel_to_every_machine_is_refused_wherever_it_is_granted(kind, inputs, outcome):
    program = GcpProgram()
    program.add(kind, "m", project="shop-1", **inputs)
    found = findings(of_resources(program.resources()), "wildcard-policy")

    assert [each.outcome for each in found if each.outcome != "not-applicable"] == [
        outcome
    ] * bool(outcome)
    if outcome == "violated":
        assert "a tunnel to every machine, on the whole project" in found[0].message


PAYER = {"billingAccountId": "0-1-2", "member": "group:team@example.com"}
PAYERS = {"billingAccountId": "0-1-2", "members": ["group:team@example.com"]}


@pytest.mark.parametrize(
    ("form", "inputs", "outcome"),
    [
        ("Member", {**PAYER, "role": "roles/billing.admin"}, "violated"),
        ("Binding", {**PAYERS, "role": "roles/billing.admin"}, "violated"),
        (
            "Policy",
            {"policyData": TEAM_POLICY.replace(TUNNEL, "roles/billing.admin")},
            "violated",
        ),
        ("Member", {**PAYER, "role": "roles/billing.user"}, "fine"),
        ("Member", {**PAYER, "role": "roles/billing.viewer"}, "fine"),
        ("Member", {**PAYER, "role": "roles/billing.viewer", "member": "allUsers"}, "violated"),
    ],
)
def test_a_billing_account_has_no_administrator_of_the_stack(form, inputs, outcome):
    program = GcpProgram()
    program.add(f"billing/accountIam{form}:AccountIam{form}", "m", **inputs)
    (found,) = verdicts(of_resources(program.resources()), "wildcard-policy")
    assert found[0] == outcome
    if inputs.get("role") == "roles/billing.admin":
        assert "on the whole billing account" in found[1]


@pytest.mark.parametrize("role", ["roles/storage.legacyBucketOwner", "roles/storage.objectAdmin"])
def test_a_role_that_sets_the_policy_of_one_bucket_is_fine(role):
    program = GcpProgram()
    program.add(
        "storage/bucketIAMMember:BucketIAMMember",
        "m",
        bucket="runs",
        role=role,
        member="user:me@example.com",
    )
    assert set(outcomes(of_resources(program.resources()), "wildcard-policy")) == {"fine"}


@pytest.mark.parametrize(
    ("role", "member", "outcome"),
    [
        ("roles/container.serviceAgent", AGENT, "fine"),
        ("roles/container.serviceAgent", "user:me@example.com", "violated"),
        (
            "roles/container.serviceAgent",
            "serviceAccount:nodes@shop-1.iam.gserviceaccount.com",
            "violated",
        ),
        ("roles/editor", AGENT, "violated"),
        (ENCRYPTER, "serviceAccount:service-123@compute-system.iam.gserviceaccount.com", "fine"),
        (ENCRYPTER, "serviceAccount:bq-12@bigquery-encryption.iam.gserviceaccount.com", "fine"),
        (ENCRYPTER, "serviceAccount:ci@shop-1.iam.gserviceaccount.com", "violated"),
        (WORKER, "serviceAccount:jobs@shop-1.iam.gserviceaccount.com", "fine"),
        (WORKER, "user:me@example.com", "violated"),
        (
            "roles/container.serviceAgent",
            "serviceAccount:service-123@shop-1.iam.gserviceaccount.com",
            "violated",
        ),
        (ENCRYPTER, "serviceAccount:service-12@shop-1.iam.gserviceaccount.com", "violated"),
        (BUILDER, "serviceAccount:123@cloudbuild.gserviceaccount.com", "fine"),
        (BUILDER, "serviceAccount:123-compute@developer.gserviceaccount.com", "fine"),
        (BUILDER, "serviceAccount:ci@shop-1.iam.gserviceaccount.com", "violated"),
        (BUILDER, "serviceAccount:123@cloudbuild.gserviceaccount.com.example.com", "violated"),
    ],
)
def test_a_role_for_google_s_own_accounts_is_theirs_alone(role, member, outcome):
    assert next(project_wide(role, [], member))[0] == outcome


AGENTS = "projects/serviceIdentity:ServiceIdentity"
ACCOUNTS = "serviceaccount/account:Account"


@pytest.mark.parametrize(
    ("kind", "role", "outcome"),
    [
        (AGENTS, ENCRYPTER, "fine"),
        (ACCOUNTS, ENCRYPTER, "violated"),
        (ACCOUNTS, WORKER, "fine"),
        (AGENTS, "roles/firestore.serviceAgent", "fine"),
        (ACCOUNTS, "roles/firestore.serviceAgent", "violated"),
    ],
)
def test_who_is_not_made_yet_is_known_by_what_makes_him(kind, role, outcome):
    program = GcpProgram()
    holder = program.add(kind, "holder", project="shop-1", service="a.googleapis.com")
    program.add(
        "projects/iAMMember:IAMMember",
        "m",
        project="shop-1",
        role=role,
        member=holder.out("member"),
    )
    judged = verdicts(of_resources(program.resources("preview")), "wildcard-policy")
    assert [each for each, _ in judged] == [outcome]


@both
@pytest.mark.parametrize(
    ("role", "outcome"),
    [
        ("roles/deploymentmanager.editor", "violated"),
        ("roles/container.serviceAgent", "violated"),
        ("roles/composer.serviceAgent", "violated"),
        ("roles/cloudfunctions.serviceAgent", "violated"),
        ("roles/iam.workloadIdentityUser", "violated"),
        ("roles/iam.devOps", "violated"),
        ("roles/compute.instanceAdmin.v1", "fine"),
        ("roles/logging.logWriter", "fine"),
        (["deploymentmanager.deployments.create"], "violated"),
        (["iam.workloadIdentityPoolProviders.create"], "violated"),
        (["resourcemanager.projects.setIamPolicy"], "violated"),
        ("roles/bigquery.dataOwner", "fine"),
        (["bigquery.datasets.setIamPolicy"], "fine"),
        (["secretmanager.versions.access"], "fine"),
        ([UNKNOWN], "not-knowable"),
    ],
)
def test_a_machine_s_account_is_no_editor_by_another_name(role, outcome, moment):
    case = tcpx()
    given = role
    if isinstance(role, list):
        given = case.program.add(
            "projects/iAMCustomRole:IAMCustomRole",
            "own",
            roleId="own",
            title="own",
            permissions=role,
        ).out("name")
    case.program.add(
        "projects/iAMMember:IAMMember",
        "given",
        project="shop-1",
        role=given,
        member=case.account.out("member"),
    )
    judged = of_resources(case.program.resources(moment))
    assert outcomes(judged, "administrator-role") == [outcome]


@pytest.mark.parametrize(
    "role",
    [
        "roles/batch.jobsEditor",
        "roles/cloudbuild.builds.viewer",
        "roles/composer.user",
        "roles/run.invoker",
        "roles/tpu.viewer",
    ],
)
def test_a_role_that_needs_an_account_to_act_as_is_not_wide_alone(role):
    assert next(project_wide(role, []))[0] == "fine"
