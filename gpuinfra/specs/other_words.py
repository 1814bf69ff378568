"""Names of other tools for keys of a stack file, each with what to write instead.

They were collected from what newcomers typed, and from the keys of SkyPilot, dstack, Kubernetes,
Compose and Terraform; a test sees that every key that is named here is one of the grammar. `<…>`
in what to write is an example, in place of which a message has the value that was written.
"""

from typing import Final

from gpuinfra.specs.reserved import Words

_LOGIN: Final = (
    "remove it; the cloud's own service brings you in, with no open port and no key: "
    "docs/how-to/log-in.md"
)
_PLACE: Final = "write where: {regions: [<us-east-1>]}"
_ZONE: Final = "write zones: [<us-east-1a>] in where, beside its regions"
_SETTINGS: Final = "remove it; name what you need as in gpu: {memory: 24GB.., vcpu_per_gpu: 8}"

_SPOT: Final = ("spot", "use_spot", "spot_instance", "spot_instances", "spot_policy")
_PREEMPTIBLE: Final = ("preemptible", "preemptive", "interruptible")
_NETWORKS: Final = ("efa", "infiniband", "rdma", "roce", "gpudirect", "network_tier")
_KEYS: Final = ("ssh", "ssh_key", "ssh_keys", "ssh_key_name", "key_name", "key_pair", "public_key")
_PUBLIC: Final = ("public", "public_ip", "public_access", "internet", "expose", "exposed")
_VARIABLES: Final = ("env", "envs", "env_vars", "environment", "environment_variables")
_COUNTS: Final = ("count", "num_nodes", "node_count", "machines", "instances", "workers", "size")
_STARTS: Final = ("commands", "cmd", "script", "entrypoint")

STACK_MEANT: Final[Words] = {
    **dict.fromkeys(("provider", "location"), "where"),
    **dict.fromkeys(("job", "jobs", "task", "tasks", "train", "trainings", "runs"), "training"),
    **dict.fromkeys(("serve", "serving", "pool", "pools", "endpoint", "endpoints"), "inference"),
    **dict.fromkeys(("bucket", "storage", "s3", "gcs"), "buckets"),
    **dict.fromkeys(("labels", "default_tags"), "tags"),
    **dict.fromkeys(("team", "created_by"), "owner"),
    **dict.fromkeys(("cost", "costs", "limits", "caps"), "budget"),
    **dict.fromkeys(("vpc", "vnet", "subnet"), "network"),
}
"""Keys that other tools have at the top, each with ours."""

STACK: Final[Words] = {
    "development": "write training: {box: {gpu: L4:1}}: a workload of one machine without a "
    "duration is a development machine; on AWS add idle_stop: {below: 5%, after: 1h}",
    **dict.fromkeys(("zone", "availability_zone"), _ZONE),
    "region": _PLACE,
    **dict.fromkeys(_KEYS, _LOGIN),
}
"""Keys at the top that a stack file has not, each with what to do instead."""

WORKLOAD_MEANT: Final[Words] = {
    **dict.fromkeys(("machine", "machine_type", "machineType", "type", "sku"), "instance"),
    **dict.fromkeys(("vm_size", "flavor", "instance_type", "instanceType"), "instance"),
    **dict.fromkeys(("accelerator", "accelerators", "gpus"), "gpu"),
    **dict.fromkeys(("disk_size", "boot_disk", "root_volume", "volume_size"), "disk"),
    **dict.fromkeys(("volumes", "mounts", "file_mounts", "dataset", "datasets"), "data"),
    **dict.fromkeys(("ami", "image_id", "vm_image", "os_image", "boot_image"), "machine_image"),
    **dict.fromkeys(("ttl", "max_duration", "max_run_duration", "max_lifetime"), "time_to_live"),
    **dict.fromkeys(("spot_price", "max_spot_price"), "max_price"),
}
"""Keys that other tools have for a workload, each with ours."""

_WORKLOAD: Final[Words] = {
    **dict.fromkeys((*_SPOT, *_PREEMPTIBLE), "write capacity: spot"),
    **dict.fromkeys(_KEYS, _LOGIN),
    **dict.fromkeys(("zone", "availability_zone"), _ZONE),
    "region": _PLACE,
    **dict.fromkeys(("cpu", "cpus", "vcpus", "ram", "resources"), _SETTINGS),
    "labels": "set tags at the top of the file; owner, stack and workload tags are always added",
}

TRAINING_MEANT: Final[Words] = {
    **WORKLOAD_MEANT,
    **dict.fromkeys((*_COUNTS, "replicas"), "nodes"),
    **dict.fromkeys(_STARTS, "command"),
    **dict.fromkeys(("autostop", "idle_duration", "idle_timeout"), "idle_stop"),
    **dict.fromkeys(("inactivity_duration", "idle_minutes"), "idle_stop"),
    **dict.fromkeys(("checkpointing", "checkpoint_dir", "output", "outputs"), "checkpoints"),
    **dict.fromkeys(("timeout", "hours", "walltime", "time_limit"), "duration"),
}
"""Keys that other tools have for a training run, each with ours."""

