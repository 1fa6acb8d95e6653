"""docs/cuda-samples.md, written from the outcomes in docs/cuda-samples.json.

python -m tests.programs.cuda_samples_page
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from .cuda_samples import OUTCOMES, Outcome, read_outcomes

PAGE = OUTCOMES.with_name("cuda-samples.md")
#: Why a sample does not pass, where the recorded line does not say it: {sample: sentence}
REASONS = Path(__file__).with_name("cuda_samples_reasons.json")

_HEAD = """# NVIDIA's cuda-samples on the CUDA toolkit

[NVIDIA/cuda-samples](https://github.com/NVIDIA/cuda-samples), v12.9, unmodified, by its own CMake files with
`musa-build cuda-env`, on the simulator. `CUDA_SAMPLES=CHECKOUT python -m tests.programs.cuda_samples` builds the
samples that it is given, runs each as the repository's `run_tests.py` does, and keeps the outcomes;
`python -m tests.programs.cuda_samples_page` writes this page from them. Samples for Tegra, for Windows and of
libNVVM are left out. **Not verified on MUSA hardware.**

A sample is *waived* where it says itself that the device lacks what it shows, and *too slow* if a run on the simulator,
on two shared cores, takes longer than its row says.
"""
_ORDER = ("passed", "waived", "failed", "too slow", "not built", "not run")


def page(outcomes: Mapping[str, Outcome], reasons: Mapping[str, str]) -> str:
    """Write the page."""
    results = [one.result for one in outcomes.values()]
    files = sum(one.files for one in outcomes.values())
    compiled = sum(one.compiled for one in outcomes.values())
    counts = [f"| {result} | {results.count(result)} |" for result in _ORDER if result in results]
    passed = [name for name in sorted(outcomes) if outcomes[name].result == "passed"]
    rest = [
        f"| {name} | {one.result} | {one.compiled} of {one.files} | {_cell(reasons.get(name) or one.why)} |"
        for name, one in sorted(outcomes.items())
        if one.result != "passed"
    ]
    lines = [
        _HEAD,
        f"Tried so far: {len(outcomes)} samples, with {files} files of device code, of which {compiled} compile.",
        *("", "| result | samples |", "|---|---|", *counts),
        *("", "## Passed", "", ", ".join(f"`{name}`" for name in passed)),
        *("", "## The others", "", "| sample | result | files that compile | reason |", "|---|---|---|---|", *rest),
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    found: dict[str, str] = json.loads(REASONS.read_text(encoding="utf-8"))
    PAGE.write_text(page(read_outcomes(), found), encoding="utf-8")
