"""The list of what the simulator lacks is that of its headers, and porting reports the names on it."""

from __future__ import annotations

import re
from pathlib import Path

import absent_in_simulator
from absent_in_simulator import DATA, EXPLAINED, PAGE, counterparts
from translated_texts import findings

from musa_build.porting.engine.rules import rule_set
from musa_build.porting.report.query import answer


def test_the_list_and_the_page_are_those_of_the_headers(sim_sdk_root: Path) -> None:
    pairs = counterparts()
    missing = absent_in_simulator.absent(pairs, absent_in_simulator.names_of_sdk(sim_sdk_root))
    hint = "run: python tests/porting/absent_in_simulator.py"
    assert DATA.read_text() == absent_in_simulator.data(missing), hint
    assert PAGE.read_text() == absent_in_simulator.page(pairs, missing), hint
    assert "cudaMalloc" not in missing and "cudaIpcOpenEventHandle" in pairs


def test_a_name_that_the_simulator_lacks_is_reported_once_in_a_file() -> None:
    name = next(name for name in DATA.read_text().split() if name.startswith("cudaGraphics"))
    found = findings(f"void f() {{\n  {name}(); {name}(); // {name}\n  cudaFree(p); my_{name}(); }}\n")
    (finding,) = (finding for finding in found if finding.code == "not-in-simulator")
    assert finding.line == 2 and name.replace("cuda", "musa", 1) in finding.message
    assert "the simulator does not have it" in answer(name, rule_set())
    assert "the simulator" not in answer("cudaMalloc", rule_set())


def test_what_the_runtime_and_the_driver_lack_is_lacked_for_a_reason() -> None:
    """Types, enumerators, macros and functions; a reason that explains no name is out of date."""
    missing = DATA.read_text().split()
    assert absent_in_simulator.unexplained(missing) == []
    assert [p for p in EXPLAINED if not any(re.fullmatch(p, name) for name in missing)] == []
    assert {"CUipcMem_flags", "CU_PARAM_TR_DEFAULT", "CUDA_RESOURCE_VIEW_DESC_v1"} <= counterparts().keys()
