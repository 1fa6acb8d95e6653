"""MUSA sources that another machine compiles: the same objects, and the local compilation where it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

#: in place of distcc: the file goes to another folder, and mcc runs there with nothing of this process's environment
ELSEWHERE = """#!/bin/sh
# distcc mcc -c FILE.ii -o OBJECT
[ "$1 $2 $4" = "mcc -c -o" ] || exit 100
there=$(mktemp -d "$HERE/there-XXXX")
cp "$3" "$there/received.ii"
BEFORE
cd "$there" || exit 101
env -i PATH="$PATH" TMPDIR="$there" mcc -c received.ii -o made.o && cp made.o "$5"
"""

SOURCE = (PROGRAMS / "compiled_elsewhere.mu").read_text(encoding="utf-8")


class Machines:
    """mcc here, and a script in place of distcc whose mcc runs with the same SDK."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.distcc = folder / "distcc"
        self.connect()

    def connect(self, before: str = "") -> None:
        """Write the script; `before` is shell code that runs when the file has arrived."""
        self.distcc.write_text(ELSEWHERE.replace("BEFORE", before))
        self.distcc.chmod(0o755)

    def mcc(self, *args: str, distcc: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.root / "bin/mcc", *args],
            cwd=self.folder,
            env={**os.environ, "HERE": str(self.folder), "MUSA_SIM_DISTCC": distcc},
            capture_output=True,
            text=True,
            check=False,
        )

    def both(self, *args: str) -> tuple[bytes, bytes]:
        """Compile here and elsewhere, and compare what is said; return the two objects, the same path for both."""
        objects = []
        said = []
        for distcc in ("", str(self.distcc)):
            run = self.mcc(*args, "-c", "-o", "made.o", distcc=distcc)
            assert run.returncode == 0, run.stderr
            said.append(run.stderr)
            objects.append((self.folder / "made.o").read_bytes())
        assert said[0] == said[1]
        return objects[0], objects[1]

    @property
    def jobs(self) -> int:
        return len(list(self.folder.glob("there-*")))


@pytest.fixture
def machines(sim_sdk_root: Path, tmp_path: Path) -> Machines:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/scale.mu").write_text(SOURCE)
    (tmp_path / "include").mkdir()
    shutil.copy(PROGRAMS / "there.h", tmp_path / "include")
    return Machines(sim_sdk_root, tmp_path)


FLAGS = ["-Iinclude", "-DOTHER=2"]


@pytest.mark.parametrize(
    "flags",
    [
        ["-O2"],
        ["--offload-arch=mp_21,mp_31"],
        ["-O2", "--sim-check=memory,race"],
        ["-O2", "-fgpu-rdc"],
        ["-O2", "-include", "string.h", "-isystem", "sub", "-x", "musa"],
        *(
            pytest.param(flags, marks=pytest.mark.slow)
            for flags in (
                ["-O0"],
                ["-Od3", "-std=c++14"],
                ["-O2", "-march=native"],
                ["-O2", "-use_fast_math", "-ffast-math", "-fopenmp"],
            )
        ),
    ],
    ids=" ".join,
)
def test_the_object_is_the_local_one(machines: Machines, flags: list[str]) -> None:
    here, elsewhere = machines.both(*FLAGS, *flags, "sub/scale.mu")
    # instrumented code has debug information, which numbers its entries by the text
    assert here == elsewhere or "--sim-check" in " ".join(flags)
    assert machines.jobs == 1


def test_a_program_runs_and_the_dependency_file_is_whole(machines: Machines) -> None:
    for distcc in ("", str(machines.distcc)):
        args = [
            *FLAGS,
            "-g",
            "-MD",
            "-MP",
            "-MF",
            f"dep{distcc[-1:]}",
            "-MT",
            "out",
            "sub/scale.mu",
            "-lmusart",
            "-o",
            "program",
        ]
        run = machines.mcc(*args, distcc=distcc)
        assert (run.returncode, run.stderr) == (0, "")
        ran = subprocess.run([machines.folder / "program"], capture_output=True, text=True, check=False)
        assert ran.stdout == "sub/scale.mu no error\n", ran.stderr
    assert machines.jobs == 1
    names = (machines.folder / "depc").read_text()
    assert names == (machines.folder / "dep").read_text() and "include/there.h" in names


