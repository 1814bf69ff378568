"""What moto does wrong and the sandbox needs right; each entry goes when moto has it."""

from typing import Any


def mend() -> None:
    """Mend moto in this process, before it serves.

    moto 5.2.5 parses the user data of a launch template only in its first version, and asserts in
    RunInstances for a later one (moto/ec2/models/launch_templates.py, `create_version`).
    """
    from moto.ec2.models.launch_templates import LaunchTemplate  # noqa: PLC0415
    from moto.ec2.utils import Base64EncodedString, parse_user_data  # noqa: PLC0415

    create = LaunchTemplate.create_version

    def create_version(self: Any, data: dict[str, Any], description: str) -> Any:
        given = data.get("UserData")
        if given is not None and not isinstance(given, Base64EncodedString):
            data = {**data, "UserData": parse_user_data(given)}
        return create(self, data, description)

    LaunchTemplate.create_version = create_version  # type: ignore[method-assign]
