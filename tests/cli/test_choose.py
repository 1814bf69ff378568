"""What `gpuinfra choose` prints, and what it refuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import STACKS, Run

OWN = """\
version: 1
exchange_rates: {CNY: 0.14}
prices:
  - {cloud: aws, machine: p4d.24xlarge, region: eu-south-2, per_hour: 9.5}
hardware:
  rack-1: {gpu: "A100-SXM-40GB:8", region: berlin, per_hour: 4.2, vcpu: 32, memory: 256GiB}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "prices.yaml"
    path.write_text(OWN)
    return path


def types(out: str) -> list[str]:
    return [candidate["machine"]["type"] for candidate in json.loads(out)["ranked"]]


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

    assert re.search(r"→ g6\.xlarge .* ≤ 0\.8048 +≤ 0\.8048 +2026-\S+ on demand\n", ran.out)
    assert "≤: the spot price is unknown; at most the price on demand" in ran.out
    assert "in asia-northeast3 (gcp) at 0." in ran.out
    assert "saves" not in ran.out
    found = json.loads(gpuinfra(*asked, "--as-of", "2026-11-26", "--json").out)
    assert found["winner"]["bound"] == "on-demand"
    assert {miss["saves"] for miss in found["near_misses"]} == {None}


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


def test_what_would_not_do_the_same_work_is_no_near_miss(gpuinfra: Run) -> None:
    arguments = ("choose", "80GB..:8", "--nvlink", "--cloud", "aws")
    near = json.loads(gpuinfra(*arguments, "--json").out)["near_misses"]

    assert "memory" not in {miss["constraint"] for miss in near}
    assert "\nmemory " not in gpuinfra(*arguments).out


@pytest.mark.parametrize(
    ("cloud", "way_out"),
    [
        ((), "allow a higher price: $55.04"),
        (
            ("--cloud", "lambda"),
            "allow a higher price: $31.92 (lambda, where gpuinfra can't build)",
        ),
    ],
)
def test_the_way_out_is_a_machine_that_can_be_built(
    gpuinfra: Run, cloud: tuple[str, ...], way_out: str
) -> None:
    ran = gpuinfra("choose", "H100:8", "--max-per-hour", "10", *cloud)

    assert f"  fix:     {way_out}\n" in ran.err


def test_where_nothing_fits_the_closest_five_and_their_constraints_are_shown(
    gpuinfra: Run,
) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "aws", "--region", "eu-west-1")
    answer = json.loads(
        gpuinfra("choose", "H100:8", "--cloud", "aws", "--region", "eu-west-1", "--json").out
    )

    assert ran.code == 2
    assert ran.out.count("p5.4xlarge") == 1
    assert "is not offered in eu-west-1, but in eu-north-1" in ran.out
    assert "no machine type fits: H100:8, on-demand, in eu-west-1" in ran.err
    assert answer["winner"] is None
    assert answer["losers"][0]["constraint"] == "region"


def test_a_refusal_counts_many_regions_and_does_not_name_them(gpuinfra: Run) -> None:
    everywhere = gpuinfra("choose", "H100:9").err
    europe = gpuinfra("choose", "H100:9", "--region", "europe").err

    assert "no machine type fits: H100:9, on-demand, in any region\n" in everywhere
    assert re.search(r"H100:9, on-demand, in any of \d\d regions\n", europe)


def test_all_that_is_wrong_is_told_at_once(gpuinfra: Run) -> None:
    ran = gpuinfra(
        *("choose", "H10O:8", "--cloud", "awss", "--region", "us-esat-1", "--precision", "bf61"),
        *("--capacity", "spto", "--fabric-speed", "400", "--for", "-3h", "--by", "hous"),
        *("--commitment", "1yr", "--fabric-kind", "ifiniband", "--architecture", "x86"),
        *("--max-per-hour", "-1", "--nodes", "0"),
    )

    assert ran.code == 2
    for hint in ("aws", "us-east-1", "bf16", "spot", "400Gbps", "hour", "infiniband", "H100"):
        assert f"did you mean {hint!r}?" in ran.err
    for wrong in ("--for: '-3h'", "--max-per-hour: '-1'", "--nodes: '0'", "unknown commitment"):
        assert wrong in ran.err
    assert "13 problems" in ran.err


