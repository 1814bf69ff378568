"""Pulumi's protocol messages without the SDK, for processes that only serve.

`import pulumi` loads the Automation API, tracing and dill, more than a plugin of the sandbox does
itself, and the engine waits for each plugin that it starts. The generated messages need none of
that: they are in `pulumi.runtime.proto`, and import each other and protobuf.
"""

import sys
from importlib.util import find_spec
from types import ModuleType


def skip_sdk_imports() -> None:
    """Make `pulumi.runtime.proto` importable without its parent packages' imports.

    Only at the start of a process, which has no use for the SDK itself.
    """
    spec = find_spec("pulumi")
    if spec is None or spec.submodule_search_locations is None:
        return  # the import that follows says that it is missing
    path = spec.submodule_search_locations[0]
    for name, folder in (("pulumi", path), ("pulumi.runtime", f"{path}/runtime")):
        parent = ModuleType(name)
        parent.__path__ = [folder]
        sys.modules[name] = parent
