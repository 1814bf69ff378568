"""What a message says to write in place of a value is not refused at the same place again."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra import api
from gpuinfra.errors import InputError, Problem

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
POOL = 'gpu: "L4:1", image: a, port: 80'
MISTAKES = [
    "training: {x: {gpu: 8xT4}}",
    'training: {x: {gpu: "H10O:8"}}',
    "training: {x: {gpu: {model: H10O, count: 8}}}",
    'training: {x: {gpu: "T4:1", nodes: "2"}}',
    'training: {x: {gpu: "T4:1", duration: 24}}',
    'training: {x: {gpu: "T4:1", duration: 2 hours}}',
    'training: {x: {gpu: "T4:1", duration: 1 year}}',
    'training: {x: {gpu: "T4:1", time_to_live: 3days}}',
    'training: {x: {gpu: "T4:1", disk: 500}}',
    'training: {x: {gpu: "T4:1", disk: 500 gigabytes}}',
    'training: {x: {gpu: "T4:1", capacity: spott}}',
    'training: {x: {gpu: "T4:1", capacity: [ondemand]}}',
    'training: {x: {gpu: "T4:1", fabric: "yes"}}',
    'training: {x: {gpu: "T4:1", preflight: "yes"}}',
    'training: {x: {gpu: "T4:1", max_price: $3}}',
    'training: {x: {gpu: "T4:1", duratoin: 2h}}',
    'training: {x: {gpu: "T4:1", idle_stop: {below: 5, after: 1h}}}',
    'training: {x: {gpu: "T4:1", idle_stop: {below: 5%, after: 1h}}}',
    'training: {x: {gpu: "T4:1", checkpoints: {bucket: runs, every: 10}}}',
    'training: {x: {gpu: "T4:1", capacity: "spot, on-demand"}}',
    "training: {x: {instance: g6.xlarg}}",
    *(
        f"inference: {{x: {{{POOL}, replicas: {given}}}}}"
        for given in ("3-1", "1-3", "1...3", "1:3", "0..3", "'2..'", "3..1", "0")
    ),
    f"inference: {{x: {{{POOL}, replicas: 1..4, capacity: [spot, on-demand]}}}}",
    f"inference: {{x: {{{POOL}, replicas: 1..4, capacity: spott}}}}",
    f"inference: {{x: {{{POOL}, replicas: 1..4, expected: 9}}}}",
    "buckets: {x: {size: 500}}",
    "buckets: {x: {size: 1TB, keep_noncurrent: 30}}",
    "buckets: {X_1: {size: 1TB}}",
]


def problems(folder: Path, text: str) -> tuple[Problem, ...]:
    (folder / "stack.yaml").write_text(text)
    try:
        api.plan(api.load(folder))
    except InputError as error:
        return error.problems
    return ()


def applied(text: str, problem: Problem) -> str | None:
    """The file with what a problem suggests; None where it gives no value to write."""
    yaml = YAML(typ="safe")
    whole: dict[str, Any] = yaml.load(text)
    *around, key = problem.path
    holder: Any = whole
    for part in around:
        if isinstance(holder[part], str):  # a short form has no keys of its own
            key = part
            break
        holder = holder[part]
    found = re.match(
        r"(?:write|set|add) (\w+): (.+?)(?: in its place.*|; .*|, or .*)?$", problem.fix
    )
    if problem.suggestion and problem.message.startswith(("unknown key ", "the name ")):
        holder[problem.suggestion] = holder.pop(key)
    elif problem.suggestion:
        holder[key] = yaml.load(problem.suggestion)
    elif found:
        if found[1] != key:
            holder.pop(key, None)
        holder[found[1]] = yaml.load(found[2])
    else:
        return None
    out = StringIO()
    yaml.dump(whole, out)
    return out.getvalue()


@pytest.mark.parametrize("cloud", REGIONS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_applied_fix_is_not_refused_at_the_same_place(
    tmp_path: Path, mistake: str, cloud: str
) -> None:
    head = f"name: demo\nowner: ml\nwhere: {{cloud: {cloud}, regions: [{REGIONS[cloud]}]}}\n"
    text = f"{head}{mistake}\n"
    for problem in problems(tmp_path, text):
        fixed = applied(text, problem)
        if fixed is not None:
            # A spelling is mended where only another cause is left: a cloud without the key.
            left = [
                it.message
                for it in problems(tmp_path, fixed)
                if it.path == problem.path and (it.structural or not problem.structural)
            ]
            assert left == [], (problem.message, fixed)


def test_most_mistakes_have_a_fix_that_is_applied(tmp_path: Path) -> None:
    head = "name: demo\nowner: ml\nwhere: {cloud: gcp, regions: [us-central1]}\n"
    fixes = [
        any(applied(f"{head}{mistake}", problem) for problem in problems(tmp_path, head + mistake))
        for mistake in MISTAKES
    ]

    assert sum(fixes) > len(MISTAKES) * 2 / 3
