"""The environment of a preview's processes: no credentials, no proxies, separate folders."""

import os
import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from gpuinfra.engine.contract import Engine
from gpuinfra.sandbox.variables import temporary_environment

_PREFIXES: Final = (
    *("AWS_", "AMAZON_", "GOOGLE_", "GCLOUD_", "GCP_", "CLOUDSDK_", "ARM_", "AZURE_", "MSI_"),
    *("PULUMI_", "GPUINFRA_SANDBOX_", "KUBE", "DOCKER_", "VAULT_", "TF_", "ACTIONS_", "CI_JOB_"),
)
"""How variables begin that are credentials, lead to them, or steer an engine."""

_SECRET_NAME: Final = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|(?:API|ACCESS|AUTH|SIGNING)_?KEY|SSH_A|_PROXY$",
    re.IGNORECASE,
)
"""What stands in the names of others that are, and of proxies."""

_NOWHERE: Final = {
    "AWS_SHARED_CREDENTIALS_FILE": "no-aws-credentials",
    "AWS_CONFIG_FILE": "no-aws-config",
    "KUBECONFIG": "no-kubeconfig",
    "DOCKER_CONFIG": "no-docker",
    "PULUMI_HOME": "pulumi",
}
"""Files and folders of a user that SDKs look into, each put where there is nothing."""

_QUIET: Final = {
    "PULUMI_SKIP_UPDATE_CHECK": "true",
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    "PULUMI_AUTOMATION_API": "true",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "NO_COLOR": "1",
}


def allowed_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that a checked program may see."""
    return {
        name: value
        for name, value in environment.items()
        if not name.upper().startswith(_PREFIXES) and not _SECRET_NAME.search(name)
    }


def engine_environment(engine: Engine, sandbox_folder: Path, tools: Path) -> dict[str, str]:
    """Return the full environment of the engine, its plugins and the program.

    Args:
        engine: the Pulumi CLI.
        sandbox_folder: a throw-away folder, which gets the sandbox and the backend.
        tools: a folder with further executables that the engine may start.
    """
    variables = temporary_environment(sandbox_folder / "sandbox")
    path = [variables["PATH"], str(tools), str(engine.path.parent)]
    return {
        **allowed_variables(os.environ),
        **variables,
        **{name: str(sandbox_folder / where) for name, where in _NOWHERE.items()},
        **_QUIET,
        "PATH": os.pathsep.join(path),
    }


def with_our_packages(environment: Mapping[str, str]) -> dict[str, str]:
    """Return a program's environment for gpuinfra's interpreter, which can import gpuinfra."""
    package = str(Path(str(files("gpuinfra"))).parent)
    if package in (path for path in sys.path if "site-packages" in path):
        return dict(environment)
    python_path = environment.get("PYTHONPATH")
    return {**environment, "PYTHONPATH": os.pathsep.join(filter(None, (python_path, package)))}
