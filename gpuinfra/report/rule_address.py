"""The URL of a rule's page on the documentation site, if there is one."""

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from gpuinfra.errors import command_line
from gpuinfra.rules import Rule

_LABEL = "Documentation, "


@cache
def site() -> str:
    """Return the site's URL: `Documentation` in `[project.urls]`; empty if not set."""
    try:
        urls = metadata("gpuinfra").get_all("Project-URL") or ()
    except PackageNotFoundError:
        return ""
    addresses = (url.removeprefix(_LABEL) for url in urls if url.startswith(_LABEL))
    return next(addresses, "").rstrip("/")


def page_of(rule: Rule) -> str:
    """Return the URL of the rule's page; empty without a site."""
    return _url(rule.id)


def more_about(rule: str) -> str:
    """Return where a rule is explained: its page; without a site, the command that prints it."""
    return _url(rule) or command_line("explain", rule)


def linked_name(rule: str) -> str:
    """Return a rule's name in Markdown: a link to its page; plain without a site."""
    return f"[{rule}]({_url(rule)})" if _url(rule) else rule


def _url(rule: str) -> str:
    return f"{site()}/rules/{rule}.html" if site() else ""
