"""Relocatable device code: mcc -fgpu-rdc, its objects in archives and libraries, and the device link."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiles
SOURCES = Path(__file__).parent / "relocatable"
FILES = ("first", "second", "library")
THREADS = 64


class Sdk:
    """The simulated SDK's mcc, the host's linker and programs, in a folder of their own."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.libraries = (f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", f"-Wl,-rpath,{folder}", "-lmusart")

    def run(self, *command: object, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C", **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"
        return done

    def mcc(self, *words: object, status: int = 0) -> str:
        return self.run(self.root / "bin/mcc", *words, status=status).stderr

    def link(self, *words: object, output: str = "program") -> Path:
        self.run("g++", *words, *self.libraries, "-o", output)
        return self.folder / output

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / f"{name}.mu").write_text(text)

    def compile(self, *names: str, flags: Sequence[str] = ()) -> None:
        for name in names:
            self.mcc("-fgpu-rdc", *flags, "-c", f"{name}.mu")


@pytest.fixture
def sdk(sim_sdk_root: Path, tmp_path: Path) -> Sdk:
    for path in SOURCES.iterdir():
        shutil.copy(path, tmp_path)
    return Sdk(sim_sdk_root, tmp_path)


@pytest.fixture(scope="module")
def objects(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The objects of the program, compiled once."""
    folder = tmp_path_factory.mktemp("objects")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    sdk = Sdk(sim_sdk_root, folder)
    sdk.compile(*FILES)
    return folder


def weighted(values: Sequence[int]) -> int:
    return sum((at % 97 + 1) * value for at, value in enumerate(values))


def expected() -> Mapping[str, str]:
    """The expected output of the program, computed again."""
    pairs = [at + (at ^ 1) for at in range(THREADS)]
    warps = [sum(range(at // 32 * 32, at // 32 * 32 + 32)) for at in range(THREADS)]
    rows = [
        (at + 101, (at + 1) % THREADS, warps[at], at ^ 1, 9, -at, pairs[at] + 1, at % 4 + 1, 1000 + 16, 40 + 3)
        for at in range(THREADS)
    ]
    values = {
        "calls": [value for row in rows for value in row],
        "kernel_of_second_file": [1000 + at + 1 for at in range(THREADS)],
        "templated": pairs,
        "template_of_second_file": pairs,
        "static_of_first_file": [7],
        "static_of_second_file": [50 + 22],
        "changed": [8],
    }
    return {name: f"{weighted(each)} musaSuccess" for name, each in values.items()}


def check(sdk: Sdk, program: Path, **variables: str) -> None:
    done = sdk.run(program, **variables)
    assert dict(line.split("=") for line in done.stdout.splitlines()) == expected()
    assert done.stderr == ""


@pytest.fixture
def linked_objects(sdk: Sdk, objects: Path) -> Sdk:
    for name in FILES:
        shutil.copy(objects / f"{name}.o", sdk.folder)
    return sdk


def test_linked_by_mcc(linked_objects: Sdk) -> None:
    sdk = linked_objects
    sdk.mcc("-fgpu-rdc", "first.o", "second.o", "library.o", "-lmusart", "-o", "program")
    for variables in ({}, {"MUSA_SIM_FIBERS": "1"}):
        check(sdk, sdk.folder / "program", **variables)


def test_device_link_for_the_hosts_linker(linked_objects: Sdk) -> None:
    """The object of -dlink, an archive of objects, and a library that is found by its name."""
    sdk = linked_objects
    sdk.run("ar", "rcs", "libsome.a", "second.o", "library.o")
    sdk.mcc("-dlink", "--offload-arch=mp_22", "-fPIC", "first.o", "-L.", "-lsome", "-lmusart", "-o", "dlink.o")
    check(sdk, sdk.link("first.o", "dlink.o", "-L.", "-lsome"))


def test_thin_archives_and_relinked_objects(linked_objects: Sdk) -> None:
    sdk = linked_objects
    sdk.run("ar", "rcsT", "libthin.a", "library.o")
    sdk.run("ld", "-r", "first.o", "second.o", "-o", "both.o")
    sdk.mcc("-dlink", "both.o", "libthin.a", "-o", "dlink.o")
    check(sdk, sdk.link("both.o", "dlink.o", "libthin.a"))


def test_a_shared_library_of_its_own(linked_objects: Sdk) -> None:
    """The library's device code is linked by itself; the program's host code launches its kernels."""
    sdk = linked_objects
    sdk.mcc("-fgpu-rdc", "-shared", "first.o", "second.o", "library.o", "-lmusart", "-o", "liball.so")
    check(sdk, sdk.link("-L.", "-lall"))


def test_an_archive_with_its_device_link(linked_objects: Sdk) -> None:
    """The program's device link leaves out objects that a library's has linked (CUDA_RESOLVE_DEVICE_SYMBOLS)."""
    sdk = linked_objects
    sdk.mcc("-dlink", "second.o", "library.o", "first.o", "-o", "inner.o")
    sdk.run("ar", "rcs", "libwhole.a", "first.o", "second.o", "library.o", "inner.o")
    (sdk.folder / "other.mu").write_text("__global__ void other() {}\n")
    sdk.mcc("-fgpu-rdc", "-c", "other.mu")
    sdk.mcc("-dlink", "other.o", "libwhole.a", "-o", "outer.o")
    check(sdk, sdk.link("other.o", "outer.o", "libwhole.a"))


@pytest.mark.slow
@pytest.mark.parametrize("flags", [["-O0"], ["-O1"], ["-O3"], ["-g"], ["--sim-check=all"], ["-rdc=true", "-Od0"]])
def test_levels_and_checks(sdk: Sdk, flags: Sequence[str]) -> None:
    sdk.mcc("-fgpu-rdc", *flags, "first.mu", "second.mu", "library.mu", "-lmusart", "-o", "program")
    check(sdk, sdk.folder / "program")


def test_objects_of_different_levels(sdk: Sdk) -> None:
    sdk.compile("first", flags=["-O0"])
    sdk.compile("second", flags=["-O3", "--offload-arch=mp_22", "--offload-arch=mp_31"])
    sdk.mcc("-S", "-fgpu-rdc", "library.mu", "-o", "library.s")
    text = (sdk.folder / "library.s").read_text()
    # the host's assembler may be older than LLVM
    (sdk.folder / "library.s").write_text("".join(line for line in text.splitlines(True) if ".addrsig" not in line))
    sdk.run("gcc", "-c", "library.s")
    sdk.mcc("-fgpu-rdc", "first.o", "second.o", "library.o", "-lmusart", "-o", "program")
    check(sdk, sdk.folder / "program")


def test_architectures(sdk: Sdk) -> None:
    both = ["--offload-arch=mp_22", "--offload-arch=mp_31"]
    sdk.compile("arch", "prints_arch", flags=both)
    sdk.mcc("-fgpu-rdc", "arch.o", "prints_arch.o", "-lmusart", "-o", "program")
    assert [sdk.run(sdk.folder / "program", MUSA_SIM_ARCH=arch).stdout for arch in ("mp_22", "mp_31")] == [
        "220\n",
        "310\n",
    ]
    sdk.compile("arch", flags=both[:1])
    said = sdk.mcc("-dlink", *both, "arch.o", "prints_arch.o", "-o", "dlink.o", status=1)
    assert said == "mcc: error: 'arch.o' has no device code for mp_31; it was compiled for mp_22\n"


USES = """
__device__ int missing(int);
extern __device__ float lost;
__global__ void k(int* p) { *p = missing(3) + lost; }
"""


def test_an_undefined_function(sdk: Sdk) -> None:
    sdk.write(uses=USES, other="__device__ int unrelated() { return 1; }\n")
    sdk.compile("uses", "other")
    said = sdk.mcc("-dlink", "other.o", "uses.o", "-o", "dlink.o", status=1)
    assert said == (
        "error: undefined reference to 'lost' in 'uses.o', used by k(int*)\n"
        "error: undefined reference to 'missing(int)' in 'uses.o', used by k(int*)\n"
        "2 errors generated when compiling for mp_22.\n"
    )
    whole = sdk.mcc("-c", "uses.mu", status=1)
    assert "error: undefined reference to 'missing(int)', used by k(int*)\n" in whole
    assert "compiled and linked with '-fgpu-rdc'\n" in whole


def test_what_two_define(sdk: Sdk) -> None:
    text = "__device__ int doubled(int) { return 1; }\ninline __device__ int fine() { return 1; }\n"
    sdk.write(one=text, two=text + "__global__ void k(int* p) { *p = doubled(3) + fine(); }\n")
    sdk.compile("one", "two")
    said = sdk.mcc("-fgpu-rdc", "one.o", "two.o", "-o", "program", status=1)
    assert said == (
        "error: multiple definition of 'doubled(int)' in 'two.o'; it is first defined in 'one.o'\n"
        "1 error generated by the device link.\n"
    )
    # a member of an archive that is not needed is left out, as the host's linker does
    sdk.run("ar", "rcs", "libone.a", "one.o")
    sdk.mcc("-dlink", "two.o", "libone.a", "-o", "dlink.o")


def test_a_forgotten_device_link(linked_objects: Sdk) -> None:
    sdk = linked_objects
    said = sdk.mcc("first.o", "second.o", "library.o", "-lmusart", "-o", "program", status=1)
    assert said == (
        "mcc: error: 'first.o' has relocatable device code, which a link without '-fgpu-rdc' leaves out: "
        "add '-fgpu-rdc', or link the object that 'mcc -dlink' makes\n"
    )
    by_host = sdk.run("g++", "first.o", "second.o", "library.o", *sdk.libraries, "-o", "program", status=1)
    assert "undefined reference to `__musa_device_link_missing_first_mu_" in by_host.stderr


def test_launches_of_device_code(sdk: Sdk) -> None:
    """Launches from kernels are refused where they stand; lambdas of host code may launch."""
    sdk.write(
        host="__global__ void child(int) {}\ntemplate <class F> void with(F f) { f(3); }\n"
        "void run() { with([](auto n) { child<<<1, 1>>>(n); }); [] { child<<<1, 1>>>(1); }(); }\n",
        device="__global__ void child(int) {}\n__global__ void parent() { child<<<1, 1>>>(3); }\n",
    )
    sdk.compile("host")
    for flags in ([], ["-fgpu-rdc"]):
        said = sdk.mcc(*flags, "-c", "device.mu", status=1)
        assert "device.mu:2:33: error: the simulator has no kernel launches from device code" in said


def test_kernels_keep_their_forms(sdk: Sdk) -> None:
    """A function of another file that waits is inlined: its kernels run without a fiber per thread."""
    sdk.write(
        waits="__device__ int waits(int value) { __syncthreads(); return value + 1; }\n",
        calls="__device__ int waits(int value);\n__global__ void k(int* p) { p[threadIdx.x] = waits(threadIdx.x); }\n",
    )
    sdk.compile("waits", "calls")
    sdk.mcc("-dlink", "waits.o", "calls.o", "-o", "dlink.o")
    assert b"__musa_sim_loop__Z1kPi" in (sdk.folder / "dlink.o").read_bytes()


def test_checks_name_the_line_in_the_other_file(sdk: Sdk) -> None:
    sdk.compile("put", "racing", flags=["--sim-check=memory,race"])
    sdk.mcc("-fgpu-rdc", "put.o", "racing.o", "-lmusart", "-o", "program")
    race = subprocess.run([sdk.folder / "program"], capture_output=True, text=True, check=False).stderr
    assert "race" in race and "put.mu:2" in race
    outside = subprocess.run([sdk.folder / "program", "x"], capture_output=True, text=True, check=False).stderr
    assert "out of bounds" in outside and "put.mu:2" in outside


def test_code_of_another_mcc(linked_objects: Sdk, mark_of: Callable[[bytes], bytes]) -> None:
    sdk = linked_objects
    path = sdk.folder / "first.o"
    path.write_bytes(mark_of(path.read_bytes()))
    said = sdk.mcc("-dlink", "first.o", "-o", "dlink.o", status=1)
    assert said == "mcc: error: the relocatable device code of first.o is not of this mcc: compile its source again\n"


@pytest.fixture
def mark_of() -> Callable[[bytes], bytes]:
    """Turn the magic number of an object's record into that of another release."""
    return lambda data: data.replace(b"MUSARDC1", b"MUSARDC0")
