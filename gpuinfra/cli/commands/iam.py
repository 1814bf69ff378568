"""`gpuinfra iam`: the minimal permissions of a role that deploys a stack."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.options import format_options
from gpuinfra.cli.outputs import write_file
from gpuinfra.cli.source import load, plan_options, source_argument
from gpuinfra.cli.views.render import json_text, note, show_json
from gpuinfra.errors import InputError, Problem
from gpuinfra.units import format_count

LABEL: Final = "not tested against AWS"

FORM: Final = re.compile(
    r"github:(?P<repository>[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+)"
    r"(?:@(?P<branch>[A-Za-z0-9][A-Za-z0-9._/-]*))?"
)
PROVIDER: Final = "arn:aws:iam::ACCOUNT_ID:oidc-provider/token.actions.githubusercontent.com"
"""The identity provider of an account that was not named."""


@click.command("iam")
@source_argument
@format_options
@plan_options
@click.option(
    "--trust",
    default=None,
    metavar="github:ORG/REPO@BRANCH",
    help="Also print the trust policy: runs of this branch (default main) may assume the role.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write each policy to a file in this folder; AWS accepts one policy per call.",
)
def command(
    source: Path, format_: str, as_of: datetime | None, rung: tuple[str, ...], **options: Any
) -> int:
    """Print the IAM policies that deploying SOURCE on AWS requires, for exactly its resources.

    They are JSON in both formats; the format json has what is known of them, too.
    """
    trust, folder = options["trust"], options["output"]
    loaded = load(source, as_of=as_of, rung=rung)
    _refuse_other_clouds(loaded)
    trust_policy = None if trust is None else _trust(trust)
    rights = _rights(loaded)
    if format_ == "json":
        show_json({**rights, **({} if trust_policy is None else {"trust": trust_policy})})
        return 0
    if folder is not None:
        _write(folder, rights["policies"], trust_policy)
    else:
        show_json(rights["policies"])
        if trust_policy is not None:
            show_json(trust_policy)
        note(
            "a list: AWS accepts one policy per call; --output FOLDER writes each policy to a file"
        )
    _explain(rights, trusted=trust_policy is not None)
    return 0


def _write(folder: Path, policies: Sequence[Any], trust: dict[str, Any] | None) -> None:
    """Write each document to a separate file.

    Raises:
        InputError: one can't be written.
    """
    documents = {f"policy-{number}.json": policy for number, policy in enumerate(policies, 1)}
    problems: list[Problem] = []
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in (documents | ({} if trust is None else {"trust.json": trust})).items():
        problems += write_file(folder / name, json_text(document))
        click.echo(f"wrote {folder / name}")
    if problems:
        raise InputError(problems)


def _rights(stack_check: StackCheck) -> dict[str, Any]:
    """Return the policies, with the facts known about them."""
    from gpuinfra.cli.deploy_role_scope import rights_scope  # noqa: PLC0415  (only here)
    from gpuinfra.clouds.aws.rights import deploy_rights as rights  # noqa: PLC0415  (only here)
    from gpuinfra.clouds.aws.rights import policies as rights_policies  # noqa: PLC0415  (only here)
    from gpuinfra.clouds.aws.rights import policy_proof as rights_proof  # noqa: PLC0415  (only here)

    scope = rights_scope(stack_check.stack, stack_check.plan)
    policies = rights_policies.documents(scope)
    missing = rights_proof.denied_requests(scope, policies)
    return {
        "label": LABEL,
        "policies": policies,
        "resources": len(scope.resources),
        "types_without_rights": list(rights.unknown(scope.resources)),
        "refused_offline": sorted(
            {f"{right.action} on {resource.name}" for resource, right in missing}
        ),
        "actions_without_source": list(rights.unverified_actions(scope.resources)),
    }


def _trust(document_text: str) -> dict[str, Any]:
    """Return the trust policy for a branch of a GitHub repository.

    Raises:
        InputError: it is written in another form.
    """
    from gpuinfra.clouds.aws.rights import policies as rights_policies  # noqa: PLC0415  (only for this command)

    match = FORM.fullmatch(document_text)
    if match is None:
        raise InputError.of(
            "unknown principal",
            value=document_text,
            allowed="github:ORG/REPO@BRANCH",
            fix="for example --trust github:example/training@main",
        )
    return rights_policies.trust(PROVIDER, match["repository"], match["branch"] or "main")


def _refuse_other_clouds(stack_check: StackCheck) -> None:
    """Refuse a stack without AWS resources: only AWS's permissions are known.

    Raises:
        InputError: the stack has no resources on AWS.
    """
    clouds = {cloud for cloud, _ in stack_check.plan.places}
    if "aws" not in clouds:
        raise InputError.of(
            "this stack has no resources on AWS",
            value=", ".join(sorted(clouds)),
            allowed="a stack with resources on aws",
            fix="the permissions that other clouds require are not in the tables: use your "
            "own roles there",
        )


def _explain(rights: dict[str, Any], *, trusted: bool) -> None:
    """Print notes on the policies: their number, gaps and next steps."""
    count = len(rights["policies"])
    note(
        f"{LABEL}: {format_count(count, 'policy', 'policies')} for "
        f"{format_count(rights['resources'], 'resource')}; evaluated offline, they allow every "
        "request that is known to create them"
    )
    for kind in rights["types_without_rights"]:
        note(f"the permissions for {kind} are unknown: add them by hand")
    for request in rights["refused_offline"]:
        note(f"the policies do not allow {request}")
    if rights["actions_without_source"]:
        action_names = ", ".join(rights["actions_without_source"])
        note(f"no source confirms that these are needed here: {action_names}")
    note(
        "anyone with these permissions can extend the stack's own roles by inline "
        "policies: there is no permissions boundary, so trust the branch as much as "
        "those roles"
    )
    note("not included: access to Pulumi's state; add permissions for its bucket or service")
    if trusted:
        note(
            "replace ACCOUNT_ID with your account's id; the account has GitHub's identity "
            "provider once"
        )
