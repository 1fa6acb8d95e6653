"""The README's SimplePorting command and call, and its LOGGER."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]
CHECKS = Path(__file__).parent / "checks"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("cuda/k.cu", "cuda/csrc/npu/x.cu"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("cudaFree(cuda);\n")
    (tmp_path / "mapping").mkdir()
    (tmp_path / "mapping" / "extra.json").write_text('{"cudaFree": "release"}')
    return tmp_path


def test_command(run: Run, tree: Path) -> None:
    run("-m", "torch_musa.utils.simple_porting", "--cuda-dir-path", "cuda/", cwd=tree)
    assert (tree / "cuda_musa/k.mu").read_text() == "musaFree(cuda);\n"


@pytest.mark.slow
def test_full_command_in_a_shell(run: Run, tree: Path) -> None:
    line = (
        "-m torch_musa.utils.simple_porting --cuda-dir-path cuda/ --ignore-dir-paths "
        '["csrc/npu"] --mapping-rule {"cuda":"musa"} --drop-default-mapping --mapping-dir-path mapping/'
    )
    # bash splits the line as it is printed.
    words = subprocess.run(["bash", "-c", f"printf '%s\\n' {line}"], check=True, capture_output=True, text=True).stdout
    run(*words.splitlines(), cwd=tree)
    assert (tree / "cuda_musa/k.mu").read_text() == "release(musa);\n"
    assert not (tree / "cuda_musa/csrc").exists()


def test_call(run: Run, tree: Path) -> None:
    run(str(CHECKS / "check_simple_porting.py"), cwd=tree)


@pytest.mark.parametrize(
    ("level", "wanted"),
    [
        ("debug", ["debug", "info", "warn", "error", "critical"]),
        pytest.param("error", ["error", "critical"], marks=pytest.mark.slow),
    ],
)
def test_logger(level: str, wanted: list[str], run: Run) -> None:
    output = run(str(CHECKS / "logger_levels.py"), MUSA_BUILD_LOG=level)
    assert [line.split()[-1] for line in output.splitlines() if "musa_build" in line] == wanted
