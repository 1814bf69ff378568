"""Names of types as a table has room for them."""


def short_type(token: str) -> str:
    """A type without the part of its module that says the class again: gcp:compute:Network."""
    if token.count(":") != 2:  # noqa: PLR2004  (a token has three parts)
        return token
    package, module, class_ = token.split(":")
    return f"{package}:{module.partition('/')[0]}:{class_}"
