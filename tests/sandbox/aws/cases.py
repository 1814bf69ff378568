"""How one type's life is written: what it is made with, changed to, and meddled with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One type's life.

    Attributes:
        token: the Pulumi type.
        id: what its id looks like.
        inputs: made with, given the stage.
        drift: a change behind Pulumi's back, given boto3, the id and the outputs.
        seen: the output in which the drift shows; empty when the resource must read as gone.
        update: inputs changed in place; None removes one; empty where every input replaces.
        forgotten: inputs that moto can't tell, so an import lacks them.
        remains: the cloud can only reset it: it reads as standing after it was removed.
        within: the output, the sign and the output that an import id is made of; empty: the id.
    """

    token: str
    id: str
    inputs: Callable[[Any], Inputs]
    drift: Callable[[Any, str, Inputs], Any]
    seen: str = ""
    update: Callable[[Any], Inputs] = lambda stage: {}
    forgotten: frozenset[str] = frozenset()
    label: str = ""
    remains: bool = False
    within: tuple[str, ...] = ()


TAGS = {"owner": "ml", "stack": "demo"}
NEW_TAGS = {"owner": "ml-platform", "cost": ""}
ARN = "arn:aws:"
HEX = "[0-9a-f]{17}"
ALLOW = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject",'
    ' "Resource": "*"}]}'
)
ALLOW_MORE = ALLOW.replace("GetObject", "ListBucket")


def tag(client: Any, resource_id: str, outputs: Inputs) -> None:
    client("ec2").create_tags(Resources=[resource_id], Tags=[{"Key": "by", "Value": "hand"}])