TRAINING: Final[Words] = {
    **_WORKLOAD,
    **dict.fromkeys(_NETWORKS, "write fabric: required"),
    **dict.fromkeys(_PUBLIC, "remove it; machines have no public address"),
    **dict.fromkeys(_VARIABLES, "set them in command: NAME=value torchrun train.py"),
    **dict.fromkeys(("args", "arguments"), "write them in command: torchrun train.py --epochs 3"),
    **dict.fromkeys(
        ("image", "docker_image", "container", "container_image"),
        "write machine_image for the image that machines boot from; a container of yours is "
        "started by command",
    ),
    **dict.fromkeys(
        ("model", "model_name", "model_id"),
        "write gpu: {for_model: llama-3.1-70b} for machines that hold a model; name it to your "
        "program in command",
    ),
    **dict.fromkeys(("port", "ports"), "remove it; no port is open: docs/how-to/log-in.md"),
}
"""Keys that a training run has not, each with what to do instead."""

INFERENCE_MEANT: Final[Words] = {
    **WORKLOAD_MEANT,
    **dict.fromkeys((*_COUNTS, "nodes", "min_size", "max_size"), "replicas"),
    **dict.fromkeys(("min_replicas", "max_replicas", "desired_capacity"), "replicas"),
    **dict.fromkeys(("container", "container_image", "docker_image", "docker"), "image"),
    **dict.fromkeys(("ports", "container_port", "target_port"), "port"),
    **dict.fromkeys(("healthcheck", "health_check", "readiness_probe", "probe"), "health"),
    **dict.fromkeys(("scaling", "autoscaling", "autoscale"), "scale_on"),
    **dict.fromkeys(("tls", "ssl", "https"), "certificate"),
}
"""Keys that other tools have for a pool, each with ours."""

INFERENCE: Final[Words] = {
    **_WORKLOAD,
    **dict.fromkeys(
        (*_PUBLIC, "gateway", "load_balancer", "domain"),
        "remove it; pools answer inside the network alone: put your own gateway before one",
    ),
    **dict.fromkeys(
        _NETWORKS,
        "remove it; the machines of a pool have no fabric between them; gpu: {fabric: efa} asks "
        "for machines that have one",
    ),
    **dict.fromkeys(_VARIABLES, "remove it; set them in the container's image"),
    **dict.fromkeys(
        ("model", "model_name", "model_id", "models"),
        "write args: [--model, …] for the model that the container serves; "
        "gpu: {for_model: llama-3.1-70b} asks for machines that hold it",
    ),
    **dict.fromkeys(
        ("arguments", "command", *_STARTS),
        "write args: [--model, …]: what the container is started with",
    ),
}
"""Keys that a pool has not, each with what to do instead."""

VALUES: Final = {
    "disabled": ("off", "false", "none", "ignore", "info"),
    "advisory": ("warn", "warning", "on", "true"),
    "mandatory": ("error", "fail", "deny", "block", "required"),
    "aws": ("amazon", "amazon-web-services", "ec2"),
    "gcp": ("google", "google-cloud", "googlecloud", "gce"),
    "azure": ("microsoft", "microsoft-azure", "az"),
    "any": ("all", "auto", "cheapest"),
    "spot": ("preemptible", "interruptible", "low-priority"),
    "on-demand": ("standard", "regular", "normal"),
    "capacity-block": ("block", "capacity-blocks"),
    "required": ("true", "on", "yes", "efa", "infiniband", "rdma", "roce"),
    "none": ("false", "off", "no"),
    "read": ("ro", "r", "readonly", "read-only"),
    "write": ("rw", "w", "read-write", "readwrite"),
}
"""The words of the grammar, each with what other tools call it; YAML reads a bare off as false."""

FOR_MODEL_MEANT: Final[Words] = {
    **dict.fromkeys(("model", "model_name", "model_id", "id", "hf_model", "base_model"), "name"),
    **dict.fromkeys(("size", "params", "param_count", "num_parameters"), "parameters"),
    **dict.fromkeys(("mode", "method", "purpose", "workload", "use"), "task"),
    **dict.fromkeys(("dtype", "torch_dtype", "quantization", "weights"), "precision"),
    **dict.fromkeys(("strategy", "parallelism", "parallel"), "sharding"),
    **dict.fromkeys(("seq_len", "sequence_length", "context_length"), "context"),
    **dict.fromkeys(("max_seq_len", "max_model_len", "max_length", "tokens"), "context"),
    **dict.fromkeys(("batch_size", "micro_batch_size", "sequences", "max_num_seqs"), "batch"),
    **dict.fromkeys(("lora_rank", "lora_r", "r"), "rank"),
    **dict.fromkeys(("hidden_size", "d_model"), "hidden"),
    **dict.fromkeys(("num_layers", "num_hidden_layers", "n_layers"), "layers"),
}
"""Keys that other tools have for a model, each with ours."""

GPU_MEANT: Final[Words] = {
    **dict.fromkeys(("name", "type", "gpu", "gpu_type", "gpu_name", "product"), "model"),
    **dict.fromkeys(("gpus", "gpu_count", "number", "quantity", "per_node"), "count"),
    **dict.fromkeys(("vram", "gpu_memory", "memory_per_gpu"), "memory"),
    **dict.fromkeys(("llm", "fits", "holds"), "for_model"),
    **dict.fromkeys(("arch", "cpu_architecture"), "architecture"),
}
"""Keys that other tools have for a request for GPUs, each with ours."""
