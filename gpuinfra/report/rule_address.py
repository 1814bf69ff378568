"""The address of a rule's page on the documentation site, once the site has one."""

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from gpuinfra.rules import Rule

_LABEL = "Documentation, "


@cache
def site() -> str:
    """The site's address: `Documentation` under `[project.urls]`; empty while there is none."""
    try:
        urls = metadata("gpuinfra").get_all("Project-URL") or ()
    except PackageNotFoundError:
        return ""
    addresses = (url.removeprefix(_LABEL) for url in urls if url.startswith(_LABEL))
    return next(addresses, "").rstrip("/")


def page_of(rule: Rule) -> str:
    """The address of the page that is about this rule alone; empty while the site has none."""
    return f"{site()}/rules/{rule.id}.html" if site() else ""
