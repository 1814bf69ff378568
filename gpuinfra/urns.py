"""The parts of a URN: `urn:pulumi:<stack>::<project>::<parents$type>::<name>`."""


def stack_of(urn: str) -> str:
    """Return the Pulumi stack."""
    return urn.removeprefix("urn:pulumi:").split("::", 1)[0]


def project_of(urn: str) -> str:
    """Return the Pulumi project."""
    return urn.split("::", 2)[1]


def type_of(urn: str) -> str:
    """Return the resource's own type, without its parents'; empty for what is no URN."""
    return "".join(urn.split("::", 3)[2:3]).rpartition("$")[2]


def name_of(urn: str) -> str:
    """Return the logical name, which may contain colons; of what is no URN, all of it."""
    return urn.split("::", 3)[-1]
