"""The simulator compiles and runs each feature that the recorded table lists, as the host does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import stdlib_features
import stdlib_table
from sim_programs import Program
from stdlib_features import PAGES, Feature

RECORD = json.loads(Path(__file__).with_name("verdicts.json").read_text())

#: accepted by nvcc, which then leaves a trap or nothing of the kernel, or ignores what it says
REFUSED = {"std::vector, local", "std::string, local", "throw in a constexpr function of the program"}


def _numbers(output: str) -> dict[tuple[int, str], list[str]]:
    lines = [line.split() for line in output.splitlines()]
    return {(int(words[0]), words[1]): words[2:] for words in lines}


def _accepted(root: Path, standard: str) -> set[str]:
    clang = json.loads((root / "share/musa_sim/toolchain.json").read_text())["clang_version"]
    lacking = RECORD["clang 19 lacks"] if int(clang.split(".")[0]) < 20 else []
    return {name for name, standards in RECORD["mcc"].items() if standard in standards} - {*lacking}


@pytest.mark.parametrize(
    ("standard", "pages"),
    [
        ("17", PAGES),
        pytest.param("20", PAGES[:2], marks=pytest.mark.slow),
        pytest.param("20", PAGES[2:], marks=pytest.mark.slow),
    ],
)
def test_kernels_compute_what_the_host_computes(
    build: Callable[..., Program],
    sim_sdk_root: Path,
    request: pytest.FixtureRequest,
    standard: str,
    pages: tuple[str, ...],
) -> None:
    assert request.config.cache is not None
    features = [feature for page in pages for feature in stdlib_features.read(page)]
    accepted = _accepted(sim_sdk_root, standard)
    chosen = [item for item in enumerate(features) if item[1].name in accepted]
    source = Path(request.config.cache.mkdir("stdlib")) / f"features_{standard}_{pages[0]}.mu"
    source.write_text(stdlib_features.program(chosen))
    result = build(source, standard, "-O1", "-w")()
    assert (result.status, result.stderr) == (0, "")
    numbers = _numbers(result.text)
    wrong = [name for at, (name, _) in chosen if numbers[at, "device"] != numbers[at, "host"]]
    silent = [name for at, (name, _) in chosen if not any(float.fromhex(word) for word in numbers[at, "host"])]
    assert (wrong, silent) == ([], [])


def test_the_record_has_every_feature() -> None:
    names = [feature.name for feature in stdlib_features.every()]
    assert sorted(names) == sorted(set(names))
    for compiler in ("nvcc", "nvcc relaxed", "mcc"):
        assert list(RECORD[compiler]) == names


def test_the_simulator_accepts_what_nvcc_accepts() -> None:
    missing = {name for name, accepted in RECORD["nvcc relaxed"].items() if not {*accepted} <= {*RECORD["mcc"][name]}}
    assert missing == REFUSED


def test_the_page_is_the_record() -> None:
    assert stdlib_table.PAGE.read_text() == stdlib_table.page(RECORD)


def test_a_body_keeps_its_lines() -> None:
    text = stdlib_features.kernels([(7, Feature("a", "out[0] = n;\n"))])
    assert text.endswith(
        '#line 1 "feature_7"\n__global__ void device_7(double* out, int n, double x) {\nout[0] = n;\n}\n'
    )
