"""The precompiled form of the header that comes before every source: nobody can tell it from the header."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from musa_sim.mcc.precompiled import _MOST_HEADERS

_SOURCE = """
#ifdef DISTURBED
#error the header was read with it
#endif
__global__ void doubled(float* a) { a[threadIdx.x] = __shfl_xor_sync(~0u, a[threadIdx.x], 1) * 2; }
void launch(float* a) { doubled<<<1, 32>>>(a); }
"""


class Root:
    """A copy of the SDK, without precompiled headers; the source is in the folder beside it."""

    def __init__(self, original: Path, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "sdk"
        shutil.copytree(original, self.path, symlinks=True, ignore=shutil.ignore_patterns("precompiled"))
        self.precompiled = self.path / "share/musa_sim/precompiled"
        (folder / "k.mu").write_text(_SOURCE)

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-IS", str(self.path / "share/musa_sim/mcc_main.py"), *args]

    def mcc(self, *args: str) -> str:
        """Compile: what mcc says."""
        return subprocess.run(
            self.command(*args), cwd=self.folder, capture_output=True, text=True, check=True, timeout=120
        ).stderr

    def built(self, *args: str) -> tuple[bytes, list[str]]:
        """Compile silently: the object, and the dependency file's words with the source before the others."""
        assert self.mcc("-O2", "-MD", "-MP", *args, "-c", "k.mu") == ""
        rule, *phony = (self.folder / "k.d").read_text().replace("\\\n", " ").splitlines()
        target, source, *headers = rule.split()
        return (self.folder / "k.o").read_bytes(), [target, source, *sorted(headers), *sorted(phony)]

    def uses_it(self, *args: str) -> bool:
        """Whether a check of the syntax reads precompiled headers alone."""
        passes = [line for line in self.mcc("-v", *args, "-fsyntax-only", "k.mu").splitlines() if '"k.mu"' in line]
        assert len(passes) == 2
        return all('"-include-pch"' in line for line in passes)


@pytest.fixture(scope="module")
def root(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Root:
    return Root(sim_sdk_root, tmp_path_factory.mktemp("precompiled"))


def test_it_gives_the_same_objects_and_dependencies(root: Root) -> None:
    root.precompiled.write_text("a file where the folder should be: nothing can be written")
    plain = root.built()
    root.precompiled.unlink()
    assert root.built() == plain  # made
    headers = sorted(root.precompiled.glob("*.pch"))
    assert len(headers) == 2
    assert root.built() == plain  # found
    headers[0].write_bytes(headers[0].read_bytes()[:100_000])
    headers[1].write_text("damaged")
    assert root.built() == plain  # refused
    assert sorted(path.suffix for path in root.precompiled.iterdir()) == [".pch", ".pch"]  # to be made again


def test_arguments_that_change_the_header_do_without(root: Root) -> None:
    assert root.uses_it()
    assert root.uses_it("-DMINE=1", "-U", "YOURS", "-I", str(root.folder), "-include", "math.h", "-Iabsent")
    assert not root.uses_it("-D__STRICT_ANSI__")
    assert not root.uses_it("-D", "MUSARTAPI(x)=x")
    assert not root.uses_it("-g")
    (root.folder / "mine").mkdir()
    (root.folder / "mine/utility").write_text("#include_next <utility>\n")
    assert not root.uses_it("-Imine")
    (root.folder / "k.imacros").write_text("#define MINE\n")
    assert not root.uses_it("-imacros", "k.imacros")


def test_a_header_that_was_changed_is_read_again(root: Root) -> None:
    assert root.uses_it()
    header = root.path / "include/math_constants.h"
    text = header.read_text()
    header.write_text(f"#define DISTURBED\n{text}")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        root.uses_it()
    assert "the header was read with it" in failed.value.stderr
    header.write_text(text)
    assert root.uses_it()


def test_the_one_used_least_recently_makes_room(sim_sdk_root: Path, tmp_path: Path) -> None:
    """The number of kinds is bounded, and the latest ones are those that are there."""
    root = Root(sim_sdk_root, tmp_path)
    assert root.uses_it("-DMINE")
    own = {path.stem for path in root.precompiled.glob("*.pch")}
    now = time.time()
    for age in range(_MOST_HEADERS):
        header, record = root.precompiled / f"{age:08x}.pch", root.precompiled / f"{age:08x}.json"
        header.touch()
        if age % 2:  # those without a record count, and go first
            record.touch()
            os.utime(record, (now - 86400 * age,) * 2)
    for record in root.precompiled.glob("*.json"):
        if record.stem in own:
            os.utime(record, (now - 86400 * 1000,) * 2)
    assert root.uses_it("-DMINE")  # found: that is a use
    assert root.uses_it("-fno-exceptions")
    left = {path.stem for path in root.precompiled.glob("*.pch")}
    # the two passes of a compilation make room at the same time
    assert own < left and len(left) <= _MOST_HEADERS + 1
    assert {f"{age:08x}" for age in range(1, _MOST_HEADERS, 2)} < left


@pytest.mark.slow
def test_processes_make_it_at_the_same_time(sim_sdk_root: Path, tmp_path: Path) -> None:
    root = Root(sim_sdk_root, tmp_path)
    outputs = [f"{at}.o" for at in range(4)]
    commands: list[Sequence[str]] = [root.command("-c", "k.mu", "-o", output) for output in outputs]
    running = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command in commands
    ]
    assert [(process.communicate()[0], process.returncode) for process in running] == [("", 0)] * 4
    assert len({(tmp_path / output).read_bytes() for output in outputs}) == 1
    assert len(list(root.precompiled.iterdir())) == 4


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["c++17", "c++20", "gnu++23"])
def test_another_clang_finds_new_and_delete(tmp_path: Path, standard: str) -> None:
    """Clang 19 loses the library's `operator new` behind a precompiled header, in languages that have modules."""
    if shutil.which("clang-19") is None:
        pytest.skip("clang-19 is not installed")
    environment = {**os.environ, "MUSA_SIM_CLANG": "clang-19"}
    asked = [sys.executable, "-m", "musa_sim", "root"]
    sdk = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "k.mu").write_text(
        "#include <string>\n#include <vector>\n"
        + _SOURCE
        + "int main() { return std::vector<std::string>(3).size() - 3; }\n"
    )
    for _ in range(2):  # the first may make a precompiled header, the second uses it
        subprocess.run([f"{sdk}/bin/mcc", f"-std={standard}", "k.mu", "-lmusart", "-o", "k"], cwd=tmp_path, check=True)
        subprocess.run(["./k"], cwd=tmp_path, check=True)
