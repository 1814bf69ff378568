"""The commented stack file that `gpuinfra init` writes, for each cloud."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gpuinfra.specs.values import Email
from gpuinfra.stackfile.git_user import is_valid_for
from gpuinfra.stackfile.reader import loads
from gpuinfra.stackfile.starter_settings import WorkloadSettings
from gpuinfra.stackfile.yaml_edit import yaml_text

_MONTHLY_BUDGET_LINE: Final = (
    "  per_month: 6000             # 730 hours; also kept as a budget in the cloud"
)

_ARGS_EXAMPLE: Final = """\
    # vLLM serves its default model until args name yours
    # args: [--model, meta-llama/Llama-3.1-8B-Instruct, --max-model-len, "8192"]
"""

EXAMPLE_MODEL_GB: Final = 20
"""The GPU memory from which on the model of the example fits: 16 GB of weights and its cache."""

_AWS: Final = {
    "REGION": "us-east-1",
    "NETWORK": """
# One network and one NAT gateway for all workloads; without this each one has its own.
network: {shared: true}
""",
    "MONTH": _MONTHLY_BUDGET_LINE,
    "MACHINES": """\
    instance: g6.8xlarge      # or gpu: H100:8, or gpu: {memory: 80GB.., count: 8, nvlink: true}
    nodes: 2
    fabric: required          # RDMA between the nodes (EFA on AWS); or preferred, or none
    capacity: [spot, on-demand]   # tried in this order
    max_price: 1.50           # USD per node-hour that a spot request may cost
    time_to_live: 5h          # its machines end then, whatever the run does""",
    "GPU": "L4:1",
    "ARGS": _ARGS_EXAMPLE,
    "REPLICAS": "1..3",
}

_GCP: Final = {
    "REGION": "us-central1",
    "NETWORK": "",
    "MONTH": """\
  per_month: 6000             # 730 hours, with the extra machines of an update
  # billing_account: 01ABCD-234567-89EF01   # yours, for a budget of per_month in the cloud too""",
    "MACHINES": """\
    gpu: L4:1                 # or instance: g2-standard-8, or gpu: {memory: 80GB.., count: 8}
    nodes: 2
    fabric: none              # these talk over TCP; gpu: H100:8 may have fabric: required
    capacity: [spot, on-demand]   # tried in this order; spot counts at the on-demand price
    time_to_live: 5h          # its machines end then, whatever the run does""",
    "GPU": "L4:1",
    "ARGS": _ARGS_EXAMPLE,
    "REPLICAS": "2..3",
}

_AZURE: Final = {
    "REGION": "eastus",
    "NETWORK": "",
    "MONTH": _MONTHLY_BUDGET_LINE,
    "MACHINES": """\
    gpu: T4:1                 # or instance: Standard_NC8as_T4_v3, or gpu: H100:8
    nodes: 2
    fabric: none              # these talk over TCP; gpu: H100:8 may have fabric: required
    capacity: [spot, on-demand]   # tried in this order
    max_price: 0.40           # USD per node-hour that a spot request may cost
    time_to_live: 5h          # its machines end then, whatever the run does""",
    "GPU": "T4:1",
    "ARGS": "",
    "REPLICAS": "1..3",
}

STARTERS: Final = {"aws": _AWS, "gcp": _GCP, "azure": _AZURE}
"""The cloud-specific parts of the text."""


def starter(name: str, cloud: str = "aws", owner: str = "ml-platform") -> str:
    """Return a commented stack file of a small training run, a small pool and a bucket.

    Args:
        name: the stack's.
        cloud: one of STARTERS.
        owner: the stack's; mails of its budget go there where it is an address.

    Raises:
        InputError: the name can't be a stack's name.
    """
    text = Path(__file__).with_name("starter.yaml.in").read_text("utf-8")
    values = {
        "NAME": yaml_text(name),
        "OWNER": f"{yaml_text(owner):11}",
        "NOTIFY": yaml_text(owner) if is_valid_for(Email, owner) else "ml-platform@example.com",
        "CLOUD": f"{cloud:5}",
        **STARTERS[cloud],
    }
    text = _filled(text, values)
    loads(text, "stack.yaml")
    return text


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in place of their names between @."""
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


SCHEMA: Final = ".gpuinfra/stack.schema.json"
"""The path of the JSON Schema for editors, relative to the stack file's folder."""

MODELINE: Final = f"# yaml-language-server: $schema={SCHEMA}\n"
"""The first line of a stack file, by which an editor finds it."""

_DEVELOPMENT: Final = """\
training:
  box:                        # one machine to develop on
    @MACHINE@
@ENDS@"""

_IDLE_STOP: Final = """\
    all_or_nothing: true      # so that idle_stop keeps the disk; otherwise it is deleted
    idle_stop: {below: 5%, after: 1h}   # of GPU use; work on the CPU counts as idle
"""

_NO_IDLE_STOP: Final = """\
    time_to_live: 72h         # it is deleted then, with its disk: there is no idle_stop here
"""

_FINE_TUNE: Final = """\
training:
  fine-tune:
    @MACHINE@
    duration: @DURATION@
    time_to_live: @TIME_TO_LIVE@         # its machines end then, whatever the run does
    checkpoints: {bucket: runs, every: 10m}
buckets:
  runs: {size: 500GB}
"""

_POOL: Final = """\
inference:
  chat:
    @MACHINE@
    replicas: 2..4
@ARGS@    image: vllm/vllm-openai:v0.11.0
    port: 8000
"""

_SMALL: Final = ("L4:1", "T4:1", "A10G:1", "A10:1", "V100:1")
_BIG: Final = ("H100:8", "H200:8", "A100:8", "B200:8")

SHORT_FILES: Final = {
    "development": ("a machine to develop on", _SMALL, _DEVELOPMENT),
    "fine-tune": ("a training run with checkpoints", _BIG, _FINE_TUNE),
    "pool": ("machines that serve a model", _SMALL, _POOL),
}
"""The kinds of files that `init` writes: description, suggested GPUs in order, and text."""

KIND_WORDS: Final = {
    **dict.fromkeys(("dev", "box", "notebook", "workstation"), "development"),
    **dict.fromkeys(("training", "train", "finetune", "lora", "run"), "fine-tune"),
    **dict.fromkeys(("inference", "serve", "serving", "server", "endpoint"), "pool"),
}
"""Other words for the kinds."""


def short_stack_file(
    kind: str,
    gpu: str,
    settings: WorkloadSettings,
    *,
    head: str,
    stops_idle: bool = False,
    memory_gb: int | None = None,
) -> str:
    """Return a stack file of a few lines.

    Args:
        kind: one of SHORT_FILES.
        gpu: the GPUs of one machine, for example L4:1; unused where the settings name its type.
        settings: of the workload.
        head: lines for the owner, for what no default is found for, and of the caps.
        stops_idle: whether the machines take idle_stop; without it they end after a time.
        memory_gb: of all GPUs of a machine; None where it is unknown.
    """
    fits_example = memory_gb is None or memory_gb >= EXAMPLE_MODEL_GB
    type_ = settings.instance
    machine = f"gpu: {yaml_text(gpu)}" if type_ is None else f"instance: {yaml_text(type_)}"
    values = {
        "MACHINE": "\n    ".join((machine, *settings.lines(kind))),
        "ENDS": _IDLE_STOP if stops_idle else _NO_IDLE_STOP,
        "DURATION": settings.run_duration,
        "TIME_TO_LIVE": settings.time_to_live,
        "ARGS": _ARGS_EXAMPLE if fits_example else "",
    }
    return f"{MODELINE}{head}{_filled(SHORT_FILES[kind][2], values)}"
