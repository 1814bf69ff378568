"""Training runs and inference pools."""

from datetime import timedelta
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from gpuinfra.specs import other_tool_keys, shorthand, unsupported_words
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import JsonSchema, input_error
from gpuinfra.specs.forms import Form, ListRule, RequiredKeyForm, RequiredKeys
from gpuinfra.specs.framework import Framework
from gpuinfra.specs.gpu_request import GpuRequest
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.operations import IdleStop
from gpuinfra.specs.schema.capacity import Ladder, PoolCapacity, ScaleOn, Step, Where
from gpuinfra.specs.storage import SharedStorage
from gpuinfra.units import SIZE_ALLOWED

Instances = Annotated[tuple[v.Instance, ...], ListRule("mixed: [g6.xlarge]", repeated=False)]

Arguments = Annotated[
    tuple[v.Argument, ...],
    ListRule("args: [--model, meta-llama/Llama-3.1-8B-Instruct]", most=256),
]


class Mount(Form):
    """A bucket that the machines see as a folder."""

    bucket: v.Name = Field(description="A bucket of this file.")
    prefix: v.Prefix = Field(
        default="", description="Only this part of the bucket, for example tokens/ ."
    )
    mode: v.Mode = Field(default="read", description="read or write.")
    rate: v.Rate | None = Field(
        default=None,
        description="Read rate of all machines together, for example 4GB/s, for the quote.",
    )


Mounts = Annotated[tuple[Mount, ...], ListRule("data: [{bucket: data, prefix: tokens/}]")]


class Checkpoints(Form):
    """The location and interval of a run's checkpoints."""

    bucket: v.Name = Field(description="A bucket of this file.")
    prefix: v.Prefix = Field(
        default="checkpoints/", description="The part of the bucket to write to."
    )
    every: v.Interval = Field(
        default=timedelta(minutes=10), description="Time between two checkpoints, for example 10m."
    )
    size: v.Size | None = Field(
        default=None, description="Size of one checkpoint, for example 140GB, for the quote."
    )
    keep: v.Runs | None = Field(
        default=None,
        description="Checkpoints of a run that the program keeps, for the quote; all when absent.",
    )
    write: v.Rate | None = Field(
        default=None, description="Write rate of all machines together, for example 2GB/s."
    )
    restart: v.Duration | None = Field(
        default=None, description="Time to resume training after an interruption, for example 10m."
    )


class Disk(Form):
    """The machine's own disk; a bare size like `500GB` is short for `{size: 500GB}`."""

    short = SIZE_ALLOWED
    size: v.Size = Field(default=200 * 10**9, description="Size of the disk, for example 200GB.")
    iops: v.Iops | None = Field(
        default=None, description="IOPS, when more than the default are needed."
    )
    throughput: v.Throughput | None = Field(
        default=None, description="Throughput in MiB/s, when more is needed."
    )

    @classmethod
    def spelled_out(cls, raw_value: Any) -> Any:
        """Return the mapping that a short form stands for; anything else unchanged."""
        return shorthand.disk(raw_value)

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.disk_schema(super()._user_schema(mapping))


class Workload(RequiredKeyForm):
    """The common keys of training and inference."""

    unsupported_keys = unsupported_words.WORKLOAD
    key_synonyms = other_tool_keys.WORKLOAD_MEANT
    needs = RequiredKeys(
        keys=("gpu", "instance"),
        exactly_one=True,
        lacks="neither gpu nor instance",
        fix="write gpu: H100:8 to have a machine chosen, or instance: p5.48xlarge",
    )

    gpu: GpuRequest | None = Field(
        default=None,
        description="GPUs of one machine, for example H100:8 or L4:1; or set `instance`.",
    )
    instance: v.Instance | None = Field(default=None, description="A machine type; or set `gpu`.")
    max_price: v.Money | None = Field(
        default=None, description="Maximum spot price in USD per node-hour; counted by the caps."
    )
    data: Mounts = Field(default=(), description="Buckets that the machines mount.")
    disk: Disk = Field(
        default_factory=Disk, description="The machine's own disk, for example 500GB."
    )
    machine_image: v.MachineImage | None = Field(
        default=None, description="An image instead of the default."
    )
    where: Where | None = Field(default=None, description="Other regions than the stack's.")
    network: NetworkSpec | None = Field(
        default=None,
        description="Another network than the stack's: an existing one, or settings for a created "
        "one.",
    )
    time_to_live: v.Duration | None = Field(
        default=None,
        description="Maximum lifetime of its machines from the first up, for example 72h; without "
        "it a month counts 730 hours.",
    )

    @model_validator(mode="after")
    def _own_network(self) -> Self:
        if self.network is not None and self.network.shared:
            raise input_error(
                "can't set shared on its own network",
                allowed="network: {shared: true} at the top of the file",
                fix="move network: {shared: true} to the top of the file; a workload with a "
                "network of its own does not share",
                structural=False,
            )
        return self


