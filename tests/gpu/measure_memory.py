"""Measure on a GPU what `for_model` predicts: `python tests/gpu/measure_memory.py > FILE`.

It needs PyTorch and a GPU alone, no gpuinfra: Llama's layers in plain PyTorch, with the published
shapes of gpuinfra/catalog/models.json, random weights and random tokens. Three steps are made;
memory does not depend on what is learned. FILE is tests/catalog/sizing/measured_on_gpu.json, with
which a test compares the prediction.
"""

import gc
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

MODELS = Path(__file__).parents[2] / "gpuinfra" / "catalog" / "models.json"
FEED_FORWARD = {  # intermediate_size and tie_word_embeddings of each config.json
    "qwen2.5-0.5b": (4_864, True),
    "llama-3.2-1b": (8_192, True),
    "qwen2.5-1.5b": (8_960, True),
    "llama-3.2-3b": (8_192, True),
    "llama-3.1-8b": (14_336, False),
}
CASES = [
    *(("qwen2.5-0.5b", "train", "selective", 4_096, batch) for batch in (1, 4, 8)),
    ("llama-3.2-1b", "train", "selective", 4_096, 1),
    ("llama-3.2-1b", "train", "selective", 4_096, 4),
    ("llama-3.2-1b", "train", "full", 4_096, 4),
    ("qwen2.5-1.5b", "train", "selective", 4_096, 4),
    ("qwen2.5-1.5b", "train", "full", 4_096, 4),
    ("llama-3.2-3b", "train", "selective", 2_048, 1),
    ("llama-3.2-3b", "train", "full", 4_096, 4),
    ("llama-3.1-8b", "lora", "selective", 2_048, 1),
    ("llama-3.1-8b", "lora", "full", 4_096, 4),
    ("llama-3.1-8b", "serve", None, 8_192, 16),
    ("llama-3.2-3b", "serve", None, 8_192, 16),
    ("llama-3.1-8b", "train", "full", 2_048, 1),
]
COLUMNS = ["model", "task", "recompute", "context", "batch"]
COLUMNS += ["allocated_gb", "reserved_gb", "used_gb"]
ABOUT = (
    "Written by tests/gpu/measure_memory.py on a GPU: GB (10^9 bytes) that tensors took at most"
    " (allocated), that PyTorch held (reserved) and that were taken of the GPU, its context"
    " included (used). One GPU, nothing split, AdamW in mixed precision, LoRA of rank 16."
)
RANK = 16
CHUNK = 1 << 24


class Linear(nn.Module):
    """A matrix without a bias, frozen under an adapter where there is one."""

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(columns, rows), requires_grad=not rank)
        self.down = nn.Parameter(torch.empty(rank, rows)) if rank else None
        self.up = nn.Parameter(torch.empty(columns, rank)) if rank else None

    def forward(self, x):
        y = functional.linear(x, self.weight)
        return (
            y
            if self.down is None
            else y + functional.linear(functional.linear(x, self.down), self.up)
        )


class Layer(nn.Module):
    def __init__(self, shape: dict, feed_forward: int, rank: int) -> None:
        super().__init__()
        hidden, self.head = shape["hidden"], shape["head"]
        self.heads, self.kv_heads = shape["heads"], shape["kv_heads"]
        self.before = nn.Parameter(torch.ones(hidden), requires_grad=not rank)
        self.after = nn.Parameter(torch.ones(hidden), requires_grad=not rank)
        self.query = Linear(hidden, self.heads * self.head, rank)
        self.key = Linear(hidden, self.kv_heads * self.head, rank)
        self.value = Linear(hidden, self.kv_heads * self.head, rank)
        self.out = Linear(self.heads * self.head, hidden, rank)
        self.gate = Linear(hidden, feed_forward, rank)
        self.lift = Linear(hidden, feed_forward, rank)
        self.sink = Linear(feed_forward, hidden, rank)

    def forward(self, x, turn, cache=None):
        batch, length, _ = x.shape
        y = functional.rms_norm(x, x.shape[-1:], self.before)
        split = [
            each(y).view(batch, length, -1, self.head).transpose(1, 2)
            for each in (self.query, self.key, self.value)
        ]
        query, key, value = rotated(split[0], turn), rotated(split[1], turn), split[2]
        if cache is not None:
            cache[0][:, :, -length:], cache[1][:, :, -length:] = key, value
            key, value = cache
        mixed = functional.scaled_dot_product_attention(
            query, key, value, is_causal=cache is None, enable_gqa=True
        )
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, -1))
        y = functional.rms_norm(x, x.shape[-1:], self.after)
        return x + self.sink(functional.silu(self.gate(y)) * self.lift(y))


def rotated(x, turn):
    cosine, sine = turn
    one, two = x.chunk(2, -1)
    return x * cosine + torch.cat((-two, one), -1) * sine


