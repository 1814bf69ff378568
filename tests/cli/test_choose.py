"""What `gpuinfra choose` prints: the ranking, its winner and its near misses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_every_cloud_is_compared_and_those_that_are_not_built_are_marked(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8")

    assert ran.code == 0
    for where in ("aws us-east-1", "gcp us-central1", "azure eastus", "lambda° one price"):
        assert where in ran.out
    assert "° lambda: priced only: gpuinfra can't build there" in ran.out
    ranked = json.loads(gpuinfra("choose", "H100:8", "--json").out)["ranked"]
    built = {candidate["machine"]["cloud"]: candidate["built"] for candidate in ranked}
    assert built == {"aws": True, "gcp": True, "azure": True, "lambda": False}


def test_the_guides_advice_stands_beside_the_winner(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--all")

    assert "✓ p5.48xlarge, vCPUs for each GPU: 24 vCPU; the guides advise 8 or more" in ran.out
    assert "✓ p5.48xlarge, memory for each GPU: 256 GiB; the guides advise 64 or more" in ran.out


def test_a_near_miss_says_what_to_relax_and_what_that_saves(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "--for-model", "70B")

    assert "\ncapacity spot instead of on-demand saves " in ran.out


def test_the_price_on_demand_is_named_where_it_bounds_an_unknown_spot_price(gpuinfra: Run) -> None:
    asked = ("choose", "L4:1", "--capacity", "spot", "--region", "us-east-1")
    ran = gpuinfra(*asked, "--as-of", "2026-11-26")

    assert re.search(r"→ g6\.xlarge .* ≤ \$0\.80 +≤ \$0\.80 +2026-\S+ on demand\n", ran.out)
    assert "≤: the spot price is unknown; at most the price on demand" in ran.out
    assert "in asia-northeast3 (gcp) at $0." in ran.out
    assert "saves" not in ran.out
    found = json.loads(gpuinfra(*asked, "--as-of", "2026-11-26", "--json").out)
    assert found["winner"]["bound"] == "on-demand"
    assert {miss["saves"] for miss in found["near_misses"]} == {None}


def test_a_spot_price_that_reaches_the_one_on_demand_is_explained(gpuinfra: Run) -> None:
    asked = ("choose", "H100:8", "--capacity", "spot", "--as-of", "2026-11-26", "--region")

    dear = gpuinfra(*asked, "us-east-1")
    cheap = gpuinfra(*asked, "europe-north1")

    explained = "p5.48xlarge in us-east-1: counted at the price on demand, which spot reaches in"
    assert explained in " ".join(dear.out.split())
    assert "which spot reaches" not in cheap.out


def test_a_table_without_room_for_dates_has_them_below(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("choose", "H100:8", "--for", "72h", "--cloud", "azure")
    monkeypatch.setenv("COLUMNS", "80")
    narrow = gpuinfra(*asked)
    monkeypatch.setenv("COLUMNS", "160")
    wide = gpuinfra(*asked)

    assert re.search(r"^prices of 20\d\d-\d\d-\d\d", narrow.out, re.MULTILINE)
    assert "prices of" not in wide.out


@pytest.mark.parametrize(
    ("word", "meant"), [("4090", "RTX4090"), ("4090:8", "RTX4090:8"), ("10", "10GB..")]
)
def test_a_number_that_only_one_gpu_ends_with_means_it(
    gpuinfra: Run, word: str, meant: str
) -> None:
    assert f"did you mean '{meant}'?" in gpuinfra("choose", word).err


def test_the_words_of_a_file_s_fabric_are_told_to_be_omitted(gpuinfra: Run) -> None:
    for gpu in (("H100:8",), ("--gpu", "H100:8")):
        ran = gpuinfra("choose", *gpu, "--fabric", "required")

        assert ran.code == 2
        assert "remove required" in ran.err or "omit required" in ran.err
    assert "--gpu GPU:COUNT" in gpuinfra("choose", "--help").out


def test_a_part_of_a_gpu_is_offered_only_to_those_who_ask_for_one(gpuinfra: Run) -> None:
    def counts(word: str) -> set[float]:
        ranked = json.loads(gpuinfra("choose", word, "--cloud", "aws", "--json").out)["ranked"]
        return {candidate["machine"]["gpu_count"] for candidate in ranked}

    assert counts("L4") == {1, 4, 8}
    assert counts("L4:0.125") == counts("g6f.large") == {0.125}
    lost = gpuinfra("choose", "L4", "--cloud", "aws", "--all").out
    assert re.search(r"g6f\.large +count +has 0\.125 of a GPU, not a whole one", lost)


def test_a_commitment_of_before_a_price_cut_is_told(gpuinfra: Run) -> None:
    committed = ("choose", "p4d.24xlarge", "--cloud", "aws", "--commitment", "1y", "--region")

    assert "STALE: before the June 2025" in " ".join(gpuinfra(*committed, "us-west-2").out.split())
    assert "STALE" not in gpuinfra(*committed, "us-east-1").out


def test_a_run_under_a_commitment_is_told_its_cost_without_one(gpuinfra: Run) -> None:
    command = ("choose", "H100:8", "--cloud", "aws", "--region", "us-east-1", "--for", "30d")
    committed = gpuinfra(*command, "--commitment", "1y").out
    on_demand = json.loads(gpuinfra(*command, "--json").out)["winner"]["per_run"]

    assert committed.startswith("assumed: with a 1-year commitment, ranked by $ per run")
    assert f"\nwithout a commitment: ${on_demand:,.2f} for the run, on demand\n" in committed
    assert "without a commitment" not in gpuinfra(*command).out


def test_what_would_not_do_the_same_work_is_no_near_miss(gpuinfra: Run) -> None:
    arguments = ("choose", "80GB..:8", "--nvlink", "--cloud", "aws")
    near = json.loads(gpuinfra(*arguments, "--json").out)["near_misses"]

    assert "memory" not in {miss["constraint"] for miss in near}
    assert "\nmemory " not in gpuinfra(*arguments).out


def test_the_cost_of_a_run_counts_every_machine_and_hour(gpuinfra: Run) -> None:
    answer = json.loads(
        gpuinfra(
            *("choose", "p5.48xlarge", "--cloud", "aws", "--for", "72h", "--nodes", "4"),
            *("--by", "run", "--json"),
        ).out
    )

    assert answer["unit"] == "$ per run"
    assert answer["winner"]["figure"] == answer["winner"]["per_run"] == 15851.52


def test_a_model_takes_as_many_machines_as_it_needs_and_lists_its_terms(gpuinfra: Run) -> None:
    arguments = ("choose", "A100-80GB:8", "--for-model", "{parameters: 70B}", "--cloud", "aws")
    ran = gpuinfra(*arguments, "--all")
    answer = json.loads(gpuinfra(*arguments, "--json").out)

    assert ran.code == 0
    assert "70B to train every parameter (other tasks: lora, serve): " in ran.out
    assert (
        ran.out.index("→ ") < ran.out.index("assumed: about 7") < ran.out.index("optimizer states")
    )
    assert "rule of thumb" in ran.out
    assert answer["winner"]["machines"] == answer["need"]["machines"] > 1
    assert answer["need"]["per_gpu_gb"] <= answer["need"]["gpu_memory_gb"]


def test_what_is_assumed_comes_first_and_the_next_command_last(gpuinfra: Run) -> None:
    out = gpuinfra("choose", "--for-model", "405B", "--cloud", "aws").out
    first, second, *_, last = out.splitlines()

    assert first.startswith("assumed: purchase option on-demand, ranked by $ per hour for a ")
    assert second.lstrip().startswith("machine ")
    assert "assumed: about" not in out
    assert re.search(r"gpuinfra init my-stack --what fine-tune --gpu .* --nodes \d+$", last)


def test_outdated_prices_are_told_on_the_day_that_is_named(gpuinfra: Run) -> None:
    now = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--as-of", "2026-11-21")
    later = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--as-of", "2028-01-01")

    assert "older than" not in now.out
    assert "1 of 1 prices are older than 400 days, the winner's among them" in later.out


def test_a_commitment_dearer_than_no_commitment_is_told(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--commitment", "reserved-1y")

    assert "on demand it costs $55.04 an hour (2026-07-20)" in ran.out


def test_the_ranking_is_narrow_before_it_is_folded(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--by", "bandwidth")
    head, *table = ran.out.split("──\n")[:2]

    rows = [line for line in table[0].splitlines() if line.startswith(("→ ", "  "))]
    assert len(rows) > 3
    assert max(map(len, [head.splitlines()[-1], *rows])) <= 104


def test_a_spot_price_of_years_ago_does_not_win(gpuinfra: Run) -> None:
    answer = json.loads(gpuinfra("choose", "A100:8", "--capacity", "spot", "--json").out)

    old = [
        candidate
        for candidate in answer["ranked"]
        if candidate["machine"]["type"] == "Standard_ND96amsr_A100_v4"
    ]
    assert min(candidate["per_hour"] for candidate in old if candidate["per_hour"]) == 32.77
    assert answer["winner"]["as_of"] >= "2026"


def test_only_the_clouds_that_are_asked_for_are_loaded() -> None:
    code = (
        "import sys; from gpuinfra.cli import run; run(['choose', 'H100:8', '--cloud', 'aws']);"
        "print([one for one in sys.modules if one in"
        " ('pydantic', 'ruamel.yaml', 'gpuinfra.clouds.gcp', 'gpuinfra.clouds.azure',"
        " 'gpuinfra.clouds.tencent', 'gpuinfra.specs.schema')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines()[-1] == "[]"


def test_only_what_compares_is_said_to_save(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "lambda")

    assert "count 1 instead of 8" not in ran.out
    assert "GPU V100-16GB instead of H100" not in ran.out


def test_machines_that_no_known_network_joins_are_told_apart(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "--for-model", "70B")
    alone = gpuinfra(
        "choose", "--for-model", "70B", "--cloud", "lambda", "--memory", "48GB", "--by", "hour"
    )

    assert "→ 1 × p6-b200.48xlarge" in ran.out
    rows = [line for line in ran.out.splitlines() if "aws " in line or "lambda" in line]
    assert "lambda" not in rows[0]
    told = re.compile(r"^\d+ options lack RDMA or a fast network; listed last$", re.MULTILINE)
    assert told.search(gpuinfra("choose", "--for-model", "70B", "--all").out)
    assert not told.search(ran.out), "none of its rows is one of them"
    assert "listed last" not in alone.out
    assert "? gpu_4x_a6000, network of each machine: unknown" in alone.out


def test_where_no_figure_is_known_the_precision_that_would_give_one_is_named(
    gpuinfra: Run,
) -> None:
    ran = gpuinfra("choose", "V100", "--by", "tflops", "--cloud", "aws")

    assert "no dense bf16 rate of their GPUs is known; --precision fp16 or fp32" in ran.out
    known = gpuinfra("choose", "V100", "--by", "tflops", "--cloud", "aws", "--precision", "fp16")
    assert "without a known figure" not in known.out


def test_all_has_what_the_short_answer_leaves_out(gpuinfra: Run) -> None:
    short, whole = (gpuinfra("choose", "H100:8", *more).out for more in ((), ("--all",)))

    assert "others don't fit: gpuinfra choose H100:8 --all" in short
    assert "constraint" not in short
    assert "constraint" in whole


@pytest.mark.parametrize("old", ["--every", "--losers"])
def test_the_old_spellings_are_the_same_and_hidden(gpuinfra: Run, old: str) -> None:
    assert gpuinfra("choose", "L4:1", old).out == gpuinfra("choose", "L4:1", "--all").out
    assert old not in gpuinfra("choose", "--help").out


def test_clouds_that_are_built_rank_first_and_the_first_is_marked(gpuinfra: Run) -> None:
    answer = json.loads(gpuinfra("choose", "H100:8", "--json").out)
    built = [
        candidate["built"] for candidate in answer["ranked"] if candidate["per_hour"] is not None
    ]

    assert answer["winner"]["built"]
    assert built == sorted(built, reverse=True)
    marked = [
        line for line in gpuinfra("choose", "H100:8").out.splitlines() if line.startswith("→ ")
    ]
    assert len(marked) == 1
    assert answer["winner"]["machine"]["type"] in marked[0]


def test_no_arrow_is_before_a_machine_without_a_known_price(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "azure", "--capacity", "spot")

    assert "  Standard_ND96isr_H100_v5" in ran.out
    assert "→" not in ran.out


def test_the_gpu_may_be_named_by_the_option_of_init(gpuinfra: Run) -> None:
    words = ("--cloud", "aws", "--region", "us-east-1")

    named = gpuinfra("choose", "--gpu", "L4:1", *words)

    told = gpuinfra("choose", "L4:1", *words).out
    assert named.out.replace("--gpu ", "") == told.replace("--gpu ", "")
    twice = gpuinfra("choose", "L4:1", "--gpu", "L4:1", *words)
    assert (twice.code, "name the GPU once" in twice.err) == (2, True)


@pytest.mark.parametrize(
    ("model", "head", "by"),
    [
        ("{parameters: 70B, task: lora}", "per TFLOPS", "tflops"),
        ("{name: llama-3.1-8b, task: serve}", "per GB/s", "bandwidth"),
    ],
)
def test_the_price_of_a_models_work_stands_beside_its_hour(
    gpuinfra: Run, model: str, head: str, by: str
) -> None:
    asked = ("choose", "--for-model", model, "--cloud", "aws")
    ran, ranked = gpuinfra(*asked), gpuinfra(*asked, "--by", by)

    def figures(out: str) -> dict[str, str]:
        lines = out.splitlines()
        start = next(at for at, line in enumerate(lines) if line.startswith("  machine"))
        where = lines[start].index(head)
        rows = [line for line in lines[start + 2 :] if line[2:3].isalnum() and " aws " in line]
        return {row[2:].split("  ")[0]: row[: where + len(head)].split()[-1] for row in rows}

    shown, expected = figures(ran.out), figures(ranked.out)
    both = shown.keys() & expected.keys()
    assert both
    assert {name: shown[name] for name in both} == {name: expected[name] for name in both}
    told = " ".join(ran.out.split())
    assert f"The $ per hour leaves out the speed: {head} is $ per hour for a " in told
    assert f" (--by {by}) " in told
    assert "leaves out the speed" not in ranked.out + gpuinfra("choose", "L4:1").out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("H100:8",), "--gpu H100-SXM-80GB:8 --where us-east-1"),
        (
            ("--for-model", "{parameters: 8B, task: lora}"),
            "--what fine-tune --gpu L40S:1 --where us-east-1",
        ),
        (
            ("--for-model", "{parameters: 8B, task: serve}", "--cloud", "gcp"),
            "--what pool --gpu L4:1 --where us-east4",
        ),
    ],
)
def test_the_answer_ends_with_the_command_that_writes_it_into_a_file(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...], words: str
) -> None:
    told = gpuinfra("choose", *asked, "--as-of", "2026-11-20").out

    assert told.splitlines()[-1] == f"next: gpuinfra init my-stack {words}"
    assert gpuinfra("init", tmp_path / "my-stack", *words.split()).code == 0


@pytest.mark.parametrize(
    ("asked", "words", "key"),
    [
        (("L4:1", "--cloud", "gcp"), "--what fine-tune ", "capacity: spot"),
        (
            ("--for-model", "{parameters: 8B, task: serve}", "--cloud", "aws"),
            "--what pool ",
            "capacity: {on_demand_base: 1, above: spot}",
        ),
    ],
)
def test_a_spot_machine_ends_with_the_command_that_writes_it_into_a_file(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...], words: str, key: str
) -> None:
    out = gpuinfra("choose", *asked, "--capacity", "spot", "--as-of", "2026-11-20").out

    command = out.splitlines()[-1]
    assert command.startswith(f"next: gpuinfra init my-stack {words}")
    file = tmp_path / "my-stack/stack.yaml"
    given = command.partition(" my-stack ")[2]
    assert gpuinfra("init", file.parent, *given.split()).code == 0
    assert f"\n    {key}\n" in file.read_text()
    assert gpuinfra("check", file).code == 0


def test_the_limit_of_a_spot_machine_is_written_into_the_file_too(
    gpuinfra: Run, tmp_path: Path
) -> None:
    limit = ("--max-per-hour", "30", "--capacity", "spot", "--as-of", "2026-11-20")
    command, gpu = gpuinfra("choose", "H100:8", *limit).out.splitlines()[-2:]
    file = tmp_path / "my-stack/stack.yaml"
    given = command.partition(" my-stack ")[2]

    key = "gpu: {model: H100-SXM-80GB, count: 8, max_per_hour: 30}"
    assert gpu == f"then: write {key} in it"
    assert gpuinfra("init", file.parent, *given.split()).code == 0
    text = file.read_text().replace("gpu: H100-SXM-80GB:8", key)
    file.write_text(text)
    assert gpuinfra("check", file).code == 0
    plan = gpuinfra("plan", file).out
    assert "$30.00" in plan
    assert "spot counts at the on-demand price" not in plan


def test_a_duration_shows_the_cost_of_the_run(gpuinfra: Run) -> None:
    run = gpuinfra("choose", "H100:8", "--cloud", "aws", "--for", "24h").out

    assert " per run" in run.splitlines()[0]
    assert "ranked by $ per run" in run
    assert "per run" not in gpuinfra("choose", "H100:8", "--for", "24h", "--by", "hour").out
    assert "ranked by $ per hour" in gpuinfra("choose", "H100:8").out


def test_only_the_rows_that_are_shown_are_counted(gpuinfra: Run) -> None:
    europe = ("choose", "H100:8", "--region", "europe")
    short, full = gpuinfra(*europe).out, gpuinfra(*europe, "--all").out

    for out in (short, full):
        unknown = sum(line.split()[-2:] == ["–", "–"] for line in out.splitlines())
        assert unknown
        assert f"\n{unknown} without a known price rank" in out
    assert "without a known price" not in gpuinfra("choose", "L4:1", "--capacity", "spot").out


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (("H100:8", "--commitment", "3y"), "a commitment is bought from the cloud"),
        (("H100:8", "--cloud", "lambda"), "gpuinfra can't build on lambda"),
        (("MI300X:8",), "its images need an NVIDIA GPU, and MI300X-192GB is none"),
        (("GB200:4",), "no public image is known to start "),
        (("p5.48xlarge", "--capacity", "capacity-block"), "it writes on-demand or spot; "),
        (("L4:0.125",), "it asks for whole GPUs"),
    ],
)
def test_what_init_does_not_write_is_not_proposed_but_said(
    gpuinfra: Run, asked: tuple[str, ...], reason: str
) -> None:
    out = gpuinfra("choose", *asked, "--as-of", "2026-11-20").out

    assert "gpuinfra init" not in out
    told = " ".join(out.partition("\nnext: ")[2].split())
    assert told.startswith(f"no starter file of init has this machine: {reason}")
    assert "next: " not in gpuinfra("choose", *asked, "--all", "--as-of", "2026-11-20").out


def test_a_limit_on_spot_is_the_maximum_price_of_its_request(gpuinfra: Run) -> None:
    command = ("choose", "T4:1", "--max-per-hour", "0.30", "--capacity", "spot")
    ran = gpuinfra(*command, "--as-of", "2026-11-26")
    best = json.loads(gpuinfra(*command, "--as-of", "2026-11-26", "--json").out)

    assert re.search(r"→ \S+ +1 × T4 +\S+ \S+ +≤ \$0\.30 +≤ \$0\.30 +your maximum", ran.out)
    assert {each["per_hour"] for each in best["ranked"]} == {0.3}
    on_demand = [each["default_maximum"] for each in best["ranked"]]
    assert on_demand == sorted(on_demand)
    assert on_demand[0] > 0.3
    assert (
        "below the limit today: n1-standard-4+1xT4 in asia-southeast1 (gcp) at $0.15 an hour, but "
        "it may cost $0.54: its spot request says no maximum price\n"
    ) in ran.out


def test_a_near_miss_keeps_the_limit_and_says_what_its_saving_is_of(gpuinfra: Run) -> None:
    limit = ("--by", "tflops", "--max-per-hour", "40", "--json")
    limited = json.loads(gpuinfra("choose", "80GB..:8", *limit).out)
    ran = gpuinfra("choose", "A100:4", "--by", "tflops")

    assert "price" not in {miss["constraint"] for miss in limited["near_misses"]}
    assert re.search(r"count 8 instead of 4 saves \d+% per TFLOPS: ", ran.out)


def test_a_whole_training_ranks_by_the_cost_of_its_computation(gpuinfra: Run) -> None:
    def by(*more: str) -> str:
        return json.loads(gpuinfra("choose", *more, "--cloud", "aws", "--json").out)["by"]

    assert by("--for-model", "70B") == by("--for-model", "{parameters: 8B, task: fine-tune}")
    assert by("--for-model", "70B") == "tflops"
    assert by("--for-model", "70B", "--by", "hour") == "hour"
    assert by("--for-model", "70B", "--for", "72h") == "run"
    assert by("--for-model", "{parameters: 70B, task: lora}") == "hour"
    assert by("--for-model", "{parameters: 70B, task: serve}") == by("L4:1") == "hour"


def test_beside_the_cheapest_computation_stands_the_lowest_rate(gpuinfra: Run) -> None:
    asked = ("choose", "--for-model", "70B", "--cloud", "aws")
    told = " ".join(gpuinfra(*asked).out.split())
    lowest = json.loads(gpuinfra(*asked, "--by", "hour", "--json").out)["winner"]
    name = f"{lowest['machines']} × {lowest['machine']['type']} in {lowest['region']} (aws)"

    assert "the less a training costs, whatever the number of its GPUs" in told
    assert f"lowest rate: {name} at $" in told
    assert "lowest rate" not in gpuinfra(*asked, "--by", "hour").out


def test_loose_cards_stand_below_machines_with_nvlink(gpuinfra: Run) -> None:
    asked = ("choose", "--for-model", "70B", "--cloud", "aws")
    ranked = json.loads(gpuinfra(*asked, "--json").out)["ranked"]
    connected = [each for each in ranked if each["connected"] and each["figure"] is not None]
    linked = [each["linked"] for each in connected]

    assert linked == sorted(linked, reverse=True)
    assert {each["machine"]["nvlink"] for each in connected if each["linked"]} == {True}
    assert {each["machines"] > 1 for each in connected if not each["linked"]} == {True}
    told = " ".join(gpuinfra(*asked, "--all").out.split())
    assert "no NVLink between GPUs; listed after those that do" in told


@pytest.mark.parametrize("asked", [("80GB:8",), ("--memory", "80GB")])
def test_one_size_is_said_to_be_exact(gpuinfra: Run, asked: tuple[str, ...]) -> None:
    def assumed(*words: str) -> str:
        return " ".join(gpuinfra("choose", *words, "--cloud", "aws").out.split())

    assert "GPUs of exactly 80GB (at least: 80GB..), ranked by " in assumed(*asked)
    assert "exactly" not in assumed("80GB..:8") + assumed("H100:8")


@pytest.mark.parametrize("asked", [("H100:8",), ("H100:8", "--nodes", "2", "--capacity", "spot")])
def test_the_duration_of_a_run_is_set_in_its_file(
    gpuinfra: Run, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    out = gpuinfra("choose", *asked, "--for", "72h", "--as-of", "2026-11-20").out
    command = next(line for line in out.split("next: ")[1:]).split("\nthen: ")[0]

    assert "--what fine-tune" in command
    given = command.partition(" my-stack ")[2].split()
    assert gpuinfra("init", tmp_path / "my-stack", *given).code == 0
    text = (tmp_path / "my-stack/stack.yaml").read_text()
    assert "    duration: 72h\n    time_to_live: 90h " in text
    assert ("    nodes: 2\n" in text) is ("--nodes" in asked)
    assert gpuinfra("check", tmp_path / "my-stack").code == 0
