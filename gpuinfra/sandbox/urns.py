"""The parts of a URN: `urn:pulumi:<stack>::<project>::<parents$type>::<name>`."""


def stack_of(urn: str) -> str:
    """Return the Pulumi stack."""
    return urn.removeprefix("urn:pulumi:").split("::", 1)[0]


def project_of(urn: str) -> str:
    """Return the Pulumi project."""
    return urn.split("::", 2)[1]


def type_of(urn: str) -> str:
    """Return the resource's own type, without its parents'."""
    return urn.split("::", 3)[2].rpartition("$")[2]


def name_of(urn: str) -> str:
    """Return the logical name, which may contain colons."""
    return urn.split("::", 3)[3]
