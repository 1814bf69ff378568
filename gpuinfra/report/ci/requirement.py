"""The form of what pip installs in a pipeline.

https://packaging.python.org/en/latest/specifications/dependency-specifiers/,
https://pip.pypa.io/en/stable/topics/vcs-support/ and, of a wheel's name,
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import re
from typing import Final

_EXTRAS: Final = r"(\[[a-z0-9][\w.,\- ]*\])?"
_NAME: Final = rf"gpuinfra\s*{_EXTRAS}"
_OPERATOR: Final = r"(===?|~=|!=|<=|>=|<|>)"
_VERSION: Final = rf"{_OPERATOR}\s*[\w.*+!\-]+"
_CONDITION: Final = rf"\(*\w+\s*({_OPERATOR}|\b(not\s+)?in\b)\s*('[^']*'|\"[^\"]*\")\)*"
_MARKER: Final = rf"\s*;\s*{_CONDITION}(\s+(and|or)\s+{_CONDITION})*"
_ADDRESS: Final = r"((git\+)?https?|git\+(ssh|git))://[^\s/]+/[^\s/]\S*|(git\+)?file:///\S+"
_WHEEL: Final = r"gpuinfra-[^\s/-]+-(\d[^\s/-]*-)?[^\s/-]+-[^\s/-]+-[^\s/-]+\.whl"
_ARCHIVE: Final = r"\S+\.(tar\.gz|tgz|tar\.bz2|zip)"
_FOLDER: Final = r"(\.{0,2}|[^\s/.:@]+)/\S*|\.{1,2}"
"""A path with a dot in its first part, as `git.example.com/gpuinfra`, is most likely an address
without its scheme; a folder of that name is written with `./`."""

_PATHS: Final = (rf"(?!-)(\S*/)?({_WHEEL}|{_ARCHIVE})", rf"(?!-)({_FOLDER})")
_ALL_BUT_PATHS: Final = (
    rf"{_NAME}(\s*{_VERSION}(\s*,\s*{_VERSION})*)?({_MARKER})?",
    rf"({_NAME}\s*@\s*)?({_ADDRESS})(\s{_MARKER})?",
)


def is_installable(text: str) -> bool:
    """Return whether a text has a form that `pip install` takes as gpuinfra."""
    return bool(local_path(text)) or any(
        re.fullmatch(form, text, re.IGNORECASE) for form in _ALL_BUT_PATHS
    )


def local_path(text: str) -> str:
    """Return the path of a wheel, an archive or a folder, without extras; empty for another form.

    A name that ends in .whl has to be that of a wheel of gpuinfra.
    """
    path = re.sub(rf"{_EXTRAS}$", "", text, flags=re.IGNORECASE)
    forms = _PATHS[:1] if path.endswith(".whl") else _PATHS
    is_path = "://" not in path and any(re.fullmatch(form, path) for form in forms)
    return path if is_path else ""
