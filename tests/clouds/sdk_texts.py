"""Where the resource types of the SDKs take plain texts of the program's own.

Environments, commands, headers, parameters, scripts, documents, addresses, passwords and keys are
found by the names of inputs at any depth, and maps of texts by their type. What the SDK itself
keeps as a secret is left out, and so are names, policies, tags, regions and what only describes.

To write the table anew: `python -m tests.clouds.sdk_texts > gpuinfra/clouds/plain_texts.json`.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.clouds import sdk_inputs

_KEPT: Final = re.compile(
    r'__props__\.__dict__\["(\w+)"\] = None if \w+ is None else pulumi\.Output\.secret'
)
_MAP: Final = re.compile(r"Mapping\[(?:\w+\.)?str, ")
_TEXTS: Final = re.compile(
    r"""
    (?:\w+_)?(?:commands?|command_line|args|arguments|entry_?points?|entrypoints|user_data)
    |(?:\w+_)?(?:scripts?|script_data|script_lines)
    |(?:\w+_)?(?:env|envs|environment_variables?|variables|headers|header_value)
    |(?:container|node|ecs|eks|server|resource)_properties|container_definitions
    |(?:(?:spark_\w+|input|request|run_command|connector|invocation)_)?parameters|parameter_value
    |(?:\w+_)?(?:content|content_base64|contents|payload|body)|buildspec
    |(?:target_)?input|input_template|(?:pipeline_)?definition|document|(?:\w+_function_)?code
    |(?:request|response)_(?:mapping_)?template|base_prompt_template|data
    |(?:init_)?(?:sql_)?query|sqls?|settings|options|configurations_json
    |on_create|on_start|item|configuration_values|location|repository
    |environment_settings|hugging_face_access_token|(?:script|template)_content
    |(?:integration_|authorizer_|endpoint_|location_)?uri
    |(?:\w+_)?(?:password|passwd|passphrase|secrets?|token|tokens)
    |(?:\w+_)?(?:access|account|api|auth|encryption|license|private|secret|shared)_key
    |(?:invocation_|hec_)?endpoint|(?:database_|remote_write_|target_|redirect_|account_|server_|repository_)?url
    """,
    re.VERBOSE,
)
"""How inputs are called that take texts of the program's own."""
_OTHERS: Final = re.compile(
    r"(?:\w+_)?(?:certificate|policy|ca|crl|truststore|arns?|weights?|saml|jwks)(?:_\w+)?"
    r"|allow_headers|expose_headers|(?:allowed|excluded|included)_\w+|cache_key_\w+"
    r"|(?:secret_versions?_for|secret_manager|encrypted)_\w+|last_modified_secret"
    r"|(?:akv_target|secret)_password|(?:run|start)_execution_token|event_source_token"
    r"|secret_(?:envs?|environment_variables|store_resource|volumes)|secrets_configuration"
    r"|(?:cloud|customer_managed_aws|domain_join_service_account|kubernetes|master_user|vault)_secret"
    r"|(?:available|image_pull|pull|runtime_environment|vm)_secrets|token_validity_units"
    r"|(?:client|client_request|creation|grant_creation|http|offer|public_key|assembly_public_key"
    r"|update|update_trigger|view_version)_tokens?"
)
"""How inputs are called that take none: certificates, policies, names of headers and of secrets,
ciphertexts, suffixes, and tokens that only tell requests apart."""
_NAMED: Final = re.compile(
    r"""
    aws:ecs/expressGatewayService:\S+\ primaryContainer\.secrets
    |aws:sesv2/emailIdentity:\S+\ dkimSigningAttributes\.tokens
    |azure-native:app:\w+\ template\.volumes\.secrets
    |azure-native:azurearcdata:\w+\ \S+\.(?:adminLogin|keytab|protector)Secret
    |azure-native:azurestackhci:\w+\ \S+\.deploymentData\.secrets
    |azure-native:cdn:\w+\ tlsSettings\.secret
    |azure-native:\w+:\w+\ (?:\S+\.)?osProfile\.secrets
    |azure-native:iotoperations:\w+\ \S+\.managedConfigurationSettings\.secrets
    |azure-native:keyvault:\w+\ \S+\.permissions\.secrets
    |azure-native:scom:\w+\ \S+\.(?:password|userName)Secret
    |gcp:cloudbuild/\w+:\w+\ (?:secrets|build\.secrets|webhookConfig\.secret)
    |gcp:cloudrun(?:v2)?/\w+:\w+\ \S+\.volumes\.secret
    |gcp:dataproc/\w+:\w+\ \S+\.kerberosConfig\.\w+Password
    |gcp:storage/transferJob:\S+\ \S+\.credentialsSecret
    """,
    re.VERBOSE,
)
"""Inputs, by type and path, that only name a secret which is kept elsewhere, though inputs of
other types that are called the same take one."""
_TAGS: Final = frozenset({"tags", "tags_all", "labels", "user_labels", "resource_labels"})
_IN_SCRIPT: Final = frozenset({"user_data", "metadata_startup_script"})
"""What the rule on start-up scripts reads of machines."""
_PASSWORD: Final = "osProfile.adminPassword"
_MACHINES: Final = frozenset(
    f"azure-native:{kind}"
    for kind in ("azurefleet:Fleet", "compute:VirtualMachine", "compute:VirtualMachineScaleSet")
)
"""The types whose password the rule on start-up scripts reads, too."""
_ELSEWHERE: Final = re.compile(
    r"(?:\w+_)?(?:tags|labels|annotations|location|limits|requests|levels|identities|providers)"
    r"|(?:\w+_)?(?:protected_settings|secret_reference|names|types)"
    r"|display_name|description|partner_metadata"
)
"""Of other clouds than AWS: what only names, describes or places a resource."""
_LONGEST: Final = 50
"""Where a type has more places, all below their first inputs counts."""
EXCEPT: Final[Mapping[str, str]] = {
    "aws:iam/openIdConnectProvider": "an issuer, which everyone may know",
    "aws:lex/": "messages to callers, below each other without end",
    "aws:transfer/sshKey": "a public key",
    "aws:waf": "matches of requests, below each other without end",
    "azure-native:datafactory:LinkedService": "a SecureString is kept as a secret",
    "azure-native:network:": "networks, below each other without end",
    "azure-native:providerhub:": "settings of Azure's own",
    "gcp:compute/instance": "its metadata is read as a start-up script",
    "gcp:compute/project": "its metadata is read as that of machines",
    "gcp:compute/regionInstanceTemplate": "its metadata is read as a start-up script",
    "gcp:containeranalysis/": "notes on images, which scanners write",
    "gcp:secretmanager/": "kept as a secret",
}
"""Types that are left out, by how their tokens begin, and why."""
Found = dict[str, tuple[str, ...]]


