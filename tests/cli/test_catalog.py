import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.catalog.claims.judging import advice, claims
from gpuinfra.cli.commands.catalog import MEMBERS
from gpuinfra.cli.commands.catalog.claims import markdown
from gpuinfra.clouds import PRICED_CLOUDS
from tests.cli.conftest import Run
from tests.cli.documents import documented

DOCS = Path(__file__).parents[2] / "docs"


def test_help_lists_every_command_of_the_group(gpuinfra: Run) -> None:
    ran = gpuinfra("catalog", "--help")

    assert ran.code == 0
    for name, _ in MEMBERS:
        assert f"  {name} " in ran.out


@pytest.mark.parametrize("name", [name for name, _ in MEMBERS])
def test_every_command_of_the_group_has_help(gpuinfra: Run, name: str) -> None:
    ran = gpuinfra("catalog", name, "--help")

    assert ran.code == 0
    assert f"Usage: gpuinfra catalog {name}" in ran.out


def test_a_misspelt_command_of_the_group_gets_a_hint(gpuinfra: Run) -> None:
    ran = gpuinfra("catalog", "shwo")

    assert ran.code == 2
    assert "'show'" in ran.err


def test_a_machine_is_shown_with_all_that_is_known(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "p5.48xlarge").out

    assert "8 × H100-SXM-80GB" in out
    assert "900 GB/s per GPU, joins 8 GPUs" in out
    assert "efa, 32 interfaces, 3,200 Gbps" in out
    assert "moto 5.2.5" in out
    assert "as of             2026-10-27" in out
    assert "$55.04 26-07" in out
    assert "> 20%" in out
    assert "989 TFLOPS" in out


def test_the_unknown_is_shown_as_unknown(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "gpu_1x_h100_pcie").out

    assert "network           unknown" in out
    assert " 0 Gbps" not in out


def test_old_and_dear_prices_are_marked(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "p5.48xlarge").out

    assert "$77.427 25-04*!" in out
    assert "*  older than 400 days" in out
    assert "!  not below the on-demand price" in out
    assert "!" not in gpuinfra("catalog", "show", "gpu_1x_h100_pcie").out


def test_a_region_is_shown_zone_by_zone_with_sources(gpuinfra: Run) -> None:
    ran = gpuinfra("catalog", "show", "p5.48xlarge", "--region", "us-east-1", "--mode", "spot")

    assert "use1-az2" in ran.out
    assert "share of spot machines per month: us-east-1 > 20%; AWS Spot Advisor" in ran.out
    assert "2026-01-21/2026-05-22" in ran.out
    assert "skypilot-org/skypilot-catalog@2c3d7ea" in ran.out
    assert "us-west-2" not in ran.out.split("prices per machine-hour")[1]


def test_why_tells_every_row_and_the_rule(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "p5.48xlarge", "--why").out

    assert "→ $55.04 " in out
    assert "was 98.32 on 2025-04-24" in out
    assert "98.32           us-east-1-atl-1" in out
    assert "98.32 until January 2026, then 80.62" in out
    assert "digiterialabs.com" in out
    assert "2025-06-23" in out
    for rule in ("newest", "one-zone", "costliest-zone", "cheaper-zone", "unused-zone"):
        assert f"  {rule:<16}" in out
    assert "spot in us-east-1" in out
    assert "spot in us-west-2" not in out
    both = gpuinfra("catalog", "show", "p5.48xlarge", "--why", "--region", "us-west-2").out
    assert "spot in us-west-2" in both


def test_why_of_a_gpu_tells_what_sources_dispute(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "A10G", "--why").out

    assert "not 62.5" in out
    assert "FP16, dense       70 TFLOPS, unverified" in out


def test_why_tells_the_figures_that_are_no_prices(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "GN10Xp.2XLARGE40", "--why").out

    assert "numbers that are not prices" in out
    assert "$2.38" in out


def test_a_price_in_another_currency_stays_in_it(gpuinfra: Run) -> None:
    assert "11.98 CNY 2022*" in gpuinfra("catalog", "show", "GN10Xp.2XLARGE40").out
    assert "CNY" in gpuinfra("catalog", "ls", "--cloud", "alibaba").out


def test_a_gpu_is_shown_with_the_machines_that_have_it(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "L40S").out

    assert "NVIDIA L40S" in out
    assert "g6e.xlarge" in out


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (("show", "p5.48xlage"), ("did you mean 'p5.48xlarge'", "gpuinfra catalog ls")),
        (
            ("show", "p5.48xlarge", "--region", "us-eats-1", "--mode", "spto"),
            ("did you mean 'us-east-1'", "did you mean 'spot'", "2 problems"),
        ),
        (("ls", "--gpu", "H10O"), ("unknown GPU", "did you mean 'H100'")),
        (("ls", "--cloud", "awz"), ("awz",)),
        (("score", "--gpu", "H10O"), ("did you mean 'H100'",)),
        (
            ("score", "--weights", "preformance=3,network=-1,cost=much"),
            ("did you mean 'performance'", "weight of network", "weight of cost", "3 problems"),
        ),
        (("score", "--weights", "cost=0"), ("all weights are 0",)),
        (("score", "--weights", "cost=nan"), ("weight of cost",)),
        (("age", "--as-of", "soon"), ("soon",)),
        (("age", "--days", "0"), ("0",)),
    ],
)
def test_wrong_words_are_refused_with_the_way_out(
    gpuinfra: Run, arguments: tuple[str, ...], messages: tuple[str, ...]
) -> None:
    ran = gpuinfra("catalog", *arguments)

    assert ran.code == 2
    assert "Traceback" not in ran.err
    for words in messages:
        assert words in ran.err


