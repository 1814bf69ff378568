"""More bucket configuration: logging, object lock, replication, notifications."""

from typing import Any

from gpuinfra.sandbox.aws.bucket_settings import S3Document
from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler
from gpuinfra.sandbox.plugin.contract import Call

_TARGETS = ("targetBucket", "targetPrefix", "targetGrants", "targetObjectKeyFormat")
_NOTIFICATION_FORMS = {
    "lambdaFunctions": ("LambdaFunctionConfigurations", "LambdaFunctionArn", "lambdaFunctionArn"),
    "queues": ("QueueConfigurations", "QueueArn", "queueArn"),
    "topics": ("TopicConfigurations", "TopicArn", "topicArn"),
}
_FILTERS = {"filterPrefix": "prefix", "filterSuffix": "suffix"}


def _write_logging(inputs: Properties) -> Properties:
    return {"loggingEnabled": {key: inputs[key] for key in _TARGETS if inputs.get(key)}}


def _read_logging(existing: Properties, known: Properties) -> Properties | None:
    """Return the logging without a key format, which moto does not keep."""
    del known
    return {key: existing[key] for key in _TARGETS[:2] if key in existing} or None


def _write_lock(inputs: Properties) -> Properties:
    rule = {"rule": inputs["rule"]} if inputs.get("rule") else {}
    return {"objectLockEnabled": inputs.get("objectLockEnabled") or "Enabled", **rule}


def _read_lock(existing: Properties, known: Properties) -> Properties | None:
    if existing.get("objectLockEnabled") != "Enabled":
        return None
    rule = existing.get("rule") or {}
    retention = {
        key: value for key, value in (rule.get("defaultRetention") or {}).items() if value
    }
    switch = {"objectLockEnabled": "Enabled"} if "objectLockEnabled" in known else {}
    return {**switch, "rule": {"defaultRetention": retention} if retention else None}


def _write_replication(inputs: Properties) -> Properties:
    return {"role": inputs["role"], "rules": inputs["rules"]}


def _read_replication(existing: Properties, known: Properties) -> Properties:
    """Return the known rules with moto's id, priority, status and destination."""
    by_id = {rule.get("id"): rule for rule in known.get("rules") or []}
    unnamed = [rule for rule in known.get("rules") or [] if not rule.get("id")]
    rules = []
    for rule in existing["rules"]:
        declared_rule = by_id.get(rule["id"]) or (unnamed.pop(0) if unnamed else None)
        if declared_rule is None:
            rules.append(rule)
            continue
        target = rule["destination"]
        destination = {key: target[key] for key in ("bucket", "storageClass") if key in target}
        read_rule = {
            "status": rule["status"],
            "destination": {**declared_rule["destination"], **destination},
        }
        rules.append({**declared_rule, **read_rule})
    return {"role": existing["role"], "rules": rules}


COMPANIONS = {
    "bucketLogging:BucketLogging": S3Document(
        "bucket_logging",
        "LoggingEnabled",
        _write_logging,
        _read_logging,
        argument="BucketLoggingStatus",
        put_shape="BucketLoggingStatus",
        empty={},
    ),
    "bucketObjectLockConfiguration:BucketObjectLockConfiguration": S3Document(
        "object_lock_configuration",
        "ObjectLockConfiguration",
        _write_lock,
        _read_lock,
        # A lock, once enabled, stays: the provider only takes the rule away.
        empty={"ObjectLockEnabled": "Enabled"},
    ),
    "bucketReplicationConfig:BucketReplicationConfig": S3Document(
        "bucket_replication", "ReplicationConfiguration", _write_replication, _read_replication
    ),
}


class BucketNotification(PutHandler):
    """``aws:s3/bucketNotification:BucketNotification``, id the bucket's name.

    moto forgets that EventBridge is told: this is answered as last known.
    """

    id_input = "bucket"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("s3")
        configuration = client.get_bucket_notification_configuration(Bucket=resource_id)
        listed = {
            key: [_notification_outputs(item, key) for item in configuration.get(names[0]) or []]
            or None
            for key, names in _NOTIFICATION_FORMS.items()
        }
        if not any(listed.values()) and not call.inputs.get("eventbridge"):
            return None
        return {"bucket": resource_id, **_without_generated_ids(listed, call.inputs)}

    def put(self, call: Call, resource_id: str) -> None:
        self._put(call, resource_id, call.inputs)

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id, {})

    def _put(self, call: Call, bucket: str, inputs: Properties) -> None:
        client = call.client("s3")
        configuration: dict[str, Any] = {
            names[0]: [_configuration(item, names) for item in inputs[key]]
            for key, names in _NOTIFICATION_FORMS.items()
            if inputs.get(key)
        }
        if inputs.get("eventbridge"):
            configuration["EventBridgeConfiguration"] = {}
        client.put_bucket_notification_configuration(
            Bucket=bucket, NotificationConfiguration=configuration
        )


def _configuration(notification: Properties, names: tuple[str, str, str]) -> dict[str, Any]:
    _, target, key = names
    rules = [
        {"Name": name, "Value": notification[property_name]}
        for property_name, name in _FILTERS.items()
        if notification.get(property_name)
    ]
    built = {target: notification[key], "Events": notification["events"]}
    built |= {"Id": notification["id"]} if notification.get("id") else {}
    return built | ({"Filter": {"Key": {"FilterRules": rules}}} if rules else {})


def _notification_outputs(notification: dict[str, Any], key: str) -> Properties:
    _, target, property_name = _NOTIFICATION_FORMS[key]
    rules = notification.get("Filter", {}).get("Key", {}).get("FilterRules", [])
    values = {rule["Name"].lower(): rule["Value"] for rule in rules}
    filters = {name: values[aws_name] for name, aws_name in _FILTERS.items() if aws_name in values}
    return {
        "id": notification["Id"],
        "events": notification["Events"],
        property_name: notification[target],
        **filters,
    }


def _without_generated_ids(listed: dict[str, Any], known: Properties) -> dict[str, Any]:
    """Return items without AWS's generated ids where the program gives none."""
    read = {}
    for key, items in listed.items():
        known_items = known.get(key) or []
        items_with_id = [item for item in known_items if item.get("id")]
        lacks_ids = bool(known_items) and not items_with_id
        read[key] = (
            [{name: value for name, value in item.items() if name != "id"} for item in items]
            if items and lacks_ids
            else items
        )
    return read
