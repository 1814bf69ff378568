"""Google Cloud names: rules per type, and the scope in which each is unique.

Each rule's source is `name_source` in data/gcp.json; those that the tables lack are named here.
Names that are left out: pulumi-gcp makes them up in lower case (provider/resources.go).
"""

from collections.abc import Callable

from gpuinfra.sandbox.plugin.gcp import paths
from gpuinfra.sandbox.plugin.naming import Naming
from gpuinfra.sandbox.plugin.schema import Schema

_BUCKET_TYPE = "gcp:storage/bucket:Bucket"
_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
_RFC1035 = r"[a-z](?:[-a-z0-9]*[a-z0-9])?"
_RFC1035_SAYS = "a lower-case letter first, then lower-case letters, digits and -, no - at the end"
# docs.cloud.google.com/storage/docs/buckets#naming
_BUCKET = r"(?!goog)(?!.*google)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?"
# docs.cloud.google.com/pubsub/docs/pubsub-basics#resource_names
_TOPIC = r"(?!goog)[A-Za-z][A-Za-z0-9._~+%-]*"
# docs.cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings/create
_KEY = r"[a-zA-Z0-9_-]+"

_SPECIAL: dict[str, tuple[str, int, int, str, str]] = {
    "gcp:compute/routerNat:RouterNat": ("name", 2, 63, _RFC1035, _RFC1035_SAYS),
    "gcp:container/cluster:Cluster": ("name", 1, 40, _RFC1035, _RFC1035_SAYS),
    "gcp:container/nodePool:NodePool": ("name", 1, 40, _RFC1035, _RFC1035_SAYS),
    "gcp:kms/cryptoKey:CryptoKey": ("name", 1, 63, _KEY, "letters, digits, _ and -"),
    "gcp:kms/keyRing:KeyRing": ("name", 1, 63, _KEY, "letters, digits, _ and -"),
    "gcp:lustre/instance:Instance": ("instanceId", 1, 63, _RFC1035, _RFC1035_SAYS),
    "gcp:pubsub/topic:Topic": (
        "name",
        3,
        255,
        _TOPIC,
        "a letter first, then letters, digits and ._~+%-, not starting with goog",
    ),
    _ROLE: ("roleId", 3, 64, r"[a-zA-Z0-9_.]+", "letters, digits, _ and ."),
    "gcp:serviceaccount/account:Account": ("accountId", 6, 30, _RFC1035, _RFC1035_SAYS),
    _BUCKET_TYPE: (
        "name",
        3,
        63,
        _BUCKET,
        "lower-case letters, digits, - _ and . inside, no 'google', not an IP address",
    ),
}
_TAKEN = "The resource '{}' already exists"
_TAKEN_BUCKET = (
    "The requested bucket name is not available. The bucket namespace is shared by all users of "
    "the system. Please select a different name and try again. ({name})"
)


def rules(tables: Schema) -> Callable[[str], Naming | None]:
    """What each type demands of its name."""

    def rule(token: str) -> Naming | None:
        kind = tables.type(token)
        if kind is None:
            return None
        key, low, high, pattern, says = _SPECIAL.get(
            token, ("name", 1, 63, _RFC1035, _RFC1035_SAYS)
        )
        parts = paths.slots(kind)
        if key not in kind.inputs or key not in parts:
            return None
        bucket = token == _BUCKET_TYPE
        return Naming(
            key=key,
            minimum=low,
            maximum=high,
            pattern=pattern,
            says=says,
            lower=True,
            duplicate="conflict" if bucket else "alreadyExists",
            taken=_TAKEN_BUCKET if bucket else _TAKEN.format(paths.form(kind, "{", "}")),
            scope=tuple(dict.fromkeys(part for part in parts if part != key)),
            worldwide=True,
        )

    return rule