def test_wishes_that_can_not_be_had_together_are_refused_together(gpuinfra: Run) -> None:
    ran = gpuinfra(
        *("choose", "H100:8", "--capacity", "spot", "--commitment", "1y", "--by", "run"),
        *("--no-nvlink", "--nvlink-domain", "8"),
    )

    assert ran.code == 2
    assert "spot machines have no commitments" in ran.err
    assert "set it, for example --for 72h" in ran.err
    assert "an NVLink domain without NVLink" in ran.err
    assert "3 problems" in ran.err


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
    assert ran.out.index("assumed: 7") < ran.out.index("→ ") < ran.out.index("optimizer states")
    assert "rule of thumb" in ran.out
    assert answer["winner"]["machines"] == answer["need"]["machines"] > 1
    assert answer["need"]["per_gpu_gb"] <= answer["need"]["gpu_memory_gb"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("70", "did you mean '70B'?"),
        ("{paramters: 70B}", "unknown key 'paramters'"),
        ("{parameters: 70B, task: serve, sharding: zero-3}", "set sharding: tensor"),
        ("llama-9", "unknown model"),
    ],
)
def test_a_model_that_is_none_is_told(gpuinfra: Run, text: str, words: str) -> None:
    ran = gpuinfra("choose", "--for-model", text, "--cloud", "aws")

    assert ran.code == 2
    assert words in ran.err


def test_own_machines_and_prices_are_compared_and_marked(gpuinfra: Run, own: Path) -> None:
    ran = gpuinfra("choose", "A100-40GB:8", "--prices", own)

    assert "→ rack-1" in ran.out
    assert "own† berlin" in ran.out
    assert types(gpuinfra("choose", "A100-40GB:8", "--prices", own, "--json").out)[0] == "rack-1"


def test_a_machine_with_an_own_price_is_offered_where_no_table_offers_it(
    gpuinfra: Run, own: Path
) -> None:
    arguments = ("choose", "A100-40GB:8", "--cloud", "aws", "--region", "eu-south-2", "--json")

    assert gpuinfra(*arguments).code == 2
    winner = json.loads(gpuinfra(*arguments, "--prices", own).out)["winner"]
    assert (winner["machine"]["type"], winner["per_hour"], winner["origin"]) == (
        "p4d.24xlarge",
        9.5,
        "user",
    )


def test_prices_in_another_currency_rank_apart_without_a_rate(gpuinfra: Run, own: Path) -> None:
    arguments = ("choose", "V100:1", "--cloud", "tencent", "--cloud", "aws", "--json")
    apart = json.loads(
        gpuinfra(*arguments, "--region", "cn-mainland", "--region", "us-east-1").out
    )
    currencies = [candidate["currency"] for candidate in apart["ranked"]]

    assert "CNY" in currencies
    assert currencies == sorted(currencies, key=lambda code: code != "USD")
    converted = json.loads(gpuinfra(*arguments, "--region", "cn-mainland", "--prices", own).out)
    assert {candidate["currency"] for candidate in converted["ranked"]} == {"USD"}


def test_outdated_prices_are_told_on_the_day_that_is_named(gpuinfra: Run) -> None:
    now = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--as-of", "2026-11-21")
    later = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--as-of", "2028-01-01")

    assert "older than" not in now.out
    assert "1 of 1 prices are older than 400 days, the winner's among them" in later.out


