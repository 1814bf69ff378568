import json
import re
from pathlib import Path

import pytest

from gpuinfra.cli.pages import clouds
from gpuinfra.cli.pages.glossary import glossary
from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.report import rule_text
from gpuinfra.report.rule_text import EXPLAINED_RULES
from tests.cli.conftest import Run
from tests.cli.documents import documented

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_a_rule_is_explained_with_why_settings_and_both_examples(gpuinfra: Run) -> None:
    ran = gpuinfra("explain", "spot-share")

    assert ran.code == 0
    for words in (
        "Too few GPUs on spot cost more than needed",
        ("setting: minimum: minimum share on spot; a share, for example 60%; default none"),
        "violated:\n  rules:",
        "fine:\n  rules:",
        "capacity: [on-demand]",
        "capacity: [spot]",
    ):
        assert words in ran.out


def test_a_level_is_explained_in_words(gpuinfra: Run) -> None:
    firm = " ".join(gpuinfra("explain", "price-outdated").out.split())

    assert "level: mandatory: a violation, or a result that can't be known, fails the" in firm
    assert "; firm: it can't be waived, lowered or disabled why:" in firm
    advisory = gpuinfra("explain", "time-limit").out
    assert "  level:   advisory: it warns, and fails nothing\n" in advisory


def test_without_a_rule_all_are_listed(gpuinfra: Run) -> None:
    ran = gpuinfra("explain")

    assert ran.code == 0
    for rule in EXPLAINED_RULES:
        assert rule.id in ran.out
        assert rule.title in ran.out


def test_the_list_marks_advisory_rules_and_seldom_wraps_at_80_columns(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    lines = gpuinfra("explain").out.splitlines()

    marked = {line.split()[0] for line in lines if re.match(r"\S+ +!  ", line)}
    assert marked == {rule.id for rule in EXPLAINED_RULES if rule.level == "advisory"}
    assert lines[-1].startswith("! advisory: ")
    wrapped = [line for line in lines if line.startswith("  ")]
    assert len(wrapped) < len(EXPLAINED_RULES) / 3


def test_a_misspelt_rule_gets_a_hint(gpuinfra: Run) -> None:
    ran = gpuinfra("explain", "metadat-v2")

    assert ran.code == 2
    assert "did you mean 'metadata-v2'" in ran.err


def test_a_family_is_listed_and_a_key_of_the_same_name_is_described(gpuinfra: Run) -> None:
    ran = gpuinfra("explain", "budget")

    assert ran.code == 0
    for rule in EXPLAINED_RULES:
        assert (f"\n{rule.id} " in f"\n{ran.out}") == (rule.family == "budget"), rule.id
    assert "allowed: a mapping of per_hour, per_run, per_month" in ran.out
    ids = {rule["id"] for rule in json.loads(gpuinfra("explain", "budget", "--json").out)}
    assert "cap-per-hour" in ids
    assert "metadata-v2" not in ids


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("gpu", "training.gpu: GPUs of one machine, for example H100:8 or L4:1; or set "),
        ("gpu", "or set `instance`. Also under inference."),
        ("duration", "training.duration: Duration of a run, for example 72h"),
        ("training.fabric", "allowed: required, preferred, none"),
        ("gpu", "allowed: a GPU and how many of them in one machine, for example H100:8 "),
        ("gpu", "; or a mapping of model, memory, count, "),
        ("gpu", "example: gpu: H100:8"),
        ("gpu", "example: gpu: {model: H100, count: 8, for_model: llama-3.1-70b}"),
        ("budget", "example: budget: {per_hour: 60, per_run: 700, notify: [jane@example.com]}"),
        ("replicas", "a number or a range of 1 to 1,000 machines, for example 2 or 1..20"),
        ("training.capacity", "example: capacity: [spot, on-demand]"),
        ("buckets.size", "allowed: a number and a unit, for example 500GB, 10TB"),
        ("time_to_live", "allowed: a number and s, m, h, d or w, for example 45s, 10m, 72h, 30d"),
        ("data", "example: data: [{bucket: data, prefix: tokens/}]"),
        ("nodes", "allowed: 1 to 1000"),
        ("efa_layout", "clouds:  aws"),
        ("budget.on_breach", "why:     Google Cloud: a managed group"),
        ("disk.iops", "training.disk.iops: "),
        ("capacity.capacity-block", "clouds:  aws"),
    ],
)
def test_a_key_of_the_stack_file_is_described(gpuinfra: Run, word: str, said: str) -> None:
    ran = gpuinfra("explain", word)

    assert ran.code == 0
    assert said in " ".join(ran.out.split("\n")).replace("  ", "  ")