def test_debug_information_names_the_source(machines: Machines) -> None:
    units = []
    for each in machines.both(*FLAGS, "-g", "sub/scale.mu"):
        (machines.folder / "looked_at.o").write_bytes(each)
        command = ["readelf", "--debug-dump=info", "looked_at.o"]
        text = subprocess.run(command, cwd=machines.folder, capture_output=True, text=True, check=True).stdout
        facts = [line.rpartition(": ")[2] for line in text.splitlines() if "DW_AT_name" in line or "comp_dir" in line]
        units.append(sorted(facts))
    assert "sub/scale.mu" in units[1] and str(machines.folder) in units[1]
    assert units[0] == units[1]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("kill -9 $$", "distcc ended with -9\n"),
        ("echo the helper is gone >&2; exit 1", "the helper is gone\n"),
        (
            'sed -i \'1s/"compiler": "..../"compiler": "0000/\' $there/received.ii',
            "another release of the simulated SDK",
        ),
    ],
    ids=["killed", "gone", "another SDK"],
)
def test_a_failed_helper_is_reported_and_the_source_compiled_here(machines: Machines, before: str, reason: str) -> None:
    machines.connect(before)
    run = machines.mcc(*FLAGS, "-c", "sub/scale.mu", "-o", "made.o", distcc=str(machines.distcc))
    assert run.returncode == 0
    assert reason in run.stderr
    assert run.stderr.endswith(f"mcc: warning: {machines.distcc} did not compile 'sub/scale.mu'; done here\n")
    assert (machines.folder / "made.o").read_bytes()[:4] == b"\x7fELF"


def test_a_missing_distcc_is_reported(machines: Machines) -> None:
    run = machines.mcc(*FLAGS, "-c", "sub/scale.mu", "-o", "made.o", distcc="/nowhere/distcc")
    assert run.returncode == 0
    assert run.stderr.startswith("/nowhere/distcc: No such file or directory\nmcc: warning: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#include <nowhere.h>\n", "scale.mu:1:10: fatal error: 'nowhere.h' file not found"),
        ("#define MORE(x) (x + nobody)\n__global__ void k(int* p) { *p = MORE(1); }\n", "note: expanded from macro"),
        ("#warning seen\n__device__ int f() { }\n", "warning: non-void function does not return a value"),
    ],
)
def test_messages_are_those_of_the_local_compilation(machines: Machines, text: str, message: str) -> None:
    (machines.folder / "scale.mu").write_text(text)
    runs = [machines.mcc("-c", "scale.mu", "-o", "made.o", distcc=each) for each in ("", str(machines.distcc))]
    assert runs[0].returncode == runs[1].returncode
    assert message in runs[0].stderr and message in runs[1].stderr
    assert runs[0].stderr.count("seen") == runs[1].stderr.count("seen")


def test_only_whole_objects_are_compiled_elsewhere(machines: Machines) -> None:
    for stage in (["-E"], ["-fsyntax-only"], ["-S"], ["--musa-device-only", "-c"]):
        assert machines.mcc(*FLAGS, *stage, "sub/scale.mu", "-o", "made.s", distcc=str(machines.distcc)).returncode == 0
    shutil.copy(PROGRAMS / "vadd.mu", machines.folder / "host.cpp")
    (machines.folder / "host.cpp").write_text("int main() { return __LINE__; }\n")
    assert machines.mcc("-c", "host.cpp", distcc=str(machines.distcc)).returncode == 0
    assert machines.jobs == 0


def test_preprocessed_cpp_is_still_cpp(machines: Machines) -> None:
    (machines.folder / "host.ii").write_text('# 1 "host.cpp"\nint seven() { return 7; }\n')
    run = machines.mcc("-c", "host.ii", "-o", "host.o")
    assert (run.returncode, run.stderr) == (0, "")
    names = subprocess.run(["nm", "host.o"], cwd=machines.folder, capture_output=True, text=True, check=True).stdout
    assert "_Z5sevenv" in names
