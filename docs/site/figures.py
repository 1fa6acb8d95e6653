"""Write the figures of the README and of the home pages from their sources: `python docs/site/figures.py`.

A figure has a source (records, or a table of a page), and a sentence on each of these pages. A test compares them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import charts

ROOT = Path(__file__).resolve().parents[2]
#: Page -> the sentences with figures. A slot is FIGURE.PART; the text around it finds it.
SENTENCES: Mapping[str, tuple[str, ...]] = {
    "README.md": (
        "- **{wall.installed} of {wall.counted}** published CUDA packages that nobody had looked at installed",
        "- **{hecbench.compile} of {hecbench.tried}** CUDA programs of HeCBench compile by their own Makefiles; "
        "{hecbench.first} did at the first try",
        "loops compile in **{compiling.least} to {compiling.most}** of nvcc's time",
        "- **In {checks.found} of {checks.packages}** published packages the simulator's checks found",
    ),
    "README.zh.md": (
        "- {wall.counted} 个从未看过的已发布 CUDA 软件包中，**{wall.installed} 个**",
        "- HeCBench 的 {hecbench.tried} 个 CUDA 程序中，**{hecbench.compile} 个**用各自的 Makefile 就能编译，其中 "
        "{hecbench.first} 个第一次尝试就通过",
        "耗时只有 nvcc 的 **{compiling.least} 到 {compiling.most} 倍**",
        "- 在 {checks.packages} 个已发布的软件包中，模拟器的检查在 **{checks.found} 个**里发现了 bug",
    ),
    "docs/site/home.md": (
        "| **{wall.installed} of {wall.counted}** | published CUDA packages",
        "| **{hecbench.compile} of {hecbench.tried}** | CUDA programs of HeCBench",
        "| **{compiling.least} to {compiling.most}** | of nvcc's time",
        "| **{checks.found} of {checks.packages}** | published packages have bugs",
    ),
    "docs/site/home.zh.md": (
        "| **{wall.installed} / {wall.counted}** | 从未看过",
        "| **{hecbench.compile} / {hecbench.tried}** | HeCBench",
        "| **{compiling.least} 到 {compiling.most}** | 编译小文件",
        "| **{checks.found} / {checks.packages}** | 已发布的软件包",
    ),
}
_SLOT = re.compile(r"\{(\w+\.\w+)\}")
_NUMBER = r"\d+(?:\.\d+)?"


def _found(pattern: str, page: str) -> tuple[str, ...]:
    match = re.search(pattern, " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split()))
    assert match, f"docs/{page} has no {pattern}"
    return match.groups()


def figures() -> dict[str, str]:
    """Return the figures as their sources have them now, by the names of the slots."""
    hecbench: Mapping[str, Any] = json.loads((ROOT / "docs" / "hecbench.json").read_text(encoding="utf-8"))
    compiling = charts.table("Compiling for the simulator", charts.PAGE.read_text(encoding="utf-8"))
    ratios = [float(row["mcc / nvcc 13 for sm_80"]) for row in compiling]
    corpus = (ROOT / "docs" / "corpus.md").read_text(encoding="utf-8")
    corpus = corpus[corpus.index("### By `FORCE_MUSA=1` alone, with costs and defects") :]
    rows = re.findall(r"^\| .* \| ([^|\n]+) \|$", corpus[: corpus.index("\n\n", corpus.index("\n| package"))], re.M)
    defects = rows[1:]  # after the heading
    installed, counted = _found(r"At the first try, (\d+) of (\d+) installed", "wall.md")
    first, _ = _found(r"at the first try [^.]*?(\d+) of (\d+) compiled", "hecbench.md")
    return {
        "wall.installed": installed,
        "wall.counted": counted,
        "hecbench.compile": str(sum(one["result"] != "not built" for one in hecbench.values())),
        "hecbench.tried": str(len(hecbench)),
        "hecbench.first": first,
        "compiling.least": f"{min(ratios):.2f}",
        "compiling.most": f"{max(ratios):.2f}",
        "checks.found": str(sum(cell.strip() != "none" for cell in defects)),
        "checks.packages": str(len(defects)),
    }


def written(page: str, text: str, values: Mapping[str, str]) -> str:
    """Return the text of a page with the figures of its sentences. Raises LookupError if a sentence is not there."""
    for sentence in SENTENCES[page]:
        parts = _SLOT.split(sentence)  # text, slot, text, ...
        pattern = "".join(f"({_NUMBER})" if index % 2 else _text(part) for index, part in enumerate(parts))
        match = re.search(pattern, text)
        if match is None:
            raise LookupError(f"{page} has no sentence {sentence!r}")
        new, end = "", match.start()
        for index, slot in enumerate(parts[1::2], 1):
            new += text[end : match.start(index)] + values[slot]
            end = match.end(index)
        text = text[: match.start()] + new + text[end:]
    return text


def _text(part: str) -> str:
    """Return a pattern for the text around figures. A line may end at a blank."""
    return r"\s+".join(re.escape(word) for word in re.split(r"\s+", part))


def main() -> None:
    """Write the pages."""
    values = figures()
    for page in SENTENCES:
        path = ROOT / page
        path.write_text(written(page, path.read_text(encoding="utf-8"), values), encoding="utf-8")


if __name__ == "__main__":
    main()
