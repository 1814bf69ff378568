"""Patches of moto 5.2.5: for bugs, each until moto has fixed it, and caches for its speed."""

import json
from functools import cache, wraps
from types import SimpleNamespace
from typing import Any


def apply_patches() -> None:
    """Patch moto in this process before it serves."""
    _user_data_of_later_versions()
    _mixed_policy_outlives_updates()
    _lock_of_a_bucket_in_use()
    _delete_markers_of_a_suspended_bucket()
    _conditions_of_bucket_policies()
    _everyone_in_policies_of_log_buckets()
    _policies_of_changed_queues()
    _names_of_spots_roles()


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
        user_data = data.get("UserData")
        if user_data is not None and not isinstance(user_data, Base64EncodedString):
            data = {**data, "UserData": parse_user_data(user_data)}
        return create(self, data, description)

    LaunchTemplate.create_version = create_version  # type: ignore[method-assign]


def _mixed_policy_outlives_updates() -> None:
    """Keep a group's mixed instances policy in updates that don't name one.

    moto forgets it (moto/autoscaling/models.py, `FakeAutoScalingGroup.update`).
    """
    from moto.autoscaling.models import FakeAutoScalingGroup  # noqa: PLC0415

    plain = FakeAutoScalingGroup.update

    @wraps(plain)
    def update(self: Any, **arguments: Any) -> None:
        mixed_policy = self.mixed_instances_policy
        plain(self, **arguments)
        if not any(arguments.get(key) for key in ("launch_config_name", "launch_template")):
            self.mixed_instances_policy = arguments.get("mixed_instances_policy") or mixed_policy

    FakeAutoScalingGroup.update = update  # type: ignore[assignment, method-assign]


def _lock_of_a_bucket_in_use() -> None:
    """Patch moto to allow object lock on buckets with objects, and changes of it.

    moto demands an empty bucket (moto/s3/models.py, `put_object_lock_configuration`), as AWS did
    until November 2023 (aws.amazon.com/about-aws/whats-new/2023/11,
    "Amazon S3 supports enabling S3 Object Lock on existing buckets").
    """
    from moto.s3.models import S3Backend  # noqa: PLC0415

    plain = S3Backend.put_object_lock_configuration

    @wraps(plain)
    def put(self: Any, bucket_name: str, *settings: Any, **more: Any) -> None:
        bucket = self.get_bucket(bucket_name)
        kept_keys, bucket.keys = bucket.keys, type(bucket.keys)()
        try:
            plain(self, bucket_name, *settings, **more)
        finally:
            bucket.keys = kept_keys

    S3Backend.put_object_lock_configuration = put  # type: ignore[method-assign]


def _delete_markers_of_a_suspended_bucket() -> None:
    """Patch moto to delete objects with delete markers in buckets with suspended versioning.

    moto disposes of every version and forgot the markers (moto/s3/utils.py, `pop`).
    """
    from moto.s3.models import FakeDeleteMarker  # noqa: PLC0415

    FakeDeleteMarker.dispose = lambda _self: None  # type: ignore[attr-defined]


def _conditions_of_bucket_policies() -> None:
    """Patch moto to ignore bucket policy statements with a condition.

    moto reads no condition (moto/s3/models.py, `get_permission`), so that a bucket which refuses
    what comes without TLS would refuse every read of its objects.
    """
    from moto.iam.access_control import IAMPolicy, PermissionResult  # noqa: PLC0415
    from moto.s3.models import FakeBucket  # noqa: PLC0415

    def get_permission(self: Any, action: str, resource: str) -> Any:
        policy = json.loads(self.policy or "{}")
        policy_statements = policy.get("Statement") or []
        statements = (
            policy_statements if isinstance(policy_statements, list) else [policy_statements]
        )
        plain = [statement for statement in statements if not statement.get("Condition")]
        if not plain:
            return PermissionResult.NEUTRAL
        policy_without_conditions = IAMPolicy(json.dumps({**policy, "Statement": plain}))
        return policy_without_conditions.is_action_permitted(action, resource)

    FakeBucket.get_permission = get_permission  # type: ignore[method-assign]


