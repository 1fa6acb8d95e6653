"""CUDA programs, unchanged, through the toolkit's nvcc: they compile, run and compute."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from musa_build.cuda_toolkit.architectures import VERSION

pytestmark = pytest.mark.compiles
Run = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAMS = Path(__file__).with_name("programs")
SAXPY = (PROGRAMS / "saxpy.cu").read_text(encoding="utf-8")

CAPABILITY = (PROGRAMS / "capability.cu").read_text(encoding="utf-8")

PTX = (PROGRAMS / "lanes.cu").read_text(encoding="utf-8")
LANE = (PROGRAMS / "lane.cuh").read_text(encoding="utf-8")

DRIVER = (PROGRAMS / "driver.cpp").read_text(encoding="utf-8")


@pytest.mark.parametrize("flags", [(), ("-O3", "-arch=sm_80", "--use_fast_math"), ("-G", "-g")])
def test_a_program_computes(flags: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    run("nvcc", *flags, "-o", "saxpy", "saxpy.cu")
    for n in (1, 127, 1000):
        numbers = random.Random(n)
        x, y = ([numbers.randrange(-999, 1000) for _ in range(n)] for _ in range(2))
        text = f"{n} 3 {' '.join(map(str, [*x, *y]))}"
        done = subprocess.run([tmp_path / "saxpy"], input=text, capture_output=True, text=True, check=True)
        assert [float(line) for line in done.stdout.split()] == [3 * a + b for a, b in zip(x, y)]


@pytest.mark.parametrize("flags", [("-O0",), ("-O2", "-std=c++20")])
def test_functions_that_are_the_devices_where_cuda_arch_is_defined(
    flags: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    source = PROGRAMS / "for_the_device_where_arch.cu"
    run("nvcc", *flags, "-o", "program", source)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{15 + 1 + 48 + 1 + 4} {2 + 10 + 2}\n"
    for wrong, said in (("1", "'on_the_host'"), ("2", "'on_the_device'")):
        refused = run("nvcc", *flags, f"-DWRONG={wrong}", "-c", source, status=1)
        assert "error: " in refused.stderr and said in refused.stderr, refused.stderr


@pytest.mark.parametrize("flags", [(), ("-std=c++14", "-O2", "-m64", "-Xcompiler", "-Wall"), ("-g", "-G")])
def test_c_files_are_c(flags: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    """Words that C++ keeps for itself are names, and functions have C's symbols; in one step and in two."""
    (tmp_path / "in_c.c").write_text(
        "#include <stdlib.h>\n"
        "int *made(int class) { int *new = malloc(sizeof *new); new[0] = class; return new; }\n"
        "#ifdef __cplusplus\n#error C++\n#endif\n"
    )
    (tmp_path / "main.cu").write_text(
        'extern "C" int *made(int);\n__global__ void add(int *x) { *x += 1; }\n'
        "int main() { int *x; cudaMallocManaged(&x, 4); *x = *made(41); add<<<1, 1>>>(x); cudaDeviceSynchronize();\n"
        "return *x == 42 ? 0 : 1; }\n"
    )
    run("nvcc", *flags, "main.cu", "in_c.c", "-o", "at_once")
    run("nvcc", *flags, "-c", "in_c.c", "-o", "in_c.o")
    run("nvcc", *flags, "main.cu", "in_c.o", "-o", "in_steps")
    for program in ("at_once", "in_steps"):
        run(tmp_path / program)
    if not flags:
        run("nvcc", "-x", "c++", "-c", "in_c.c", status=1)


