"""Short names of types for tables."""


def short_type(token: str) -> str:
    """Return a type without the repeated class in its module: gcp:compute:Network."""
    if token.count(":") != 2:  # noqa: PLR2004  (a token has three parts)
        return token
    package, module, class_ = token.split(":")
    return f"{package}:{module.partition('/')[0]}:{class_}"
