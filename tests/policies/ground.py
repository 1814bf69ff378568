"""A stack of a few machines under a policy pack, on the real engine and the sandbox."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pulumi

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, Pack, Request, Target

POLICIES = Path(__file__).parents[2] / "policies"
MACHINE = "p5.48xlarge"
PRICE = Decimal("55.04")
"""USD an hour on demand in us-east-1; what a disk and an address add is below one dollar."""

AMI, OTHER_AMI = "ami-12c6146b", "ami-785db401"
AS_OF = "2026-08-01"
TAG = "cap-test"

INSTANCE = "aws:ec2/instance:Instance"
GROUP = "aws:autoscaling/group:Group"


def instance(ground: "Ground", name: str) -> pulumi.Resource:
    import pulumi_aws as aws

    return aws.ec2.Instance(
        name,
        ami=ground.image,
        instance_type=MACHINE,
        associate_public_ip_address=False,
        root_block_device={"encrypted": True, "volume_size": 100, "volume_type": "gp3"},
        tags={TAG: ground.project},
        opts=pulumi.ResourceOptions(delete_before_replace=ground.deletes_first or None),
    )


def group(ground: "Ground", name: str) -> pulumi.Resource:
    """A scaling group of one machine, and the launch template that names the machine."""
    import pulumi_aws as aws

    template = aws.ec2.LaunchTemplate(
        f"{name}-template", image_id=ground.image, instance_type=MACHINE
    )
    return aws.autoscaling.Group(
        name,
        min_size=1,
        max_size=1,
        availability_zones=["us-east-1a"],
        launch_template={"id": template.id, "version": "$Latest"},
        tags=[{"key": TAG, "value": ground.project, "propagate_at_launch": True}],
    )


KINDS: dict[str, tuple[str, Callable[["Ground", str], pulumi.Resource]]] = {
    "instance": (INSTANCE, instance),
    "group": (GROUP, group),
}


@dataclass(frozen=True)
class Stood:
    """What a state file says: machines that stand, and machines that may."""

    names: tuple[str, ...]
    pending: tuple[str, ...]

    @property
    def per_hour(self) -> Decimal:
        return PRICE * (len(self.names) + len(self.pending))


@dataclass(frozen=True)
class Ground:
    """One stack under the budget pack.

    Attributes:
        project: the Pulumi project, a name of the test's own.
        environment: what the engine runs under.
        kind: instance or group.
        pack: a folder of `policies`.
        image: of every machine; another one replaces an instance.
        deletes_first: whether a replaced instance goes before the new one comes.
        config: of the pack, beside `settings`.
    """

    project: str
    environment: dict[str, str]
    kind: str = "instance"
    pack: str = "budget"
    image: str = AMI
    deletes_first: bool = False
    config: dict[str, object] = field(default_factory=dict)

    def up(
        self,
        names: Sequence[str],
        cap: Decimal | float | None = None,
        *,
        verb: Callable[[Request], Outcome] = lifecycle.up,
        first: Callable[[], object] | None = None,
        then: Callable[[Sequence[pulumi.Resource]], object] | None = None,
        **settings: Any,
    ) -> Outcome:
        """Bring up these machines under a cap in USD an hour.

        `first` registers something before them, `then` something that depends on them.
        """
        make = KINDS[self.kind][1]

        def program() -> None:
            if first is not None:
                first()
            made = [make(self, name) for name in names]
            if then is not None:
                then(made)

        if cap is not None:
            settings["budget"] = {"per_hour": float(cap)}
        settings["prices"] = {"accept_outdated": True, **settings.get("prices", {})}
        config = {"settings": {"as_of": AS_OF, **settings}, **self.config}
        return verb(self.request(program, config))

    def request(self, program: Callable[[], None], config: dict[str, object]) -> Request:
        return Request(
            project=self.project,
            program=program,
            target=Target(name="sandbox", environment=self.environment),
            packs=(Pack(folder=POLICIES / self.pack, config=config),),
        )

    @property
    def state_file(self) -> Path:
        backend = Path(self.environment["PULUMI_BACKEND_URL"].removeprefix("file://"))
        return backend / ".pulumi" / "stacks" / self.project / "sandbox.json"

    def stood(self) -> Stood:
        """What the state file says, read without Pulumi."""
        deployment = json.loads(self.state_file.read_text())["checkpoint"]["latest"] or {}
        kind = KINDS[self.kind][0]

        def machines(entries: Sequence[dict[str, object]]) -> tuple[str, ...]:
            return tuple(
                sorted(
                    str(one["urn"]).rpartition("::")[2] for one in entries if one["type"] == kind
                )
            )

        pending = [one["resource"] for one in deployment.get("pending_operations") or []]
        return Stood(machines(deployment.get("resources") or []), machines(pending))

    def in_sandbox(self) -> int:
        """How many machines the cloud runs, or may, for this project."""
        options = {
            "region_name": "us-east-1",
            "endpoint_url": self.environment["AWS_ENDPOINT_URL"],
            "aws_access_key_id": "sandbox",
            "aws_secret_access_key": "sandbox",
        }
        if self.kind == "group":
            listed = boto3.client("autoscaling", **options).describe_auto_scaling_groups()
            return sum(
                one["MaxSize"]
                for one in listed["AutoScalingGroups"]
                if {"Key": TAG, "Value": self.project}.items()
                <= {(key, value) for tag in one["Tags"] for key, value in tag.items()}
            )
        filters = [
            {"Name": f"tag:{TAG}", "Values": [self.project]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
        found = boto3.client("ec2", **options).describe_instances(Filters=filters)
        return sum(len(one["Instances"]) for one in found["Reservations"])