def test_each_key_has_a_description_and_clouds(gpuinfra: Run) -> None:
    from gpuinfra.cli.pages.grammar import key_descriptions
    from gpuinfra.cli.pages.keys import keys_of

    for path in list(key_descriptions())[::7]:
        assert path in {key.key for key in keys_of(path)}
    (key,) = json.loads(gpuinfra("explain", "training.duration", "--json").out)
    assert set(key) == {"key", "description", "allowed", "examples", "clouds"}
    assert key["clouds"] == ["aws", "gcp", "azure"]


@pytest.mark.parametrize(
    ("word", "meant"), [("duratoin", "duration"), ("bugdet", "budget"), ("fabrc", "fabric")]
)
def test_a_misspelt_word_is_looked_for_among_all(gpuinfra: Run, word: str, meant: str) -> None:
    ran = gpuinfra("explain", word)

    assert ran.code == 2
    assert f"did you mean '{meant}'" in ran.err


@pytest.mark.parametrize("arguments", [(), ("cap-per-hour",)])
def test_as_json_it_has_the_documented_keys(gpuinfra: Run, arguments: tuple[str, ...]) -> None:
    rules = json.loads(gpuinfra("explain", *arguments, "--json").out)

    assert len(rules) == (1 if arguments else len(EXPLAINED_RULES))
    assert all(set(rule) == documented()["explain"] for rule in rules)


def test_the_page_of_the_rules_is_generated(gpuinfra: Run) -> None:
    assert PAGE.read_text() == gpuinfra("explain", "--format", "markdown").out, "run make docs"


def test_the_page_begins_with_one_table_of_all_rules() -> None:
    lines = rule_text.page().split("\n")
    start = lines.index("| id | family | level | title |") + 2
    table = lines[start : start + len(EXPLAINED_RULES)]

    assert [row.split("](#")[1].split(")")[0] for row in table] == [
        rule.id for rule in EXPLAINED_RULES
    ]
    assert not lines[start + len(EXPLAINED_RULES)]


def test_a_place_in_a_file_is_the_key_without_the_name(gpuinfra: Run) -> None:
    placed = gpuinfra("explain", "training.tune.gpu")

    assert (placed.code, placed.out) == (0, gpuinfra("explain", "training.gpu").out)


def test_a_key_says_of_each_cloud_on_a_line_why_it_is_refused(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = gpuinfra("explain", "idle_stop").out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  why:"))

    assert lines[at].startswith("  why:     Google Cloud: a managed")
    assert any(line.startswith("           Azure: ") for line in lines[at:])
    assert all(len(line) <= 60 and line.startswith(" " * 11) for line in lines[at + 1 :])


@pytest.mark.parametrize(
    ("rule", "key"), [("time-limit", "time_to_live"), ("idle-stop", "idle_stop")]
)
def test_a_rule_names_the_key_of_the_stack_file_that_satisfies_it(
    gpuinfra: Run, rule: str, key: str
) -> None:
    assert f"in a stack file: add {key} to the workload" in gpuinfra("explain", rule).out


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("rung", "rung: one way to buy a workload's machines: "),
        ("Rungs", "rung: one way to buy a workload's machines: "),
        ("ladder", "ladder: the rungs of a workload in the order in which they are tried"),
        ("ceiling", "maximum cost (ceiling): what a stack costs on the most expensive rung "),
        ("receipt", "receipt: the source and date of one price in a quote."),
        ("coverage", "(`covers` in prices.yaml)"),
        ("capacity block", "capacity block: AWS GPU machines reserved for a fixed period"),
    ],
)
def test_a_word_of_the_glossary_is_explained(gpuinfra: Run, word: str, said: str) -> None:
    ran = gpuinfra("explain", word)

    assert ran.code == 0
    assert said in " ".join(ran.out.split())


