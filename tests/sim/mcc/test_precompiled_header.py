"""The precompiled form of the header that comes before every source: no source can distinguish it from the header."""

from __future__ import annotations

import os
import random
import re
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
def shared_root(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Root:
    return Root(sim_sdk_root, tmp_path_factory.mktemp("precompiled"))


@pytest.fixture
def root(shared_root: Root) -> Root:
    """The root of all tests, with room for what one of them makes: none must see another's headers make room."""
    if len(list(shared_root.precompiled.glob("*.pch"))) > _MOST_HEADERS // 2:
        shutil.rmtree(shared_root.precompiled)
    return shared_root


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
    assert not root.uses_it("-g")
    (root.folder / "mine").mkdir()
    (root.folder / "mine/utility").write_text("#include_next <utility>\n")
    for flag in ("-I", "-isystem", "-iquote"):
        assert not root.uses_it(flag, "mine")  # which directory that is, another compilation could not say
    (root.folder / "k.imacros").write_text("#define MINE\n")
    assert not root.uses_it("-imacros", "k.imacros")


def test_directories_that_are_searched_in_any_case_change_nothing(root: Root) -> None:
    own = str(root.path / "include")
    (root.folder / "link").symlink_to(own)
    for flag in ("-I", "-isystem"):
        assert root.uses_it(flag, own)
        assert root.uses_it(flag, "link")
    run = subprocess.run(["g++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True)
    library = next(line.strip() for line in run.stderr.splitlines() if re.fullmatch(r" /\S+/c\+\+/\d+", line))
    assert root.uses_it(f"-I{library}")
    # searched first, it hides the SDK's form of a header of the C++ library
    before = len(list(root.precompiled.glob("*.pch")))
    assert root.uses_it("-isystem", library)
    assert len(list(root.precompiled.glob("*.pch"))) > before


def test_directories_that_hide_a_file_of_the_header_change_it(sim_sdk_root: Path, tmp_path: Path) -> None:
    root = Root(sim_sdk_root, tmp_path)
    folders = [tmp_path / name for name in ("empty", "first", "second")]
    own = "#pragma once\n#include_next <math.h>\n#undef FOUND\n#define FOUND {}\n"
    for value, folder in enumerate(folders):
        folder.mkdir()
        if value:
            (folder / "math.h").write_text(own.format(value))
    (tmp_path / "k.mu").write_text(
        f"#ifndef FOUND\n#define FOUND 0\n#endif\n{_SOURCE}static_assert(FOUND == WANTED);\n"
    )
    empty, first, second = map(str, folders)

    def finds(value: int, *flags: str) -> None:
        for _ in range(2):  # made, found
            assert root.uses_it(f"-DWANTED={value}", *flags)

    finds(0, "-I", empty)
    finds(1, "-I", empty, "-isystem", first)
    finds(1, "-I", first, "-I", second)
    finds(2, "-I", second, "-I", first)
    finds(1, "-isystem", second, "-I", first)
    (folders[0] / "math.h").write_text(own.format(3))
    finds(3, "-I", empty)
    finds(3, "-I", empty, "-isystem", first)
    (folders[1] / "stddef.h").write_text("#ifndef FOUND\n#define FOUND 4\n#endif\n#include_next <stddef.h>\n")
    (folders[1] / "math.h").unlink()
    finds(4, "-I", first)
    (folders[1] / "stddef.h").unlink()
    finds(0, "-I", first)


#: macros that the C++ library and the C library read, and others
_MACROS = (
    *("-DNDEBUG", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS", "-D_GLIBCXX_USE_CXX11_ABI=0", "-D_FORTIFY_SOURCE=2"),
    *("-D__STRICT_ANSI__", "-DNO_SUCH_NAME", "-DTORCH_EXTENSION_NAME=k", "-UNOBODY", "-DN_OF_OTHERS(x)=x"),
)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_macros_give_the_same_objects_with_it(root: Root, seed: int) -> None:
    given = random.Random(seed).sample(_MACROS, 4)
    assert root.uses_it(*given)
    made = root.built(*given)
    kept = root.precompiled.rename(root.folder / "kept")
    root.precompiled.write_text("nothing can be written")
    plain = root.built(*given)
    root.precompiled.unlink()
    kept.rename(root.precompiled)
    assert made == plain


def test_macros_that_the_header_reads_change_it(sim_sdk_root: Path, tmp_path: Path) -> None:
    root = Root(sim_sdk_root, tmp_path)
    with (root.path / "include/math_constants.h").open("a") as header:
        header.write(
            "#ifdef PICKED\nstatic const int chosen = PICKED;\n#else\nstatic const int chosen = 1;\n#endif\n"
            "#define OF_A_KIND(x) Kind_##x\nstruct OF_A_KIND(a) {};\n"
        )
    (tmp_path / "k.mu").write_text(f"{_SOURCE}static_assert(chosen == WANTED && sizeof(KIND) == 1);\n")

    def kinds() -> int:
        return len(list(root.precompiled.glob("*.pch")))

    def reads(chosen: int, *macros: str, kind: str = "Kind_a") -> None:
        given = [f"-DWANTED={chosen}", f"-DKIND={kind}", *macros]
        root.mcc(*given, "-fsyntax-only", "k.mu")
        before = kinds()
        assert root.uses_it(*given)
        assert kinds() == before

    reads(1)
    reads(7, "-DPICKED=7")
    reads(8, "-DPICKED=OTHER", "-DOTHER=8")
    reads(9, "-DPICKED=OTHER", "-DOTHER=9")
    reads(9, "-DPICKED=8", "-UPICKED", "-DPICKED=9")
    reads(1, "-DKind_a=renamed", kind="renamed")
    before = kinds()
    reads(1, "-DOTHER=10")  # it reads that no more
    assert kinds() == before


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
        if age % 2:  # headers without a record count, and are removed first
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


def test_a_header_in_use_stays_through_a_busy_minute(sim_sdk_root: Path, tmp_path: Path) -> None:
    """A build that makes many kinds within a minute does not lose the one that it uses all the time."""
    root = Root(sim_sdk_root, tmp_path)
    assert root.uses_it()
    own = {path.stem for path in root.precompiled.glob("*.pch")}
    now = time.time()
    for record in root.precompiled.glob("*.json"):
        os.utime(record, (now - 60,) * 2)
    for age in range(_MOST_HEADERS):
        record = root.precompiled / f"{age:08x}.json"
        record.with_suffix(".pch").touch()
        record.touch()
        os.utime(record, (now - 30 - age,) * 2)
    assert root.uses_it()
    assert root.uses_it("-fno-exceptions")
    assert own < {path.stem for path in root.precompiled.glob("*.pch")}


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