def test_machines_are_listed_with_their_cheapest_price(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "ls", "--gpu", "H100", "--cloud", "aws").out
    line = next(line for line in out.splitlines() if "p5.48xlarge" in line)

    assert line.split()[4:] == ["8", "efa", "3,200", "$55.04", "us-east-1", "2026-07"]
    assert "2 machine types" in out
    assert "a3-highgpu" not in out


def test_claims_are_shown_with_their_outcomes(gpuinfra: Run) -> None:
    ran = gpuinfra("catalog", "claims")

    assert ran.code == 0
    assert "✗ wrong" in ran.out
    assert "40 GB each" in ran.out
    assert f"{len(claims())} claims: " in ran.out
    assert "start Horovod over NCCL" in ran.out


def test_the_page_of_the_guides_is_what_the_catalog_says() -> None:
    assert (DOCS / "guides.md").read_text() == markdown(claims(), advice()), "run make docs"


def test_the_page_of_models_is_what_the_table_says(gpuinfra: Run) -> None:
    assert (DOCS / "models.md").read_text() == gpuinfra(
        "catalog", "models", "--format", "markdown"
    ).out
    assert "llama-3.1-405b" in gpuinfra("catalog", "models").out
    known = json.loads(gpuinfra("catalog", "models", "--json").out)["models"]
    assert {"qwen3-32b", "gpt-oss-120b", "mixtral-8x7b"} <= {model["name"] for model in known}


@pytest.mark.parametrize(
    "command",
    [
        ("show", "p5.48xlarge"),
        ("show", "p5.48xlarge", "--why"),
        ("show", "H100"),
        ("ls", "--cloud", "lambda"),
        ("age", "--cloud", "lambda"),
        ("claims",),
        ("models",),
        ("score",),
    ],
)
def test_the_documented_keys_are_the_real_ones(gpuinfra: Run, command: tuple[str, ...]) -> None:
    answer = json.loads(gpuinfra("catalog", *command, "--json").out)
    first = answer[0] if isinstance(answer, list) else answer

    assert set(first) == documented()[f"catalog {command[0]}"]


def test_showing_a_machine_loads_its_room_alone_and_no_grammar() -> None:
    code = (
        "import contextlib, io, sys\n"
        "from gpuinfra.cli import run\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    assert run(['catalog', 'show', 'p5.48xlarge']) == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())

    assert "gpuinfra.clouds.aws" in loaded
    assert "gpuinfra.clouds.gcp" not in loaded
    assert not loaded & {"pydantic", "ruamel.yaml", "pulumi"}


def test_a_burst_is_not_shown_as_what_the_network_carries(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "g5.xlarge").out

    assert "network           at most 10 Gbps, 2.5 Gbps sustained" in out
    assert "network           3,200 Gbps" in gpuinfra("catalog", "show", "p5.48xlarge").out


def test_no_fabric_is_told_from_one_that_nobody_tells_of(gpuinfra: Run) -> None:
    assert "fabric            unknown" in gpuinfra("catalog", "show", "BMG5t").out
    assert "fabric            none" in gpuinfra("catalog", "show", "g5.xlarge").out


def test_a_listed_price_is_no_offer(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "show", "Standard_ND96asr_v4").out

    assert "offered in" not in out
    assert "priced in         5: eastus" in out
    assert "a listed price does not prove availability, which" in out
    assert "offered in" in gpuinfra("catalog", "show", "p5.48xlarge").out


def test_why_has_the_units_of_a_field(gpuinfra: Run) -> None:
    assert "nvlink GB/s: 900" in gpuinfra("catalog", "show", "a3-ultragpu-8g", "--why").out


def test_a_number_of_gpus_is_ranked_by_choose(gpuinfra: Run) -> None:
    refused = gpuinfra("catalog", "show", "H100:8")

    assert refused.code == 2
    assert "did you mean 'H100'?" in refused.err
    assert "gpuinfra choose H100:8" in refused.err


def test_machines_with_as_many_gpus_are_listed_by_price(gpuinfra: Run) -> None:
    out = gpuinfra("catalog", "ls", "--gpu", "L4", "--cloud", "aws").out

    assert out.index("g6.2xlarge ") < out.index("g6.16xlarge ")


def test_the_list_is_a_table_on_80_columns(gpuinfra: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    told = gpuinfra("catalog", "ls").out

    assert told.count("per hour\n") == len(PRICED_CLOUDS)
    assert "    fabric: " not in told
