"""The page docs/zh/guides.md: what the guides say, in Chinese, with the catalog's facts."""

# ruff: noqa: RUF001  -- Chinese punctuation is meant

import sys
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Final

from gpuinfra.catalog.claims.judging import Claim, advice, claims
from gpuinfra.catalog.claims.verdict import Outcome
from gpuinfra.report.markup import wrap_paragraph

OUTCOMES: Final[Mapping[Outcome, str]] = {
    "right": "✓ 正确",
    "partly": "~ 部分正确",
    "wrong": "✗ 错误",
    "unknown": "? 未知",
}

TOPICS: Final[Mapping[str, str]] = {
    "machines": "机型",
    "interconnect": "互连",
    "prices": "价格",
    "reference tiers": "参考档位",
    "sizing": "显存估算",
    "compute": "算力",
    "software": "软件",
    "energy": "能耗",
    "reliability": "可靠性",
    "choice": "选择服务商",
    "money": "费用",
    "network": "网络",
    "training": "训练",
    "serving": "推理",
    "operations": "运维",
}

INTRODUCTION: Final = """\
# GPU 选购指南里的说法

由 `make docs` 根据数据表生成；结论由程序计算，不是手写的。
*部分正确*：只对一部分机型、价格或方法成立。*未知*：没有资料能回答。
证据保持英文；资料来源和 gpuinfra 对每条说法的处理见[英文版](../guides.md)。"""


def page() -> str:
    """Return the page."""
    claim_results, advised = claims(), advice()
    counts = Counter(claim.verdict.outcome for claim in claim_results)
    shares = "，".join(f"{word[2:]} {counts[outcome]}" for outcome, word in OUTCOMES.items())
    blocks = [INTRODUCTION, f"{len(claim_results)} 条说法：{shares}。另有 {len(advised)} 条建议。"]
    for topic, of_it in groupby(claim_results, key=lambda claim: claim.topic):
        blocks += [f"## {TOPICS[topic]}", "\n".join(map(_item, of_it))]
    blocks += ["## 建议", "指南建议读者做的事，以及 gpuinfra 怎样支持（*nothing* 表示不支持）。"]
    for topic, about_it in groupby(advised, key=lambda row: row.topic):
        items = (wrap_paragraph(f"**{row.zh}** {row.use}", "- ") for row in about_it)
        blocks += [f"### {TOPICS[topic]}", "\n".join(items)]
    return "\n\n".join(blocks) + "\n"


def _item(claim: Claim) -> str:
    """Return a claim as an item of the page."""
    verdict = claim.verdict
    return wrap_paragraph(f"**{claim.zh}** {OUTCOMES[verdict.outcome]} {verdict.evidence}", "- ")


if __name__ == "__main__":
    sys.stdout.write(page())