class Training(Workload):
    """A training run on one node or on a cluster."""

    key_hints = other_tool_keys.TRAINING
    key_synonyms = other_tool_keys.TRAINING_MEANT

    nodes: v.Nodes = Field(default=1, description="Machines of the run.")
    fabric: v.Fabric = Field(
        default_factory=lambda data: "required" if data.get("nodes", 1) > 1 else "none",
        description="RDMA network between nodes; required when there are several.",
    )
    capacity: Ladder = Field(
        default_factory=lambda: (Step(kind="on-demand"),),
        description="Purchase options, tried in this order: spot, on-demand.",
    )
    duration: v.Duration | None = Field(
        default=None,
        description="Duration of a run, for example 72h, without writing checkpoints; the cap per "
        "run counts it and the known time to write checkpoints, and a month only if time_to_live "
        "is set.",
    )
    runs: v.Runs = Field(default=1, description="Runs per month, for the quote.")
    interruptions: v.InterruptionShare | None = Field(
        default=None,
        description="Share of spot machines interrupted per month, for example 5%, for the quote.",
    )
    checkpoints: Checkpoints | None = Field(
        default=None, description="Where a run saves its checkpoints."
    )
    command: v.Command | None = Field(default=None, description="What each node starts.")
    framework: Framework | None = Field(
        default=None, description="Versions that the job requires of the machines' image."
    )
    shared_storage: SharedStorage | None = Field(
        default=None, description="A parallel file system mounted on the machines at /shared."
    )
    idle_stop: IdleStop | None = Field(
        default=None,
        description="Stop the machines when their GPUs are idle. Machines on demand with "
        "all_or_nothing: true keep their disks; others are deleted, with their disks.",
    )
    all_or_nothing: v.Flag = Field(
        default=False,
        description="Request all machines at once, or none; a lost machine is not replaced.",
    )
    efa_layout: v.EfaLayout = Field(
        default="standard",
        description="EFA interfaces: standard, most-ip (bandwidth), fewest-ip or classic.",
    )
    ena_express: v.Flag = Field(
        default=False, description="ENA Express between the machines' IP interfaces."
    )
    preflight: v.Flag = Field(
        default=True, description="Check GPUs and fabric before a machine joins the run."
    )


class Inference(Workload):
    """A pool of machines behind one endpoint, or that processes a queue."""

    unsupported_keys = unsupported_words.INFERENCE
    key_hints = other_tool_keys.INFERENCE
    key_synonyms = other_tool_keys.INFERENCE_MEANT

    replicas: v.Replicas = Field(
        description="Machines: 2, or a range, for example 1..20.", examples=["1..3"]
    )
    expected: v.Base | None = Field(
        default=None,
        description="Mean number of machines, for the quote; the minimum when absent.",
    )
    scale_on: ScaleOn = Field(
        default_factory=lambda: ScaleOn.model_validate({"gpu_utilization": "70%"}),
        description="The one metric that the pool scales on; by default gpu_utilization: 70%.",
    )
    capacity: PoolCapacity = Field(
        default_factory=PoolCapacity,
        description="spot, on-demand, or an on-demand base and the option above it.",
    )
    image: v.Image = Field(
        description="The container that serves requests; `args` names its model.",
        examples=["vllm/vllm-openai:v0.11.0"],
    )
    args: Arguments | None = Field(
        default=None,
        description="Arguments that the container is started with, in this order, for example "
        '[--max-model-len, "8192"]; without them the image\'s own.',
    )
    port: v.Port = Field(description="The container's port.", examples=[8000])
    health: v.UrlPath = Field(
        default="/health", description="The path that answers 200 when ready."
    )
    mixed: Instances = Field(
        default=(), description="Other machine types for the pool, for example g5.xlarge."
    )
    certificate: v.Certificate | None = Field(
        default=None,
        description="Serve HTTPS with this certificate; without it plain HTTP inside the network.",
    )
    idle_timeout: v.Duration | None = Field(
        default=None,
        description="Maximum time without data on a connection, while a model computes; 5m when "
        "absent.",
    )

    @model_validator(mode="after")
    def _check_start_from_zero(self) -> Self:
        if self.replicas.minimum == 0 and self.scale_on.queue is None:
            raise input_error(
                "starts at 0 machines, and only a queue can wake a pool",
                allowed="replicas of at least 1, or, on AWS, scale_on: {queue: …}",
                fix="write replicas: 1..20, or, on AWS, "
                "scale_on: {queue: {messages_per_machine: 10}}",
                structural=False,
            )
        return self
