import subprocess
import sys
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import PriceBook
from gpuinfra.catalog.machine_listing import cheapest, listing
from gpuinfra.catalog.query_subject import gpu_keys, subject
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.errors import InputError


@pytest.mark.parametrize("cloud", PRICED_CLOUDS)
def test_every_machine_type_is_found_by_its_name(cloud: str) -> None:
    for machine in priced_cloud_of(cloud).machines.all_machines():
        meant = subject(machine.type)

        assert meant.machine == machine
        assert [model.key for model in meant.gpus] == [machine.gpu]


def test_a_gpu_word_means_its_models() -> None:
    meant = subject("A100-80GB")

    assert meant.machine is None
    assert [model.key for model in meant.gpus] == ["A100-SXM-80GB"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("p5.48xlage", "p5.48xlarge"),
        ("H10O", "H100"),
        ("standard_nd96asr_v4", "Standard_ND96asr_v4"),
    ],
)
def test_an_unknown_word_gets_a_hint(word: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        subject(word)

    (problem,) = caught.value.problems
    assert problem.value == word
    assert problem.suggestion == meant
    assert "catalog ls" in problem.fix


def test_an_unknown_gpu_gets_a_hint() -> None:
    with pytest.raises(InputError) as caught:
        gpu_keys("H10O")

    assert caught.value.problems[0].suggestion == "H100"


def test_the_cheapest_price_of_a_machine_is_listed() -> None:
    cheapest = {row.machine.type: row.cheapest for row in listing(["aws"], gpu_keys("H100"))}

    assert set(cheapest) == {"p5.4xlarge", "p5.48xlarge"}
    price = cheapest["p5.48xlarge"]
    assert price is not None
    assert str(price.per_unit) == "55.04"


def test_dollars_are_listed_before_a_smaller_figure_of_another_currency() -> None:
    machine = subject("p5.48xlarge").machine
    assert machine is not None
    usual = cheapest(machine, "on-demand")
    assert usual is not None
    yuan = replace(usual, region="eu-west-2", per_unit=Decimal(1), currency="CNY")

    assert cheapest(machine, "on-demand", PriceBook([yuan])) == usual


def test_a_type_opens_only_the_tables_that_it_looks_like() -> None:
    code = (
        "import sys\n"
        "from gpuinfra.catalog.query_subject import subject\n"
        "subject('p5.48xlarge')\n"
        "print(*[one for one in sys.modules if one.startswith('gpuinfra.clouds.')])"
    )
    clouds = {name.split(".")[2] for name in printed(code).split()}

    assert "aws" in clouds
    assert not clouds & {"gcp", "azure", "alibaba", "tencent", "lambda_"}


def test_a_room_whose_types_look_otherwise_keeps_its_tables_closed() -> None:
    code = (
        "from gpuinfra.catalog.query_subject import subject\n"
        "subject('Standard_ND96asr_v4')\n"
        "from gpuinfra.clouds.aws.tables import TABLES\n"
        "print(TABLES.table.cache_info().currsize)"
    )

    assert printed(code).strip() == "0"


def printed(code: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