def test_every_word_of_the_glossary_is_explained_as_the_page_has_it(gpuinfra: Run) -> None:
    page = (PAGE.parent / "glossary.md").read_text()
    words = re.findall(r"^- \*\*(.+?)\*\*", page, re.MULTILINE)

    assert len(words) > 15
    assert [word.word for word in glossary()] == [word.lower() for word in words]
    for word in glossary():
        assert word.line in " ".join(gpuinfra("explain", word.word).out.split())
        assert not re.search(r"\]\(|\*", word.line)


def test_a_word_that_is_a_rule_or_a_key_too_is_explained_as_both(gpuinfra: Run) -> None:
    told = gpuinfra("explain", "waiver").out

    assert told.startswith("waiver: an accepted finding, ")
    assert "\n\nwaiver: Waivers are unexpired" in told
    assert [rule["id"] for rule in json.loads(gpuinfra("explain", "waiver", "--json").out)] == [
        "waiver"
    ]


def test_a_misspelt_word_of_the_glossary_gets_a_hint(gpuinfra: Run) -> None:
    assert "did you mean 'ladder'?" in gpuinfra("explain", "laddr").err


def test_a_word_as_json_has_the_documented_keys(gpuinfra: Run) -> None:
    (rung,) = json.loads(gpuinfra("explain", "rung", "--json").out)

    assert set(rung) == {"word", "others", "meaning"}


def test_the_whole_glossary_is_listed_as_a_hint_says(gpuinfra: Run) -> None:
    told = gpuinfra("explain", "glossary").out

    assert [line.split(":")[0] for line in told.splitlines() if line[0] != " "] == [
        word.line.split(":")[0] for word in glossary()
    ]
    assert "`gpuinfra explain glossary` the words" in " ".join(
        gpuinfra("explain", "nothing-like-it").err.split()
    )


def test_the_page_of_a_cloud_is_laid_out_unless_markdown_is_asked_for(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    shown = gpuinfra("explain", "--cloud", "aws").out
    source = gpuinfra("explain", "--cloud", "aws", "--format", "markdown").out

    assert source.startswith("# AWS, key by key\n")
    assert "| word | what for |" in source
    assert max(map(len, shown.splitlines())) <= 80
    assert "AWS, key by key" in shown
    assert "make docs" in source
    assert "make docs" not in shown
    assert "A table says what each key is for" in shown
    assert not any(line.startswith(("#", "|", "```")) for line in shown.splitlines())
    assert "**" not in shown
    assert "](" not in shown


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("H100", "catalog show H100"),
        ("A100-80GB:8", "catalog show A100-80GB"),
        ("p5.48xlarge", "catalog show p5.48xlarge"),
        ("70B", "choose --for-model 70B"),
        ("us-east-1", "catalog regions --cloud aws"),
        ("cn-shanghai", "catalog regions --cloud alibaba"),
        ("choose", "choose --help"),
        ("gcp", "explain --cloud gcp"),
    ],
)
def test_what_another_command_shows_names_that_command(
    gpuinfra: Run, word: str, command: str
) -> None:
    refused = gpuinfra("explain", word)

    assert refused.code == 2
    assert f"  fix:     gpuinfra {command}\n" in refused.err
    assert gpuinfra(*command.split()).code == 0


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_each_cloud_has_a_page_of_its_keys(gpuinfra: Run, cloud: str) -> None:
    shown = " ".join(gpuinfra("explain", "--cloud", cloud).out.split())
    page = gpuinfra("explain", "--cloud", cloud, "--format", "markdown").out
    supported, _, refused = page.partition("## Refused on ")

    assert "`nodes`" in supported
    assert "`shared_storage` (on aws): it is Amazon FSx for Lustre; mount buckets with" in refused
    assert "`shared_storage` (on aws): it is Amazon FSx for Lustre; mount buckets with" in shown
    keys = {*clouds.keys_everywhere(), *(key for row in clouds.keys_on_some() for key in row[0])}
    for key in keys:
        assert f"`{key}`" in (supported if accepts(cloud, key) else refused)
        assert (f"`{key}`" in supported) is accepts(cloud, key)
