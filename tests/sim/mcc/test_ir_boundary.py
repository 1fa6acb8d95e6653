"""Only mcc/ir parses the text of LLVM's IR; all other modules use its objects."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import musa_sim

MCC = Path(musa_sim.__file__).parent / "mcc"
MODULES = sorted(path.relative_to(MCC).with_suffix("").as_posix() for path in MCC.rglob("*.py"))
#: These use patterns on something else: flags and diagnostics of clang, the linker's words, depfiles, C++ types.
OTHER_TEXT = {
    *("clang/arguments", "clang/cc1", "clang/clang_14", "clang/toolchain"),
    *("image/link", "dependencies", "runtime_abi/functions", "precompiled"),
}


def imports(module: str) -> set[str]:
    tree = ast.parse((MCC / f"{module}.py").read_text())
    named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return named | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("module", MODULES)
def test_only_ir_reads_text_by_patterns(module: str) -> None:
    assert "re" not in imports(module) or module.startswith("ir/") or module in OTHER_TEXT


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith(("passes/", "ir/"))])
def test_passes_run_nothing_and_read_no_files(module: str) -> None:
    assert imports(module).isdisjoint({"subprocess", "tempfile", "os", "shutil"})