def test_ranges_of_nvtx(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nvtx.cu").write_text((PROGRAMS / "nvtx.cu").read_text(encoding="utf-8"))
    run("nvcc", "-o", "ranges", "nvtx.cu")
    assert subprocess.run([tmp_path / "ranges"], capture_output=True, text=True, check=True).stdout == "31\n"
    (tmp_path / "ranges.c").write_text(
        '#include <nvToolsExt.h>\nint main(void) { nvtxMarkA("C"); return nvtxRangePop() != -2; }'
    )
    run("sh", "-c", 'gcc -Wall -Werror -I"$CUDA_HOME/include" ranges.c -o in_c && ./in_c')


def test_an_update_of_a_graph_by_both_calls(run: Run, tmp_path: Path) -> None:
    (tmp_path / "update.cu").write_text((PROGRAMS / "graph_update.cu").read_text(encoding="utf-8"))
    run("nvcc", "-o", "update", "update.cu")
    done = subprocess.run([tmp_path / "update"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["1", "0 1 2", "0 1 3", "910 1 3"]


def test_managed_memory_at_a_device_and_at_a_location(run: Run, tmp_path: Path) -> None:
    run("nvcc", "-o", tmp_path / "locations", PROGRAMS / "locations.cu")
    done = subprocess.run([tmp_path / "locations"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["0 0 0 -1 0 0", "0 0 0 -1 0 0 0 -1 0 0", "1 1"]


CALLED = (PROGRAMS / "called.cu").read_text(encoding="utf-8")
CALLING = (PROGRAMS / "calling.cu").read_text(encoding="utf-8")
#: Each makes `program` of two files, as NVIDIA's manual of nvcc shows, and by one command
SEPARATE = {
    "nvcc links": ["nvcc -dc called.cu calling.cu", "nvcc called.o calling.o -o program"],
    "the host compiler links": [
        "nvcc -rdc=true -Xcompiler -fPIC -c called.cu calling.cu",
        "nvcc -dlink called.o calling.o -o link.o",
        "g++ called.o calling.o link.o -L{lib} -lcudart -o program",
    ],
    "a library of nvcc": [
        "nvcc -dc called.cu calling.cu",
        "nvcc -lib called.o -o libcalled.a",
        "nvcc calling.o -L. -lcalled -o program",
    ],
    "an archive of ar": [
        "nvcc --device-c called.cu calling.cu",
        "ar rcs libcalled.a called.o",
        "nvcc --device-link calling.o -L. -lcalled -o link.o",
        "g++ calling.o link.o -L. -lcalled -L{lib} -lcudart -o program",
    ],
    "one command": ["nvcc -rdc=true called.cu calling.cu -o program"],
    "a device link of sources": [
        "nvcc -dc called.cu calling.cu",
        "nvcc -rdc=true -dlink calling.cu called.o -o link.o",
        "g++ calling.o called.o link.o -L{lib} -lcudart -o program",
    ],
}


@pytest.mark.parametrize("way", SEPARATE)
def test_device_code_of_two_files(way: str, run: Run, toolkit: Path, tmp_path: Path) -> None:
    (tmp_path / "called.cu").write_text(CALLED)
    (tmp_path / "calling.cu").write_text(CALLING)
    for line in SEPARATE[way]:
        run(*line.format(lib=toolkit / "lib64").split())
    assert run("./program").stdout == "42 32\n"


def test_a_link_without_what_device_code_calls(run: Run, tmp_path: Path) -> None:
    (tmp_path / "calling.cu").write_text(CALLING.replace("calls", "calls_of_nobody"))
    run("nvcc", "-dc", "calling.cu")
    said = run("nvcc", "calling.o", "-o", "program", status=1).stderr
    assert "error: undefined reference to 'called(int)' in 'calling.o', used by calling(int*)\n" in said


@pytest.mark.parametrize(("arch", "number"), [("21", 75), ("22", 80), ("31", 89)])
def test_the_compute_capability_is_that_of_device_code(arch: str, number: int, run: Run, tmp_path: Path) -> None:
    (tmp_path / "capability.cu").write_text(CAPABILITY)
    run("nvcc", "-o", "capability", "capability.cu", "-lcuda", TORCH_MUSA_ARCH_LIST=arch)
    done = run("./capability", MUSA_SIM_ARCH=f"mp_{arch}")
    assert done.stdout.split() == [*[str(number)] * 10, "32", "32", "12040"]


def test_inline_ptx_under_the_names_of_the_users_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "my files").mkdir()
    (tmp_path / "my files" / "lane.cuh").write_text(LANE)
    (tmp_path / "lanes.cu").write_text(PTX)
    run("nvcc", "-I", "my files", "-MD", "-c", "lanes.cu", "-o", "lanes.o")
    run("nvcc", "lanes.o", "-o", "lanes")
    line = 1 + PTX[: PTX.index("__LINE__")].count("\n")
    assert run("./lanes").stdout.split() == [str(index % 32 + 100 * line) for index in range(64)]
    listed = (tmp_path / "lanes.d").read_text()
    assert "lane.cuh" in listed and "/ptx/" not in listed
    assert (tmp_path / "my files" / "lane.cuh").read_text() == LANE


@pytest.mark.parametrize("flags", [("-O0",), ("-O3",)])
def test_a_matrix_product_in_ptx(flags: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent / "programs" / "matrix_product.cu", tmp_path)
    run("nvcc", "-arch=sm_80", *flags, "-o", "product", "matrix_product.cu")
    for warp in ("32", "128"):
        assert run("./product", MUSA_SIM_WARP=warp).stdout == "0 wrong of 4096\n"


#: OpenMP in the host code of a .cu: mcc and the host compiler compile for one runtime
OPENMP = {
    "nvcc links": ["nvcc {level} -Xcompiler -fopenmp openmp.cu -o openmp"],
    "the host compiler links": [
        "nvcc {level} -Xcompiler=-fopenmp -c openmp.cu -o openmp.o",
        "g++ -fopenmp openmp.o -L{lib} -lcudart -o openmp",
    ],
}


@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("way", OPENMP)
def test_openmp_in_host_code(way: str, level: str, run: Run, toolkit: Path, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent / "programs" / "openmp.cu", tmp_path)
    for line in OPENMP[way]:
        run(*line.format(level=level, lib=toolkit / "lib64").split())
    assert run("./openmp").stdout == "0 wrong, 3 threads\n"


def test_ptx_without_translation_is_named_after_mccs_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.cu").write_text('__global__ void k() {\n    asm volatile("wgmma.fence.sync.aligned;");\n}\n')
    done = run("nvcc", "-c", "bad.cu", status=1)
    assert "bad.cu:2: inline PTX without translation: " in done.stderr.splitlines()[-1]


def test_only_the_statements_that_mcc_names_are_explained(run: Run, tmp_path: Path) -> None:
    unused = "".join(f'template <int I> __device__ void f{i}() {{ asm("wgmma.{i};"); }}\n' for i in range(50))
    (tmp_path / "many.cuh").write_text(unused)
    (tmp_path / "bad.cu").write_text(
        '#include "many.cuh"\n__global__ void k() {\n'
        '    asm volatile("{\\n"\n        "wgmma.fence.sync.aligned;\\n"\n        "}");\n}\n'
        "__device__ int g() { return undeclared; }\n"
    )
    done = run("nvcc", "-c", "bad.cu", status=1)
    assert "use of undeclared identifier 'undeclared'" in done.stderr
    (tmp_path / "bad.cu").write_text((tmp_path / "bad.cu").read_text().replace("return undeclared", "return 1"))
    done = run("nvcc", "-c", "bad.cu", status=1)
    explained = [line for line in done.stderr.splitlines() if "without translation" in line]
    assert len(explained) == 1 and "bad.cu:3: inline PTX without translation: wgmma" in explained[0]
    assert done.stderr.splitlines()[-1] == explained[0]


def test_an_image_is_loaded_by_the_driver(run: Run, tmp_path: Path) -> None:
    (tmp_path / "seven.cu").write_text('extern "C" __global__ void seven(int *out) { *out = 7; }\n')
    (tmp_path / "main.cpp").write_text(DRIVER)
    run("nvcc", "-fatbin", "seven.cu")
    run(
        "g++",
        "main.cpp",
        "-isystem",
        "include",
        "-I",
        run("sh", "-c", "echo $CUDA_HOME").stdout.strip() + "/include",
        "-lcuda",
        "-o",
        "main",
    )
    assert run("./main", "seven.fatbin").stdout == "7\n"


def test_a_missing_name_is_an_error_at_the_users_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("int main() {\n    return cudaNoSuchFunction();\n}\n")
    done = run("nvcc", "-c", "a.cu", status=1)
    assert "a.cu:2:12: error: use of undeclared identifier 'cudaNoSuchFunction'" in done.stderr


def test_a_program_on_the_standard_input(run: Run, tmp_path: Path) -> None:
    """Configure scripts compile so."""
    text = (PROGRAMS / "standard_input.cu").read_text(encoding="utf-8")
    flags = ("-o", "program", "-run", "--run-args", "one,two three")
    assert run("nvcc", "-x", "cu", "-", *flags, stdin=text).stdout == "one two three 42\n"
    assert "twice(int* x)" in run("nvcc", "-x", "cu", "-E", "-", stdin=text).stdout
    assert "the standard input is not known; wanted: -x" in run("nvcc", "-E", "-", stdin=text, status=1).stderr
    assert not [*tmp_path.glob("*stdin*")]


def test_run_starts_a_program_that_is_no_input_of_a_link(run: Run, tmp_path: Path) -> None:
    """Meson starts programs so. nvcc gives the name to a shell, which removes its quotes."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("program.exe", "program", "program.out"):
        (folder / name).write_text('#!/bin/sh\nfor word in "$@"; do echo "[$word]"; done\nexit 5\n')
        (folder / name).chmod(0o755)
        done = run("nvcc", "--run", f'"{folder}/{name}"', "-run-args", "a b,c", "-run-args", '"d e"', status=5)
        assert done.stdout.split() == ["[a]", "[b]", "[c]", "[d]", "[e]"]
    assert run("nvcc", "-run", "./missing", status=127).stderr
    (folder / "echo.exe").write_text("#!/bin/sh\necho $#\n")
    (folder / "echo.exe").chmod(0o755)
    assert run("nvcc", "-run", '"a folder/echo.exe"', "-run-args", "$SIX", SIX="1 2 3 4 5 6").stdout == "6\n"
    assert "Unknown option '-nosuch'" in run("nvcc", "-run", "./missing", "-nosuch", status=1).stderr
    assert run("nvcc", "-run", '"a folder/program"', "--dryrun").stderr.endswith('\n#$ "a folder/program"\n')
    failed = run("nvcc", "--run", "a folder/program", "other.exe", status=1)
    assert failed.stderr.startswith("nvcc fatal   : Execute mode needs only one executable file")


def test_a_host_compiler_that_is_not_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n", encoding="utf-8")
    failed = run("nvcc", "-ccbin", "/nowhere/g++", "-c", "a.cu", status=1)
    assert failed.stderr.startswith("nvcc fatal   : Failed to preprocess host compiler properties")
    run("nvcc", "-ccbin", "g++", "-c", "a.cu")


def test_an_error_of_the_command_line_is_one_line(run: Run) -> None:
    assert run("nvcc", status=1).stderr == (
        "nvcc fatal   : No input files specified; use option --help for more information\n"
    )
    assert (
        run("nvcc", "-c", "nowhere.cu", status=1).stderr == "nvcc fatal   : Don't know what to do with 'nowhere.cu'\n"
    )


def test_the_host_compiler_answers_for_itself_and_reports_its_own_missing_files(run: Run) -> None:
    # as CMake files ask it: the file need not exist
    assert run("nvcc", ".c", "-Xcompiler", "-dumpversion").stdout.split()[0].isdigit()
    assert "No such file or directory" in run("nvcc", "-c", "nowhere.c", status=1).stderr


def test_a_dry_run_has_what_cmake_reads(run: Run, toolkit: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("int main() {}\n")
    lines = run("nvcc", "--dryrun", "a.cu").stderr.splitlines()
    assert not (tmp_path / "a.out").exists()
    facts = dict(line[3:].split("=", 1) for line in lines if line.startswith("#$ ") and "=" in line.split(" ")[1])
    assert facts["TOP"] == f"{toolkit}/bin/.." and facts["NVVMIR_LIBRARY_DIR"].endswith("nvvm/libdevice")
    assert facts["LIBRARIES"].strip() in lines[-1] and lines[-1].startswith("#$ g++ ")
    assert any("-arch compute_52" in line for line in lines)


def test_versions_agree(run: Run, toolkit: Path) -> None:
    said = run("nvcc", "--version").stdout
    lines = said.splitlines()
    assert len(lines) == 5 and lines[3].startswith("Cuda compilation tools, release 12.4, V"), "a program reads line 3"
    assert run("nvcc", "-V").stdout == said and run("nvcc", "-O2", "--version").stdout == said
    assert "release 12.4, V12.4.131" in said and "clang version" not in said
    assert json.loads((toolkit / "version.json").read_text())["cuda"]["version"] == "12.4.131"


def test_the_toolkit_is_written_once(toolkit: Path, run: Run, tmp_path: Path) -> None:
    before = {
        path: path.lstat().st_mtime_ns for path in toolkit.rglob("*") if path.name not in (".in-use", "__pycache__")
    }
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    run("nvcc", "-c", "a.cu")
    after = {path: path.lstat().st_mtime_ns for path in before if path.suffix != ".pyc"}
    changed = [path for path in after if before[path] != after[path] and path.is_file()]
    assert changed == []


def test_doctor_shows_the_toolkit(run: Run, toolkit: Path) -> None:
    done = run(sys.executable, "-m", "musa_build", "doctor")
    line = next(line for line in done.stdout.splitlines() if "CUDA toolkit" in line)
    assert line.startswith("ok") and f"announces {VERSION}; nvcc answers: " in line and f"release {VERSION}," in line
    assert str(toolkit) in line


def test_thrusts_policy_on_a_stream(run: Run, tmp_path: Path) -> None:
    (tmp_path / "scan.cu").write_text((PROGRAMS / "thrust_scan.cu").read_text(encoding="utf-8"))
    run("nvcc", "-o", "scan", "scan.cu")
    assert run("./scan").stdout == "1 3 6\n"


@pytest.mark.parametrize(
    ("program", "results", "warp"),
    [
        *(("libcudacxx.cu", 9, warp) for warp in ("32", "128")),
        *(("libcudacxx_std.cu", 8, warp) for warp in ("32", "128")),
        *(("libcudacxx_limits.cu", 2, warp) for warp in ("32", "128")),
        ("libcudacxx_hosts.cu", 5, "32"),
    ],
)
def test_libcudacxx(program: str, results: int, warp: str, run: Run) -> None:
    checks = {"MUSA_SIM_CHECK": "memory,race,init,sync", "MUSA_SIM_WARP": warp}
    run("nvcc", "-o", "program", PROGRAMS / program, **checks)
    for seed in "12":
        lines = run("./program", seed, **checks).stdout.splitlines()
        assert len(lines) == results and all(line.endswith(": right") for line in lines), lines


def test_libcudacxx_for_the_host_compiler(run: Run, toolkit: Path) -> None:
    """A file that includes no other header of CUDA: without a warning, in C++17 and C++20."""
    for standard in ("c++17", "c++20"):
        flags = (f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{toolkit}/include")
        libraries = (f"-L{toolkit}/lib64", "-lcudart", "-pthread")
        run("g++", *flags, PROGRAMS / "libcudacxx_host.cpp", *libraries, "-o", "program")
        lines = run("./program").stdout.splitlines()
        assert len(lines) == 5 and all(line.endswith(": right") for line in lines), lines


def test_code_for_a_target(run: Run) -> None:
    run("nvcc", "-o", "program", PROGRAMS / "nv_target.cu")
    assert run("./program").stdout == "2005 2115\n"


def test_mdspan_is_the_host_librarys_or_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("#include <cuda/std/mdspan>\nint main() {}\n")
    said = run("nvcc", "-std=c++17", "-c", "a.cu", status=1).stderr
    assert "<cuda/std/mdspan> needs C++23 and a standard library with <mdspan>" in said


def test_a_barrier_without_its_wait_is_a_race(run: Run) -> None:
    run("nvcc", "-DWITHOUT_WAIT", "-o", "program", PROGRAMS / "libcudacxx.cu", MUSA_SIM_CHECK="race")
    done = run("./program", status=86, MUSA_SIM_CHECK="race")
    assert "race" in done.stderr and "rounds" in done.stderr, done.stderr


def test_functions_of_libcudacxx_in_algorithms(run: Run) -> None:
    run("nvcc", "--extended-lambda", "-std=c++17", "-o", "program", PROGRAMS / "functional.cu")
    assert [run("./program", seed).stdout for seed in "12"] == ["right\n"] * 2


def test_attributes_of_shared_memory(run: Run) -> None:
    run("nvcc", "-Xcompiler", "-Werror", "-o", "program", PROGRAMS / "shared_attributes.cu")
    assert run("./program").stdout == "0 0 5\n"


def test_a_programmatic_dependent_launch(run: Run) -> None:
    run("nvcc", "-o", "program", PROGRAMS / "programmatic_launch.cu")
    assert run("./program").stdout == f"0 {64 * 65 // 2}\n"


PUNNED = (PROGRAMS / "punned.cu").read_text(encoding="utf-8")


@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_device_code_is_compiled_as_nvcc_compiles_it(level: str, run: Run, tmp_path: Path) -> None:
    """Without strict aliasing, and with constexpr functions that call what is not constexpr."""
    (tmp_path / "punned.cu").write_text(PUNNED)
    run("nvcc", level, "-std=c++17", "-o", "punned", "punned.cu")
    assert run(tmp_path / "punned").stdout == "5 1 1\n"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((), "api=0 launch=0 macro=0 host=0"),
        (("--default-stream", "legacy"), "api=0 launch=0 macro=0 host=0"),
        (("-default-stream=per-thread", "--default-stream=null"), "api=0 launch=0 macro=0 host=0"),
        (("--default-stream=per-thread",), "api=1 launch=1 macro=1 host=1"),
        (("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1",), "api=1 launch=1 macro=1 host=1"),
        # nvcc has included cuda_runtime.h before the source defines the macro; the host compiler has not
        (("-DDEFINED_FIRST",), "api=0 launch=0 macro=1 host=1"),
    ],
)
def test_the_default_stream_of_each_thread(flags: tuple[str, ...], said: str, run: Run, tmp_path: Path) -> None:
    text = (PROGRAMS / "default_stream.cu").read_text(encoding="utf-8")
    (tmp_path / "device.cu").write_text(text)
    (tmp_path / "host.cpp").write_text(f"#define HOST\n{text}")
    run("nvcc", *flags, "-o", "program", "device.cu", "host.cpp")
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said
