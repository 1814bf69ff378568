from pathlib import Path

from gpuinfra.cli.pages import clouds

PAGE = Path(__file__).parents[3] / "docs" / "keys.md"


def test_the_page_is_generated() -> None:
    assert PAGE.read_text() == clouds.page(), "run make docs"


def test_it_says_which_cloud_builds_what_and_why_not() -> None:
    rows = {line.split("`")[1]: line for line in clouds.page().splitlines() if "`" in line[:4]}

    assert rows["nodes"].count("yes") == 3
    assert "| yes | no | no | each workload gets a network of its own; " in rows["network"]
    assert "interfaces of AWS" in rows["ena_express"]
