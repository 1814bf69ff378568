"""`plan` shows what a short file leaves out, and a revision of it has the same name."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SHORT = """\
budget: {per_hour: 8}
owner: ml-platform
prices: {accept_outdated: true}
inference:
  chat: {gpu: L4:1, replicas: 1..3, image: vllm/vllm-openai:v0.11.0, port: 8000}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    (made / "stack.yaml").write_text(SHORT)
    return made


def test_a_plan_shows_each_default_with_where_it_comes_from(gpuinfra: Run, folder: Path) -> None:
    shown = gpuinfra("plan", folder).out
    rows = [
        re.split(" {2,}", line.strip()) for line in shown.partition("leaves out")[2].splitlines()
    ]
    told = {row[0]: row[-1] for row in rows}

    assert told["name"] == "the folder's name"
    assert told["where.regions"] == "no region is configured: the cheapest of these is chosen"
    assert told["inference.chat.scale_on"] == "gpuinfra's default"
    assert "owner" not in told


def test_a_plan_as_json_has_them(gpuinfra: Run, folder: Path) -> None:
    defaults = json.loads(gpuinfra("plan", folder, "--json").out)["defaults"]

    assert {"path": ["name"], "value": "shop", "origin": "the folder's name"} in defaults


def test_a_revision_has_the_name_of_the_folder(gpuinfra: Run, folder: Path) -> None:
    for arguments in (
        ("init", "--quiet"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "a"),
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)

    done = gpuinfra("cost", folder, "--diff", "HEAD", "--json")

    assert json.loads(done.out)["comparison"]["changes"] == []


CAPPED = """\
name: shop
owner: ml
where: {regions: [us-east-1]}
budget: {per_hour: 20}
training:
  t: {gpu: "H100:8", duration: 24h, capacity: [spot, on-demand]}
"""


def test_the_reason_why_rungs_are_excluded_is_told_once(gpuinfra: Run, folder: Path) -> None:
    path = folder / "capped.yaml"
    path.write_text(CAPPED)
    ladder = gpuinfra("plan", path).out

    assert ladder.count("excluded: $") == 1
    assert ladder.count("excluded for the same reason") == 1


def test_a_spot_rung_counted_above_on_demand_says_why(gpuinfra: Run, tmp_path: Path) -> None:
    (tmp_path / "stack.yaml").write_text(
        "owner: me\nbudget: {per_hour: 200}\nwhere: {cloud: gcp, regions: [us-central1]}\n"
        "training: {lora: {gpu: H100:8, capacity: [spot, on-demand], duration: 24h}}\n"
    )

    out = " ".join(gpuinfra("plan", tmp_path).out.split())

    assert (
        "lora, spot@us-central1: a3-megagpu-8g is counted at its on-demand price, the most that "
        "spot costs without max_price; its spot price was $"
    ) in out


def test_each_table_after_the_first_follows_an_empty_line(gpuinfra: Run) -> None:
    lines = gpuinfra("plan", "stacks/quickstart").out.splitlines()

    for title in ("ladder", "notes", "what the file leaves out"):
        assert lines[lines.index(title) - 1] == ""


def test_the_fabric_is_the_first_note(gpuinfra: Run) -> None:
    lines = gpuinfra("plan", "stacks/training").out.splitlines()

    assert "NCCL over RDMA: yes" in lines[lines.index("notes") + 1]


def test_the_defaults_stay_a_table_on_a_narrow_terminal(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text("[user]\n  email = a-long-name-of-a-person@users.noreply.example.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("COLUMNS", "80")
    file = tmp_path / "stack.yaml"
    file.write_text(
        "name: tune\nbudget: {per_hour: 2}\nwhere: {regions: [us-east-1]}\n"
        "training: {tune: {gpu: L4:1, duration: 24h}}\n"
    )

    out = gpuinfra("plan", file).out

    assert "from: " not in out
    assert re.search(r"^owner +a-long-name\S+ \(git$", out, re.MULTILINE)
    assert re.search(r"^training\.tune\.runs +1 \(gpuinfra's default\)$", out, re.MULTILINE)


def test_what_is_bought_is_the_active_rung(gpuinfra: Run, folder: Path) -> None:
    path = folder / "laddered.yaml"
    path.write_text(CAPPED.replace("20", "70").replace("H100:8", "L4:1"))
    bought = r"^t +training +1 +g6\.xlarge +us-east-1\w? +{} +none$"

    first, second = gpuinfra("plan", path).out, gpuinfra("plan", path, "--rung", "t=on-demand").out
    path.write_text(CAPPED)
    excluded = gpuinfra("plan", path).out

    assert re.search(bought.format("spot"), first, re.MULTILINE)
    assert re.search(bought.format("on-demand"), second, re.MULTILINE)
    assert re.search(r"^t +training .* none: all excluded +none$", excluded, re.MULTILINE)


@pytest.mark.parametrize(("cap", "words"), [("20", "above the cap of"), ("200", "cap")])
def test_the_totals_stand_beside_the_caps_as_check_has_them(
    gpuinfra: Run, folder: Path, cap: str, words: str
) -> None:
    path = folder / "capped.yaml"
    path.write_text(CAPPED.replace("20", cap))
    planned, checked = (
        " ".join(gpuinfra(command, path).out.split()) for command in ("plan", "check")
    )

    beside = rf"\({words} \${cap}\.00\)"
    found = re.search(rf"at most \$[\d.,]+/h {beside}, \$[\d.,]+/month", planned)
    assert found
    assert found[0] in checked
    assert f"usage-based charges not counted (`gpuinfra cost {path} -v`)" in planned


def test_quiet_leaves_machines_and_totals_and_verbose_adds_sources(
    gpuinfra: Run, folder: Path
) -> None:
    path = folder / "capped.yaml"
    path.write_text(CAPPED)
    quiet, normal, verbose = (gpuinfra("plan", path, *more).out for more in (("-q",), (), ("-v",)))

    assert "p5.48xlarge" in quiet
    assert "at most $" in quiet
    titles = r"^(ladder|what the file leaves out|prices of the ladder)$"
    assert not re.search(titles, quiet, re.MULTILINE)
    assert "prices of the ladder" not in normal
    sources = verbose.partition("prices of the ladder\n")[2]
    assert re.search(r"^t +on-demand@us-east-1 +2026-\S+ +\S+", sources, re.MULTILINE)
    assert "can't be combined with --resources" in gpuinfra("plan", path, "-v", "--resources").err
