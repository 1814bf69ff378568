"""The Ops Agent of machines of raw resources on Google Cloud has the roles that it needs."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_pool import Pool
from tests.rules.cases.gcp_pool import pool as pool  # noqa: PLC0414

AGENT = "curl -fsS https://x/add-google-cloud-ops-agent-repo.sh | bash; # google-cloud-ops-agent"
WRITERS = ("roles/logging.logWriter", "roles/monitoring.metricWriter")


def with_roles(pool: Pool, *roles: str, script: str = AGENT, **more: Any) -> Pool:
    for role in roles:
        member = pool["who"].out("member")
        pool.program.add("projects/iAMMember:IAMMember", role, role=role, member=member, **more)
    return pool.changed("how", metadataStartupScript=script)


@pytest.mark.parametrize("left", WRITERS)
def test_an_agent_without_a_role_is_told(pool: Pool, left: str) -> None:
    outcome, message = with_roles(pool, *(writer for writer in WRITERS if writer != left)).told(
        "preview"
    )

    assert outcome == "violated"
    assert f"starts the Ops Agent, and who has no role for it: grant it {left}" in message


@pytest.mark.parametrize(
    "roles", [WRITERS, ("roles/editor",), ("roles/container.nodeServiceAccount",), (UNKNOWN,)]
)
def test_an_agent_that_may_have_its_roles_is_no_fault(pool: Pool, roles: tuple[Any, ...]) -> None:
    assert with_roles(pool, *roles).told("preview")[0] == "fine"


def test_an_agent_whose_account_is_written_out_is_no_fault(pool: Pool) -> None:
    for role in WRITERS:
        member = "serviceAccount:who@p.iam.gserviceaccount.com"
        pool.program.add("projects/iAMMember:IAMMember", role, role=role, member=member)

    assert with_roles(pool).told("preview")[0] == "fine"


def test_an_agent_with_an_identity_of_its_own_is_no_fault(pool: Pool) -> None:
    script = f"export GOOGLE_APPLICATION_CREDENTIALS=/run/who.json\n{AGENT}"

    assert with_roles(pool, script=script).told()[0] == "fine"


def test_an_agent_without_a_service_account_is_told(pool: Pool) -> None:
    pool.changed("how", serviceAccount=None, metadata=None, metadataStartupScript=AGENT)

    assert "starts the Ops Agent, and it has no service account" in pool.told()[1]


def test_a_role_of_another_account_is_none(pool: Pool) -> None:
    other = pool.program.add("serviceaccount/account:Account", "other", accountId="other")
    for role in WRITERS:
        pool.program.add(
            "projects/iAMMember:IAMMember", role, role=role, member=other.out("member")
        )

    assert "who has no role for it" in with_roles(pool).told("preview")[1]


@pytest.mark.parametrize(
    ("permissions", "outcome"),
    [
        (["monitoring.timeSeries.create"], "fine"),
        (["monitoring.timeSeries.list"], "violated"),
        ([UNKNOWN], "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_a_custom_role_counts_for_its_permissions(
    pool: Pool, permissions: Any, outcome: str
) -> None:
    role = pool.program.add(
        "projects/iAMCustomRole:IAMCustomRole", "r", roleId="r", permissions=permissions
    )
    pool.program.add(
        "projects/iAMMember:IAMMember",
        "m",
        role=role.out("name"),
        member=pool["who"].out("member"),
    )

    assert with_roles(pool, WRITERS[0]).told("preview")[0] == outcome