def test_a_commitment_dearer_than_no_commitment_is_told(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--commitment", "reserved-1y")

    assert "on demand it costs 55.04 an hour (2026-07-20)" in ran.out


def test_own_hardware_elsewhere_loses_by_its_region(gpuinfra: Run, own: Path) -> None:
    arguments = ("choose", "A100-40GB:8", "--region", "us-east-1", "--prices", own, "--losers")
    ran = gpuinfra(*arguments)

    assert ran.code == 0
    assert "is not offered in us-east-1, but in berlin" in ran.out
    assert gpuinfra("choose", "H200:3", *arguments[2:]).code == 2


def test_own_hardware_without_a_file_has_a_way_out(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--cloud", "own")

    assert ran.code == 2
    assert "--prices FILE lists them under hardware" in ran.err


def test_the_ranking_is_narrow_before_it_is_folded(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "H100:8", "--by", "bandwidth")
    head, *table = ran.out.split("──\n")[:2]

    rows = [line for line in table[0].splitlines() if line.startswith(("→ ", "  "))]
    assert len(rows) > 3
    assert max(map(len, [head.splitlines()[-1], *rows])) <= 104


def test_every_region_is_searched_by_default_and_by_the_word_any(gpuinfra: Run) -> None:
    command = ("choose", "p5.48xlarge", "--cloud", "aws", "--json")
    answer = json.loads(gpuinfra(*command).out)

    assert len({candidate["region"] for candidate in answer["ranked"]}) > 3
    assert answer == json.loads(gpuinfra(*command, "--region", "any").out)


@pytest.mark.parametrize(
    ("gpu", "where"), [("MI300X:8", "azure eastus2"), ("TRAINIUM2:16", "aws us-east-2")]
)
def test_what_the_usual_regions_lack_is_found_elsewhere(
    gpuinfra: Run, gpu: str, where: str
) -> None:
    ran = gpuinfra("choose", gpu)

    assert ran.code == 0
    assert where in ran.out


def test_each_machine_stands_once_and_all_lists_the_other_places(gpuinfra: Run) -> None:
    short = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws")
    full = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--all")

    assert short.out.count("p5.48xlarge  ") == 1
    assert "each in its cheapest region; --all lists 13 more places" in short.out
    assert "aws eu-north-1" in full.out


def test_a_spot_price_of_years_ago_does_not_win(gpuinfra: Run) -> None:
    answer = json.loads(gpuinfra("choose", "A100:8", "--capacity", "spot", "--json").out)

    old = [
        candidate
        for candidate in answer["ranked"]
        if candidate["machine"]["type"] == "Standard_ND96amsr_A100_v4"
    ]
    assert min(candidate["per_hour"] for candidate in old if candidate["per_hour"]) == 32.77
    assert answer["winner"]["as_of"] >= "2026"


def test_a_continent_means_its_regions(gpuinfra: Run) -> None:
    answer = json.loads(gpuinfra("choose", "H100:8", "--region", "europe", "--json").out)

    regions = {candidate["region"] for candidate in answer["ranked"]}
    assert {"eu-north-1", "europe-west4", "uksouth", "europe-central-1"} <= regions
    assert not any(region.startswith(("us", "ap-", "asia")) for region in regions)


def test_a_continent_without_regions_of_the_cloud_is_refused(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "T4", "--cloud", "tencent", "--region", "europe")

    assert ran.code == 2
    assert "europe" in ran.err


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
    alone = gpuinfra("choose", "--for-model", "70B", "--cloud", "lambda", "--memory", "48GB")

    assert "→ 9 × g7e.12xlarge" in ran.out
    rows = [line for line in ran.out.splitlines() if "aws " in line or "lambda" in line]
    assert "lambda" not in rows[0]
    told = r"^\d+ options lack RDMA or a fast network; listed last$"
    assert re.search(told, ran.out, re.MULTILINE)
    assert "listed last" not in alone.out
    assert "? gpu_1x_a6000, network of each machine: unknown" in alone.out


def test_the_way_out_is_that_of_the_nearest(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "--memory", "80GB..", "--nvlink-domain", "72", "--cloud", "gcp")

    assert "fix:     use another architecture: arm64" in ran.err
    assert ran.out.index("its processor is arm64") < ran.out.index(
        "NVLink connects 8 GPUs, not 72"
    )


def test_of_a_type_that_is_named_only_itself_is_shown_as_close(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "p5.48xlarge:4", "--cloud", "aws")

    assert "has 8 GPUs, not 4" in ran.out
    assert "is another type" not in ran.out
    assert "use another count: 8" in ran.err


@pytest.mark.parametrize("option", [("--for-model", "x"), ("--memory", "much")])
def test_what_stands_in_for_a_gpu_but_can_not_be_read_is_told_once(
    gpuinfra: Run, option: tuple[str, str]
) -> None:
    ran = gpuinfra("choose", *option, "--cloud", "aws")

    assert ran.code == 2
    assert "no GPU is named" not in ran.err
    assert "1 problem\n" in ran.err


def test_a_duration_that_can_not_be_read_is_not_missing(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "L4:1", "--by", "run", "--for", "soon")

    assert "the duration of a run is unknown" not in ran.err
    assert "1 problem\n" in ran.err
    assert (
        "the duration of a run is unknown"
        in gpuinfra("choose", "L4:1", "--by", "run", "--nodes", "x").err
    )


def test_an_unknown_cloud_beside_all_is_told(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "L4:1", "--cloud", "all", "--cloud", "foo")

    assert ran.code == 2
    assert "unknown cloud" in ran.err


def test_a_commitment_as_capacity_has_a_way_out(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "L4:1", "--capacity", "reserved-1y")

    assert "--commitment reserved-1y" in ran.err


def test_own_hardware_is_chosen_by_its_name(gpuinfra: Run, own: Path) -> None:
    assert types(gpuinfra("choose", "rack-1", "--prices", own, "--json").out) == ["rack-1"]
    assert gpuinfra("choose", "rack-1").code == 2


def test_own_hardware_needs_no_processor(gpuinfra: Run, own: Path) -> None:
    ran = gpuinfra("choose", "32GB..:8", "--cloud", "own", "--prices", own, "--json")

    assert types(ran.out) == ["rack-1"]


def test_the_region_of_an_own_price_is_looked_at_by_default(gpuinfra: Run, own: Path) -> None:
    answer = json.loads(gpuinfra("choose", "p4d.24xlarge", "--prices", own, "--json").out)

    assert answer["winner"]["region"] == "eu-south-2"
    assert answer["winner"]["origin"] == "user"


COVERS = """\
version: 1
prices:
  - {cloud: aws, machine: g6.xlarge, region: us-east-1, per_hour: 0.4, covers: 2}
"""


@pytest.mark.parametrize(("nodes", "per_hour"), [("2", 0.4), ("3", 0.8048)])
def test_an_own_price_holds_for_as_many_machines_as_it_covers(
    gpuinfra: Run, tmp_path: Path, nodes: str, per_hour: float
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(COVERS)
    arguments = ("choose", "g6.xlarge", "--cloud", "aws", "--nodes", nodes, "--prices", prices)
    ran = gpuinfra(*arguments, "--json")

    assert json.loads(ran.out)["winner"]["per_hour"] == per_hour
    told = "prices.yaml:3 covers 2 × g6.xlarge, fewer than requested" in ran.err
    assert told is (nodes == "3")


def test_where_no_figure_is_known_the_precision_that_would_give_one_is_named(
    gpuinfra: Run,
) -> None:
    ran = gpuinfra("choose", "V100", "--by", "tflops", "--cloud", "aws")

    assert "no dense bf16 rate of their GPUs is known; --precision fp16 or fp32" in ran.out
    known = gpuinfra("choose", "V100", "--by", "tflops", "--cloud", "aws", "--precision", "fp16")
    assert "without a known figure" not in known.out


def test_a_commitment_cheaper_than_none_is_not_told(gpuinfra: Run, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(COVERS.replace("covers: 2", "mode: reserved-1y"))
    arguments = ("choose", "g6.xlarge", "--cloud", "aws", "--prices", prices)
    ran = gpuinfra(*arguments, "--commitment", "reserved-1y")

    assert ran.code == 0
    assert "on demand it costs" not in ran.out


def test_an_own_price_that_ended_is_told(gpuinfra: Run, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(COVERS.replace("covers: 2", "until: 2026-01-01"))
    arguments = ("choose", "g6.xlarge", "--cloud", "aws", "--prices", prices)
    ran = gpuinfra(*arguments, "--as-of", "2026-11-21", "--json")

    assert json.loads(ran.out)["winner"]["per_hour"] == 0.8048
    assert "note: prices.yaml:3 ended on 2026-01-01" in ran.err


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

    assert named.out.replace("--gpu ", "") == gpuinfra("choose", "L4:1", *words).out
    twice = gpuinfra("choose", "L4:1", "--gpu", "L4:1", *words)
    assert (twice.code, "name the GPU once" in twice.err) == (2, True)


def test_a_stack_is_no_gpu(gpuinfra: Run) -> None:
    refused = gpuinfra("choose", STACKS / "quickstart")

    assert refused.code == 2
    assert "this is a stack, not a GPU" in refused.err
    assert f"they were chosen: gpuinfra plan {STACKS / 'quickstart'}" in refused.err


def test_a_gpu_where_a_list_takes_it_as_an_option(gpuinfra: Run) -> None:
    refused = gpuinfra("catalog", "ls", "H100")

    assert refused.code == 2
    assert "Write --gpu H100, or gpuinfra catalog show H100" in refused.err


def test_a_value_after_an_option_that_takes_none(gpuinfra: Run) -> None:
    refused = gpuinfra("choose", "H100:8", "--fabric", "required")

    assert refused.code == 2
    assert "--fabric takes no value: leave required out" in refused.err
    assert "catalog show" not in refused.err


def test_the_closest_have_the_gpu_where_any_has(gpuinfra: Run) -> None:
    refused = gpuinfra("choose", "H200", "--region", "eu-central-2")

    assert "and 25 more (gpuinfra catalog show " in " ".join(refused.err.split())
    assert "p5e.48xlarge " in refused.out
    assert "QUALCOMM" not in refused.out


@pytest.mark.parametrize("city", ["Frankfurt", "frankfurt"])
def test_a_city_is_told_its_regions(gpuinfra: Run, city: str) -> None:
    ran = gpuinfra("choose", "H100", "--region", city)

    assert ran.code == 2
    assert f"write eu-central-1 or europe-west3 or germanywestcentral, in {city}" in ran.err
    assert "did you mean" not in ran.err
