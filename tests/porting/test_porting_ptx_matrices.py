"""The matrix instructions of inline PTX compute what "PTX ISA" says, on the simulator."""

from __future__ import annotations

import subprocess
from pathlib import Path

import ptx_matrices
import pytest
from kept_programs import KeptPrograms
from nvidia_compiler import compile_with_nvcc, needs_nvcc

from musa_build.porting import SimplePorting
from musa_build.porting.engine.inline_ptx.ptx_syntax import Instruction, parse
from musa_build.porting.engine.inline_ptx.table import table
from musa_build.toolchain.compile_flags import OLDER_CXX_FLAGS

CASES = ptx_matrices.cases()


_SHUFFLES = ["-O3", "-DMUSA_PTX_SHUFFLES"]


@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        pytest.param(["-O1"], {}, id="O1"),
        pytest.param(["-O1"], {"MUSA_SIM_WARP": "128"}, id="warps of 128"),
        pytest.param(["-O1"], {"MUSA_SIM_FIBERS": "1"}, id="fibers"),
        pytest.param(["-O0"], {}, id="O0", marks=pytest.mark.slow),
        pytest.param(_SHUFFLES, {}, id="shuffles", marks=pytest.mark.slow),
        pytest.param(
            ["-O3", "-DMUSA_PTX_SHUFFLES"], {"MUSA_SIM_WARP": "128"}, id="shuffles, 128", marks=pytest.mark.slow
        ),
    ],
)
def test_every_matrix_instruction(
    flags: list[str],
    environment: dict[str, str],
    sim_sdk_root: Path,
    kept_programs: KeptPrograms,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = tmp_path / "cuda"
    tree.mkdir()
    (tree / "matrix_cases.cu").write_text(ptx_matrices.source(CASES))
    report = SimplePorting(tree).run()
    assert sum(finding.code == "inline-ptx" for finding in report.findings) >= len(CASES)
    command = [str(sim_sdk_root / "bin" / "mcc"), *flags, *OLDER_CXX_FLAGS]
    program = kept_programs.build(command, [report.output / "matrix_cases.mu"], ["-lmusart"])
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    inputs.write_bytes(b"".join(map(ptx_matrices.input_bytes, CASES)))
    done = subprocess.run([program, inputs, outputs], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    content, size = outputs.read_bytes(), ptx_matrices.output_size()
    wrong = [
        f"{case.template} {difference}"
        for i, case in enumerate(CASES)
        for difference in case.differences(*ptx_matrices.of_output(content[i * size : (i + 1) * size]))
    ]
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:40])


def test_every_matrix_rule_has_a_case() -> None:
    the_table = table()
    items = [item for case in CASES for item in parse(case.template) if isinstance(item, Instruction)]
    met = {the_table.rule_of(item) for item in items}
    assert not [rule.line for rule in the_table.rules if "musa_ptx::matrix" in rule.cxx and rule not in met]


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize("architecture", sorted({case.arch for case in CASES}))
def test_the_matrix_cases_are_valid_ptx(architecture: int, tmp_path: Path) -> None:
    cases = [case for case in CASES if case.arch == architecture]
    compile_with_nvcc(ptx_matrices.source(cases), str(architecture), tmp_path)