class Model(nn.Module):
    def __init__(self, shape: dict, feed_forward: int, tied: bool, rank: int, full: bool) -> None:
        super().__init__()
        self.full, self.head = full, shape["head"]
        self.embedding = nn.Parameter(
            torch.empty(shape["vocabulary"], shape["hidden"]), requires_grad=not rank
        )
        self.layers = nn.ModuleList(
            Layer(shape, feed_forward, rank) for _ in range(shape["layers"])
        )
        self.norm = nn.Parameter(torch.ones(shape["hidden"]), requires_grad=not rank)
        self.output = (
            self.embedding
            if tied
            else nn.Parameter(torch.empty_like(self.embedding), requires_grad=not rank)
        )

    def forward(self, tokens, caches=None):
        x = functional.embedding(tokens, self.embedding)
        if self.full:
            x.requires_grad_()
        place = torch.arange(tokens.shape[1], device=x.device)[:, None]
        turn = place / 10_000 ** (torch.arange(self.head // 2, device=x.device) * 2 / self.head)
        turn = torch.cat((turn, turn), -1)
        turn = (turn.cos().to(x.dtype), turn.sin().to(x.dtype))
        for number, layer in enumerate(self.layers):
            cache = caches[number] if caches else None
            x = (
                checkpoint(layer, x, turn, use_reentrant=False)
                if self.full
                else layer(x, turn, cache)
            )
        return functional.linear(functional.rms_norm(x, x.shape[-1:], self.norm), self.output)


class Adam:
    """Mixed precision as ZeRO's paper counts it: fp32 weights, momentum and variance beside."""

    def __init__(self, parameters) -> None:
        self.parameters = [each for each in parameters if each.requires_grad]
        self.held = [
            (each.detach().float(), *(torch.zeros_like(each, dtype=torch.float32) for _ in "mv"))
            for each in self.parameters
        ]

    @torch.no_grad()
    def step(self) -> None:
        for parameter, states in zip(self.parameters, self.held, strict=True):
            flat = [parameter.view(-1), parameter.grad.view(-1), *(one.view(-1) for one in states)]
            for at in range(0, parameter.numel(), CHUNK):
                weight, gradient, master, mean, square = (one[at : at + CHUNK] for one in flat)
                gradient = gradient.float()
                mean.lerp_(gradient, 0.1)
                square.lerp_(gradient * gradient, 0.05)
                master.sub_(mean / (square.sqrt() + 1e-8), alpha=1e-4)
                weight.copy_(master)


def trained(model: Model, vocabulary: int, length: int, batch: int) -> None:
    optimizer = Adam(model.parameters())
    for _ in range(3):
        tokens = torch.randint(vocabulary, (batch, length + 1), device="cuda")
        logits = model(tokens[:, :-1]).float()
        functional.cross_entropy(logits.view(-1, vocabulary), tokens[:, 1:].reshape(-1)).backward()
        del logits
        optimizer.step()
        for each in model.parameters():
            if each.grad is not None:
                each.grad.zero_()  # kept: most frameworks hold gradients in one buffer


@torch.no_grad()
def served(model: Model, shape: dict, length: int, batch: int) -> None:
    kind = (batch, shape["kv_heads"], length, shape["head"])
    caches = [
        [torch.zeros(kind, dtype=torch.bfloat16, device="cuda") for _ in "kv"]
        for _ in range(shape["layers"])
    ]
    for _ in range(3):
        model(torch.randint(shape["vocabulary"], (batch, 1), device="cuda"), caches)


def measure(name: str, task: str, recompute: str | None, length: int, batch: int) -> list:
    """Run one case: a row of COLUMNS."""
    table = json.loads(MODELS.read_text())
    shape = next(
        row
        for row in (dict(zip(table["columns"], cells, strict=False)) for cells in table["rows"])
        if row["name"] == name
    )
    feed_forward, tied = FEED_FORWARD[name]
    rank = RANK if task == "lora" else 0
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = Model(shape, feed_forward, tied, rank, recompute == "full")
    for each in model.parameters():
        if each.dim() > 1:
            nn.init.normal_(each, std=0.02)
    adapters = sum(p.numel() for n, p in model.named_parameters() if n.endswith((".down", ".up")))
    count = sum(each.numel() for each in model.parameters()) - adapters
    if abs(count / shape["parameters"] - 1) > 0.002:
        raise ValueError(f"{name}: {count:,} parameters, published {shape['parameters']:,}")
    torch.cuda.reset_peak_memory_stats()
    if task == "serve":
        served(model, shape, length, batch)
    else:
        trained(model, shape["vocabulary"], length, batch)
    free, total = torch.cuda.mem_get_info()
    row = [name, task, recompute, length, batch]
    peaks = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), total - free
    row += [round(each / 1e9, 3) for each in peaks]
    del model
    gc.collect()
    torch.cuda.empty_cache()
    return row


def main() -> None:
    rows = []
    for case in CASES:
        try:
            rows.append(measure(*case))
        except torch.OutOfMemoryError as error:
            print(case, error, file=sys.stderr)  # noqa: T201
            gc.collect()
            torch.cuda.empty_cache()
    gpu = torch.cuda.get_device_properties(0)
    head = {
        "about": ABOUT,
        "gpu": gpu.name,
        "total_memory_bytes": gpu.total_memory,
        "pytorch": torch.__version__,
        "date": datetime.now(UTC).date().isoformat(),
        "columns": COLUMNS,
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    cases = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    print("{", *lines, f' "cases": [\n{cases}\n ]', "}", sep="\n")  # noqa: T201


main()
