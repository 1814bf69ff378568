"""What moto 5.2.5 does wrong and the sandbox needs right; each entry goes when moto has it."""

from functools import wraps
from typing import Any


def mend() -> None:
    """Mend moto in this process, before it serves."""
    _user_data_of_later_versions()
    _mixed_policy_outlives_updates()


def _user_data_of_later_versions() -> None:
    """Parse the user data of every version of a launch template.

    moto parses it only in the first, and asserts in RunInstances for a later one
    (moto/ec2/models/launch_templates.py, `create_version`).
    """
    from moto.core.types import Base64EncodedString  # noqa: PLC0415
    from moto.ec2.models.launch_templates import LaunchTemplate  # noqa: PLC0415
    from moto.ec2.utils import parse_user_data  # noqa: PLC0415

    create = LaunchTemplate.create_version

    @wraps(create)
    def create_version(self: Any, data: dict[str, Any], description: str) -> Any:
        given = data.get("UserData")
        if given is not None and not isinstance(given, Base64EncodedString):
            data = {**data, "UserData": parse_user_data(given)}
        return create(self, data, description)

    LaunchTemplate.create_version = create_version  # type: ignore[method-assign]


def _mixed_policy_outlives_updates() -> None:
    """Keep a group's mixed instances policy in an update that does not name one.

    moto forgets it (moto/autoscaling/models.py, `FakeAutoScalingGroup.update`).
    """
    from moto.autoscaling.models import FakeAutoScalingGroup  # noqa: PLC0415

    plain = FakeAutoScalingGroup.update

    @wraps(plain)
    def update(self: Any, **given: Any) -> None:
        kept = self.mixed_instances_policy
        plain(self, **given)
        if not any(given.get(one) for one in ("launch_config_name", "launch_template")):
            self.mixed_instances_policy = given.get("mixed_instances_policy") or kept

    FakeAutoScalingGroup.update = update  # type: ignore[assignment, method-assign]