def found() -> Found:
    """The inputs of each type that take plain texts, with a dot between names."""
    every: Found = {}
    for module in ("pulumi_aws", "pulumi_gcp", "pulumi_azure_native"):
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        for package in sorted(Path(spec.origin).parent.rglob("__init__.py")):
            if not sdk_inputs._VERSION.fullmatch(package.parent.name):
                every |= _of_package(package.parent)
    return every


def _of_package(package: Path) -> Found:
    every: Found = {}
    shared = package / "_inputs.py"
    nested = sdk_inputs._classes(shared.read_text()) if shared.exists() else {}
    for file in sorted(package.glob("[!_]*.py")):
        text = file.read_text()
        token, own = sdk_inputs._TOKEN.search(text), sdk_inputs._classes(text)
        if token and ":" in token[1] and own and not token[1].startswith(tuple(EXCEPT)):
            kept = frozenset(_KEPT.findall(text))
            inputs = next(iter(own.values()))
            top = {name: kind for name, kind in inputs.items() if name not in kept}
            paths = dict.fromkeys(
                path
                for path in _texts(top, {**nested, **own}, (), ())
                if not _NAMED.fullmatch(f"{token[1]} {path}")
            )
            if not token[1].startswith("aws:"):
                paths = dict.fromkeys(_shorter([path for path in paths if _holds_text(path)]))
            if token[1] in _MACHINES:
                paths = {path: None for path in paths if not path.endswith(_PASSWORD)}
            every |= {token[1]: tuple(paths)} if paths else {}
    return every


def _holds_text(path: str) -> bool:
    return not _ELSEWHERE.fullmatch(_snake(path.rpartition(".")[2]))


def _shorter(paths: Sequence[str]) -> Sequence[str]:
    return paths if len(paths) <= _LONGEST else [path.partition(".")[0] for path in paths]


def _texts(
    inputs: Mapping[str, str],
    nested: Mapping[str, Mapping[str, str]],
    above: tuple[str, ...],
    path: tuple[str, ...],
) -> Iterator[str]:
    for name, kind in inputs.items():
        here = (*path, _camel(name))
        if _is_left_out(name, path):
            continue
        if _is_text(name, kind) or _MAP.search(kind):
            yield ".".join(here)
            continue
        for part in sdk_inputs._NESTED.findall(kind):
            if part in nested and part not in above:
                yield from _texts(nested[part], nested, (*above, part), here)


def _is_left_out(name: str, path: tuple[str, ...]) -> bool:
    """Whether an input holds no text of the program's own, or what the service keeps as a secret.

    Tags of what a resource makes are read; a resource's own are read of every type.
    """
    if name in _TAGS:
        return not path
    return name in _IN_SCRIPT or bool(_OTHERS.fullmatch(name))


def _is_text(name: str, kind: str) -> bool:
    return bool(_TEXTS.fullmatch(name)) and ("str" in kind or "Any" in kind or "Args" in kind)


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", name)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.rstrip("_"))


def table() -> str:
    """The table as it is shipped, a type a line."""
    about = (
        "Inputs of types that take texts of the program's own, readable by all who may "
        "describe the resource or read the state: environments, commands, headers, parameters, "
        "scripts, documents, addresses, passwords and keys. Below each, every value counts. "
        "Written by tests/clouds/sdk_texts.py from the SDK's inputs; what the SDK keeps as "
        "a secret is left out."
    )
    rows = ",\n".join(
        json.dumps([kind, " ".join(paths)]) for kind, paths in sorted(found().items())
    )
    head = {
        "about": about,
        "as_of": "2026-11-27",
        "source": ", ".join(map(sdk_inputs.version_of, ("aws", "gcp", "azure-native"))),
    }
    words = json.dumps(head, indent=1)[:-2]
    return f'{words},\n "columns": ["type", "paths"],\n "rows": [\n{rows}\n ]\n}}\n'


if __name__ == "__main__":
    sys.stdout.write(table())
