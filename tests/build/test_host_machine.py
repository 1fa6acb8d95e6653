"""aarch64: musa_build assumes no processor. The simulator does, and says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from musa_build.cuda_toolkit.loadable import jumps
from musa_build.cuda_toolkit.variables import exported
from musa_build.system.host_machine import cuda_target, word_size_flags
from musa_build.toolchain import nvcc_flags

PACKAGE = Path(__file__).parents[2] / "musa_build"
#: files that may name a processor: each handles both
BOTH = {"system/host_machine.py", "cuda_toolkit/loadable.py", "toolchain/nvcc_translations.py"}
_PROCESSOR = re.compile(r"x86[_-]64|\bamd64\b|(?<![\w-])-m(?:64|sse|avx|fma)\b|immintrin|__AVX|march=(?!native)")


def test_flags_and_folders_of_a_processor() -> None:
    assert word_size_flags("x86_64") == ("-m64",) and cuda_target("x86_64") == "x86_64-linux"
    assert word_size_flags("aarch64") == () and cuda_target("aarch64") == "sbsa-linux"
    assert "__aarch64__" in jumps({}, ())


def test_nccls_folder_is_that_of_the_machine() -> None:
    folder = Path(exported(Path("/toolkit"), Path("/sdk"), {})["NCCL_ROOT"])
    assert folder == Path("/toolkit/targets") / cuda_target()


def test_nvccs_flag_of_the_word_size_is_for_compilers_that_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for known in (("-m64",), ()):
        monkeypatch.setattr(nvcc_flags, "word_size_flags", lambda known=known: known)
        assert nvcc_flags.translate_nvcc_flags(["-m64"])[0] == known
        assert nvcc_flags.translate_nvcc_flags(["--machine=64"])[0] == known


def code() -> list[str]:
    files = (path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".cpp", ".h", ".cmake", ".sh", ".toml"))
    return sorted(path.relative_to(PACKAGE).as_posix() for path in files)


def test_no_other_file_names_a_processor() -> None:
    found = []
    for name in set(code()) - BOTH:
        for number, line in enumerate((PACKAGE / name).read_text(encoding="utf-8").splitlines(), 1):
            text = line.partition("#")[0] if name.endswith(".py") else line
            if _PROCESSOR.search(text):
                found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


def test_the_simulator_refuses_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk_root = pytest.importorskip("musa_sim.sdk_root", reason="musa-sim is not installed")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(Exception, match=r"the simulator runs on x86-64 Linux only; found: aarch64 Linux"):
        sdk_root.sdk_root()
