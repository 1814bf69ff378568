"""The environment in which Pulumi uses the sandbox: variables, plugins, a state folder."""

import os
import shlex
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from gpuinfra.sandbox import lifecycle
from gpuinfra.sandbox.sandbox_folder import (
    ENDPOINT_VARIABLE,
    HOME_VARIABLE,
    ON_DEMAND_VARIABLE,
    STATE_FOLDER,
    STRICT_VARIABLE,
    sandbox_home,
)

CLOUDS = ("aws", "gcp", "azure-native")
COMPONENTS = "gpuinfra"
"""The package of our own components, whose plugin builds here what it builds anywhere."""

_BIN_FOLDER = "bin"


# What SDKs and official command lines would else take for a user's own credentials. No such
# folder is made: nothing in the sandbox needs one.
_NO_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "sandbox",
    "AWS_SECRET_ACCESS_KEY": "sandbox",
    "AWS_SESSION_TOKEN": "",
    "AWS_EC2_METADATA_DISABLED": "true",
    "GOOGLE_CREDENTIALS": "",
    "GOOGLE_OAUTH_ACCESS_TOKEN": "sandbox",
    "NO_GCE_CHECK": "true",
    "ARM_CLIENT_ID": "",
    "ARM_CLIENT_SECRET": "",
    "ARM_USE_MSI": "false",
    "ARM_USE_OIDC": "false",
}
# Whose all of it is, where neither the user's own environment nor a stack's config says.
_ACCOUNTS = {
    "GOOGLE_PROJECT": "sandbox-project",
    "ARM_SUBSCRIPTION_ID": "5a4db0c5-0000-4000-8000-000000000000",
    "ARM_TENANT_ID": "7e4a4700-0000-4000-8000-000000000000",
}
_NOWHERE = {
    "GOOGLE_APPLICATION_CREDENTIALS": "no-google-credentials",
    "CLOUDSDK_CONFIG": "no-gcloud",
    "AZURE_CONFIG_DIR": "no-azure",
}


def state_environment() -> dict[str, str]:
    """Return the variables with which `pulumi` reads the sandbox's states, without a server."""
    return _variables_of(sandbox_home(), os.environ)


def environment(
    strict: bool = True, region: str | None = None, progress: lifecycle.Progress | None = None
) -> dict[str, str]:
    """Return the variables for `pulumi`, boto3 and the clouds' tools; start the server.

    Args:
        strict: refuse resource types that the sandbox has no tables of.
        region: sets AWS_REGION; without it the program or the stack's config names the region.
        progress: called with progress messages.
    """
    server = lifecycle.start(progress)
    variables = {
        **state_environment(),
        ENDPOINT_VARIABLE: server.endpoint,
        STRICT_VARIABLE: "1" if strict else "0",
        "AWS_ENDPOINT_URL": server.endpoint,
    }
    if region:
        variables["AWS_REGION"] = region
    return variables


def temporary_environment(folder: Path) -> dict[str, str]:
    """Return the variables of an empty, temporary sandbox in the folder.

    It accepts types that it has no tables of, knows nothing of the user's own environment, and
    starts its server only when a look-up asks for it; the server ends when its folder is gone.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {**_variables_of(folder, {}), STRICT_VARIABLE: "0", ON_DEMAND_VARIABLE: "1"}


def install_plugins(folder: Path) -> Path:
    """Write the sandbox's plugin executables into `folder`, and return their folder."""
    place = folder / _BIN_FOLDER
    place.mkdir(exist_ok=True)
    for cloud in CLOUDS:
        script = _script(folder, f"gpuinfra.sandbox.plugin {cloud}")
        _write_executable(place / f"pulumi-resource-{cloud}", script)
    components = _script(folder, f"{COMPONENTS}.provider")
    _write_executable(place / f"pulumi-resource-{COMPONENTS}", components)
    return place


def install_passthrough_plugins(folder: Path, packages: Mapping[str, str]) -> None:
    """Write executables that replace other packages' plugins, in a temporary sandbox.

    Args:
        folder: the sandbox's.
        packages: versions by package; those that have a plugin here are passed over.
    """
    for package, version in packages.items():
        if package not in {*CLOUDS, COMPONENTS}:
            arguments = f"{shlex.quote(package)} {shlex.quote(version)}"
            script = _script(folder, f"gpuinfra.sandbox.plugin.passthrough {arguments}")
            _write_executable(folder / _BIN_FOLDER / f"pulumi-resource-{package}", script)


def _script(folder: Path, module: str) -> str:
    package = Path(str(files("gpuinfra"))).parent
    return (
        "#!/bin/sh\n"
        f'PYTHONPATH={shlex.quote(str(package))}"${{PYTHONPATH:+:$PYTHONPATH}}" '
        f"{HOME_VARIABLE}={shlex.quote(str(folder))} "
        f'exec {shlex.quote(sys.executable)} -m {module} "$@"\n'
    )


def _variables_of(folder: Path, own_variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of every process in a folder's sandbox; accounts may be the user's."""
    state = folder / STATE_FOLDER
    state.mkdir(exist_ok=True)
    return {
        "PATH": _path(install_plugins(folder)),
        HOME_VARIABLE: str(folder),
        **_NO_CREDENTIALS,
        **{name: str(folder / path) for name, path in _NOWHERE.items()},
        **{name: own_variables.get(name) or account for name, account in _ACCOUNTS.items()},
        "PULUMI_BACKEND_URL": f"file://{state}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }


def _write_executable(path: Path, script: str) -> None:
    """Replace an executable atomically if it differs, since another engine may be running it."""
    if path.exists() and path.read_text(encoding="utf-8") == script:
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(script, encoding="utf-8")
    fresh.chmod(0o755)
    fresh.replace(path)


def _path(folder: Path) -> str:
    rest = [item for item in os.environ.get("PATH", "").split(os.pathsep) if item != str(folder)]
    return os.pathsep.join([str(folder), *rest])
