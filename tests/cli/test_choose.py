"""What `gpuinfra choose` prints: the ranking, its winner and its near misses."""

import json
import re
import subprocess
import sys

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

    assert re.search("\ncapacity: spot instead of on-demand saves .* an hour\n", ran.out)


def test_a_near_miss_without_a_public_image_says_so(gpuinfra: Run) -> None:
    out = gpuinfra("choose", "192GB..:8", "--as-of", "2026-11-20").out
    [line] = [line for line in out.splitlines() if line.startswith("vendor: MI300X")]

    assert line.endswith(" an hour, but needs your own image (machine_image)")


@pytest.mark.parametrize(
    ("demand", "word"),
    [
        (("A10G:1", "--fabric"), "fabric"),
        (("L4:1", "--vcpu-per-gpu", "16"), "vcpu"),
        (("L4:1", "--ram-per-gpu", "100GB"), "ram"),
        (("H100:8", "--fabric-speed", "3000Gbps"), "fabric"),
        (("A10G:1", "--fabric-kind", "efa"), "fabric"),
    ],
)
def test_no_near_miss_drops_what_the_machine_was_asked_to_have(
    gpuinfra: Run, demand: tuple[str, ...], word: str
) -> None:
    ran = gpuinfra("choose", *demand, "--as-of", "2026-11-26")

    assert ran.code == 0
    assert not [line for line in ran.out.splitlines() if line.startswith(word)]


def test_another_fabric_is_a_near_miss(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--fabric-kind", "infiniband", "--as-of", "2026-11-26")

    assert "\nfabric kind: efa instead of infiniband saves " in ran.out


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


def test_what_is_assumed_comes_first_and_the_next_command_last(gpuinfra: Run) -> None:
    out = gpuinfra("choose", "--for-model", "405B", "--cloud", "aws").out
    first, second, *_, last = out.splitlines()

    assert first.startswith(
        "assumed: 405B to train every parameter (other tasks: lora, serve), purchase option "
        "on-demand, ranked by $ per hour for a "
    )
    assert second.lstrip().startswith("machine ")
    assert "assumed: about" not in out
    assert re.search(r"gpuinfra init my-stack --what fine-tune --gpu .* --nodes \d+$", last)


def test_outdated_prices_are_told_on_the_day_that_is_named(gpuinfra: Run) -> None:
    now = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--as-of", "2026-11-21")
    later = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--as-of", "2028-01-01")

    assert "older than" not in now.out
    assert "1 of 1 prices are older than 400 days, the winner's among them" in later.out


def test_the_ranking_is_narrow_before_it_is_folded(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--by", "bandwidth")
    head, *table = ran.out.split("──\n")[:2]

    rows = [line for line in table[0].splitlines() if line.startswith(("→ ", "  "))]
    assert len(rows) > 3
    assert max(map(len, [head.splitlines()[-1], *rows])) <= 104


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

    assert "count: 1 instead of 8" not in ran.out
    assert "GPU: V100-16GB instead of H100" not in ran.out


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


def test_the_gpu_may_be_named_by_the_option_of_init(gpuinfra: Run) -> None:
    words = ("--cloud", "aws", "--region", "us-east-1")

    named = gpuinfra("choose", "--gpu", "L4:1", *words)

    told = gpuinfra("choose", "L4:1", *words).out
    assert named.out.replace("--gpu ", "") == told.replace("--gpu ", "")
    twice = gpuinfra("choose", "L4:1", "--gpu", "L4:1", *words)
    assert (twice.code, "name the GPU once" in twice.err) == (2, True)


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


def test_a_near_miss_keeps_the_limit_and_says_what_its_saving_is_of(gpuinfra: Run) -> None:
    limit = ("--by", "tflops", "--max-per-hour", "40", "--json")
    limited = json.loads(gpuinfra("choose", "80GB..:8", *limit).out)
    ran = gpuinfra("choose", "A100:4", "--by", "tflops")

    assert "price" not in {miss["constraint"] for miss in limited["near_misses"]}
    assert re.search(r"count: 8 instead of 4 saves \d+% per TFLOPS: ", ran.out)


@pytest.mark.parametrize("asked", [("80GB:8",), ("--memory", "80GB")])
def test_one_size_is_said_to_be_exact(gpuinfra: Run, asked: tuple[str, ...]) -> None:
    def assumed(*words: str) -> str:
        return " ".join(gpuinfra("choose", *words, "--cloud", "aws").out.split())

    assert "GPUs of exactly 80GB (at least: 80GB..), ranked by " in assumed(*asked)
    assert "exactly" not in assumed("80GB..:8") + assumed("H100:8")