def _everyone_in_policies_of_log_buckets() -> None:
    """Read a log bucket's policy that has a statement about everyone ("*").

    moto answers 500 then (moto/s3/models.py, `_log_permissions_enabled_policy`).
    """
    from moto.s3.models import FakeBucket  # noqa: PLC0415

    plain = FakeBucket._log_permissions_enabled_policy  # noqa: SLF001  the one place that reads it

    def permits(target_bucket: Any, target_prefix: str | None) -> bool:
        policy_statements = json.loads(target_bucket.policy or "{}").get("Statement") or []
        statements = (
            policy_statements if isinstance(policy_statements, list) else [policy_statements]
        )
        services = [each for each in statements if isinstance(each.get("Principal"), dict)]
        readable: Any = SimpleNamespace(
            policy=json.dumps({"Statement": services}).encode(),
            partition=target_bucket.partition,
            name=target_bucket.name,
        )
        return plain(readable, target_prefix)

    FakeBucket._log_permissions_enabled_policy = staticmethod(permits)  # type: ignore[method-assign]  # noqa: SLF001


def _policies_of_changed_queues() -> None:
    """Keep a queue's policy in changes that don't name one.

    moto forgets it (moto/sqs/models.py, `_set_attributes`).
    """
    from moto.sqs.models import Queue  # noqa: PLC0415

    plain = Queue._set_attributes  # noqa: SLF001  the one place that all changes pass

    @wraps(plain)
    def change(self: Any, attributes: dict[str, Any], now: float | None = None) -> None:
        former_policy = getattr(self, "policy", None)
        plain(
            self,
            attributes if "Policy" in attributes else {**attributes, "Policy": former_policy},
            now,
        )

    Queue._set_attributes = change  # type: ignore[method-assign]  # noqa: SLF001


def _names_of_spots_roles() -> None:
    """Use AWS's names of the Spot service-linked roles.

    docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html
    """
    from moto.iam import models  # noqa: PLC0415

    models.SERVICE_NAME_CONVERSION |= {"spot": "EC2Spot", "spotfleet": "EC2SpotFleet"}


def apply_caches() -> None:
    """Cache what moto recomputes: without it a request takes nearly twice as long."""
    _names_of_services()
    _names_of_actions()
    _loader_of_models()
    _keys_of_used_partitions()


def _names_of_services() -> None:
    """List moto's folders once, not in every request (moto/backends.py)."""
    from moto import backends  # noqa: PLC0415

    names = tuple(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: names


def _names_of_actions() -> None:
    """List the methods of a response class once, not in every request (moto/core/responses.py)."""
    from moto.core import responses, utils  # noqa: PLC0415

    names = cache(utils.method_names_from_class)
    responses.method_names_from_class = names  # type: ignore[attr-defined]


def _loader_of_models() -> None:
    """Read which services botocore has once, not for every service (moto/core/utils.py)."""
    from moto.core import loaders, utils  # noqa: PLC0415

    utils.create_loader = cache(loaders.create_loader)  # type: ignore[attr-defined]


def _keys_of_used_partitions() -> None:
    """Look for an access key in the partitions that have been used.

    moto looks in all six, and makes each with 1,500 managed policies for that
    (moto/iam/models.py, `get_account_id_from`).
    """
    from moto.core.models import DEFAULT_ACCOUNT_ID  # noqa: PLC0415
    from moto.iam import models  # noqa: PLC0415

    def account_of(access_key: str) -> str:
        for account, backends in list(models.iam_backends.items()):
            if any(access_key in backend.access_keys for backend in list(backends.values())):
                return account
        return DEFAULT_ACCOUNT_ID

    models.get_account_id_from = account_of
