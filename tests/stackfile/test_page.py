"""The example at the top of docs/stack-file.md passes every rule of weight error."""

import re
from datetime import date
from pathlib import Path

from gpuinfra import source as sources
from gpuinfra import stackfile
from gpuinfra.api.checking import judge
from gpuinfra.source import Source

PAGE = Path(__file__).parents[2] / "docs/stack-file.md"
DAY = date(2026, 11, 23)
SECTIONS = {"name", "owner", "budget", "where", "network", "training", "inference", "buckets"}


def test_the_page_starts_with_a_stack_file_that_passes() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    document = stackfile.loads(example, "stack.yaml")
    source = Source(document=document)

    assert document.stack.model_fields_set >= SECTIONS
    assert judge(source, sources.plan(source, {}), {}, DAY).report.ok
    assert "gpuinfra explain" in text
