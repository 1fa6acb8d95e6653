"""Beside Moore Threads' torch_musa: the flags of a build against those of its own MUSAExtension, and `doctor`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Optional

import pytest
from demo_project import Project
from installed_torch_musa import InstalledTorchMusa, library, make_sdk

from musa_build.environment.runtime_library import RuntimeAnswers
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings
from musa_build.environment.torch_info import TorchInfo, TorchMusa, musa_include_dirs, musa_library_dirs
from musa_build.environment.torch_musa_import import ImportOfTorchMusa, hint

# torch_musa 2.7.1's include_paths(musa=True) and library_paths(musa=True) for this tree, with MUDNN_HOME.
_PORTED = "{site}/torch_musa/share/generated_cuda_compatible"
THEIR_INCLUDES = (
    "/usr/local/musa/include",
    f"{_PORTED}/aten/src",
    f"{_PORTED}/include",
    f"{_PORTED}/include/torch/csrc/api/include",
    "{site}/torch_musa/share/torch_musa_codegen",
    "{site}",
    "{sdk}/include",
    "{mudnn}/include",
)
THEIR_LIBRARY_DIRS = ("{torch}/lib", "{site}/torch_musa/lib", "{sdk}/lib", "{mudnn}/lib")
# Of an extension pkg._C, with {"cxx": ["-O3"], "mcc": ["-O2"]} and TORCH_MUSA_ARCH_LIST=22.
THEIR_LIBRARIES = ("-lc10", "-ltorch", "-ltorch_cpu", "-ltorch_python", "-lmusa_python")
THEIR_LINK_FLAGS = ("$ORIGIN/lib", "{torch}/lib", "{site}/torch_musa/lib")
THEIR_MCC_FLAGS = (
    *("-fPIC", "-O2", "--offload-arch=mp_22", "-march=native"),
    *("-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=_C"),
)


@pytest.fixture
def installed(tmp_path: Path) -> InstalledTorchMusa:
    return InstalledTorchMusa.make(tmp_path / "site")


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    (tmp_path / "mudnn" / "include").mkdir(parents=True)
    (tmp_path / "mudnn" / "lib").mkdir()
    return make_sdk(tmp_path / "sdk")


def test_include_and_library_paths(installed: InstalledTorchMusa, sdk: Path, tmp_path: Path) -> None:
    """The order of three of them differs, on purpose (decision 67)."""
    mudnn = tmp_path / "mudnn"
    torch = TorchInfo("2.7.1", (Path("/t/torch/include"),), (Path("/t/torch/lib"),))
    found = MusaSdk.find(Settings({"MUSA_HOME": str(sdk), "MUDNN_HOME": str(mudnn)}, {}))
    names = {"site": installed.site, "sdk": sdk, "mudnn": mudnn, "torch": "/t/torch"}
    theirs = [path.format(**names) for path in THEIR_INCLUDES]
    ours = [str(path) for path in musa_include_dirs(torch, TorchMusa(installed.root), found)]
    ported = theirs[1:5]
    assert ours == [*ported, "/t/torch/include", f"{mudnn}/include", f"{sdk}/include", str(installed.site)]
    assert set(theirs) - set(ours) == {"/usr/local/musa/include"}
    assert {str(path) for path in musa_library_dirs(torch, TorchMusa(installed.root), found)} == {
        path.format(**names) for path in THEIR_LIBRARY_DIRS
    }


def test_mudnn_is_for_a_real_sdk_alone(sdk: Path, tmp_path: Path, sim_sdk_root: Path) -> None:
    mudnn = str(tmp_path / "mudnn")
    by_second_name = MusaSdk.find(Settings({"MUSA_HOME": str(sdk), "MUDNN_PATH": mudnn}, {}))
    assert by_second_name.mudnn == Path(mudnn)
    (tmp_path / "mudnn" / "lib64").mkdir()
    assert [str(path) for path in by_second_name.library_dirs] == [f"{mudnn}/lib", f"{mudnn}/lib64", f"{sdk}/lib"]
    simulated = MusaSdk.find(Settings({"MUSA_HOME": str(sim_sdk_root), "MUDNN_HOME": mudnn}, {}))
    assert simulated.mudnn is None, "it has its own muDNN"


def test_flags_of_a_build(project: Project, installed: InstalledTorchMusa, sdk: Path, tmp_path: Path) -> None:
    """A real build: what torch_musa's own would pass is passed, except for what decision 67 names."""
    options = 'extra_compile_args={"cxx": ["-O3"], "mcc": ["-O2"]}'
    files = '["csrc/bindings.cpp", "csrc/kernel.mu"], include_dirs=["include"]'
    project.configure(extensions=f'MUSAExtension("pkg._C", {files}, {options})')
    (project.root / "pkg").mkdir()
    mudnn = str(tmp_path / "mudnn")
    environment = {"PYTHONPATH": str(installed.site), "MUSA_HOME": str(sdk), "MUDNN_HOME": mudnn}
    done = project.run("setup.py", "build_ext", "--inplace", MUSA_BUILD_SIMULATOR=None, **environment)
    assert done.returncode == 0, done.output
    (graph,) = project.root.glob("build/temp*/compile_commands.json")
    commands = {Path(each["file"]).name: each for each in json.loads(graph.read_text())}
    mcc, cxx = (_words(commands[name]) for name in ("kernel.mu", "bindings.cpp"))
    names = {"site": installed.site, "sdk": sdk, "mudnn": mudnn}
    for words in (mcc, cxx):
        includes = [word[2:] for word in words if word.startswith("-I")]
        assert {path.format(**names) for path in THEIR_INCLUDES[1:]} <= set(includes)
    assert set(THEIR_MCC_FLAGS) - set(mcc) == {"-march=native"}
    assert "-O3" in cxx and "-march=native" not in cxx and cxx[0] == "c++"
    assert mcc[0] == f"{sdk}/bin/mcc" and not [word for word in mcc if word.startswith("-ccbin")]
    (graph,) = project.root.glob("build/temp*/build.ninja")
    (link,) = (line for line in graph.read_text().splitlines() if " -shared " in line and "command_line" in line)
    # musart: torch_musa's load() links it too. musa_kernels, which that links as well, is what libmusa_python needs.
    assert [word for word in link.split() if word.startswith("-l")] == [*THEIR_LIBRARIES, "-lmusart"]
    (built,) = (project.root / "pkg").glob("_C*.so")
    dynamic = subprocess.run(["readelf", "-dW", str(built)], capture_output=True, text=True, check=True).stdout
    (path,) = (line.rpartition("[")[2].rstrip("]") for line in dynamic.splitlines() if "PATH)" in line)
    # Python's own LDFLAGS may add more
    assert path.split(":")[:3] == ["$ORIGIN/../torch/lib", "$ORIGIN/../torch_musa/lib", THEIR_LINK_FLAGS[0]]
    assert str(installed.site) not in path, "a wheel has no path of the build machine"


def _words(command: dict[str, object]) -> list[str]:
    import shlex

    arguments = command.get("arguments")
    return list(map(str, arguments)) if isinstance(arguments, list) else shlex.split(str(command["command"]))


Doctor = Callable[..., str]


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    """Returns doctor's row of an imitated torch_musa. Its torch imports at once, and has the named version."""

    def row(installed: InstalledTorchMusa, torch: str = "2.7.1+cpu", **environment: str) -> str:
        installed.add_torch(torch)
        code = "from musa_build.cli.doctor import _torch_musa; print(_torch_musa(None))"
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("TORCH_", "MUSA_"))}
        variables.update(PYTHONPATH=str(installed.site), **environment)
        done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return row


def test_doctor_says_ok_to_a_pair_that_fits(tmp_path: Path, doctor: Doctor) -> None:
    row = doctor(InstalledTorchMusa.make(tmp_path / "site"))
    assert row.startswith("ok ") and "2.7.1+0bc05bf" in row


def test_doctor_repeats_what_torch_musa_warns_of(tmp_path: Path, doctor: Doctor) -> None:
    code = "import warnings; warnings.warn('torch version should be v2.7.1, but now torch version is 2.8.0')"
    row = doctor(InstalledTorchMusa.make(tmp_path / "site", code=code), "2.8.0")
    assert row.startswith("ok ") and row.endswith("but now torch version is 2.8.0")


# As torch_musa 2.7.1 loads its module: the first error is the cause of the one that is seen.
LOAD = """
import ctypes, pathlib
here = pathlib.Path(__file__).parent
try:
    ctypes.CDLL(str(here / 'lib/libmusa_kernels.so'))
except OSError as error:
    raise ImportError('Please try running Python from a different directory!') from error
"""
IMPORT = """
try:
    import torch_musa._MUSAC
except ImportError as error:
    raise ImportError('Please try running Python from a different directory!') from error
"""
REFUSAL = """
raise RuntimeError('torch version must not be less than v2.7.1 when using torch_musa,', ' but now torch version is 2.5')
"""
UNDEFINED = "extern int at_GeneratorRegister(void); int kernels(void) { return at_GeneratorRegister(); }"


def _needs(tree: InstalledTorchMusa, name: str, source: str = "", *, lost: bool) -> None:
    """Links torch_musa's kernels to the library `name`, which the loader finds or does not find."""
    made = library(tree.site / "elsewhere" / name, f"-Wl,-soname,{name}", source=source)
    options = ("-Wl,--no-as-needed", str(made), f"-Wl,-rpath,{made.parent}", "-Wl,--allow-shlib-undefined")
    library(tree.root / "lib" / "libmusa_kernels.so", *options)
    if lost:
        made.unlink()


def _another_python(tree: InstalledTorchMusa) -> None:
    library(tree.root / f"_MUSAC.cpython-3{sys.version_info.minor - 1}-x86_64-linux-gnu.so")


def _another_torch(tree: InstalledTorchMusa) -> None:
    library(tree.root / "lib" / "libmusa_kernels.so", "-Wl,-z,now", source=UNDEFINED)


@pytest.mark.parametrize(
    ("code", "change", "found", "cure"),
    [
        pytest.param(IMPORT, _another_python, "No module named", "it was compiled for cpython-3", id="another Python"),
        pytest.param(LOAD, _another_torch, "undefined symbol", "compiled for another torch", id="another torch"),
        pytest.param(REFUSAL, None, "but now torch version is 2.5", "the torch that it names", id="it refuses"),
        pytest.param(
            LOAD,
            lambda tree: _needs(tree, "libmudnn.so.1", lost=True),
            "libmudnn.so.1: cannot open",
            "to LD_LIBRARY_PATH",
            id="no muDNN",
        ),
        pytest.param(
            LOAD,
            lambda tree: _needs(tree, "libmusa.so.1", lost=True),
            "libmusa.so.1: cannot open",
            "belongs to the driver",
            id="no driver",
        ),
        pytest.param(
            LOAD.replace("CDLL(", "PyDLL(").replace("'))", "'), mode=2)"),
            lambda tree: _needs(tree, "libmusa.so.1.0", UNDEFINED.replace("at_", "PVRSRV"), lost=False),
            "libmusa.so.1.0: undefined symbol: PVRSRV",
            "SDK and driver must fit",
            id="another driver",
        ),
        pytest.param("import os; os.abort()", None, "SIGABRT", "", id="it crashes"),
        pytest.param("import os; os._exit(0)", None, "the import ended the process", "", id="it ends"),
    ],
)
def test_doctor_never_says_ok_to_a_pair_that_cannot_import(
    code: str,
    change: Optional[Callable[[InstalledTorchMusa], None]],
    found: str,
    cure: str,
    tmp_path: Path,
    doctor: Doctor,
) -> None:
    tree = InstalledTorchMusa.make(tmp_path / "site", code=code)
    if change:
        change(tree)
    row = doctor(tree)
    assert row.startswith("MISSING "), row
    assert found in row and cure in row and "hint: " * bool(cure) in row
    assert f"{tree.root} cannot be imported with torch 2.7.1+cpu" in row


def test_a_broken_torch_musa_stops_a_build_only_where_torch_loads_it(tmp_path: Path, doctor: Doctor) -> None:
    older = doctor(InstalledTorchMusa.make(tmp_path / "old", code="1/0"), "2.2.0")
    assert older.startswith("absent "), "torch 2.2 loads no devices"
    switched_off = doctor(InstalledTorchMusa.make(tmp_path / "off", code="1/0"), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert switched_off.startswith("absent ")


def test_hints_that_need_no_library() -> None:
    old = ImportOfTorchMusa("2.7.1", errors=("ImportError: libstdc++.so.6: version `GLIBCXX_3.4.30' not found",))
    assert "update libstdc++" in hint(old, Path("/nowhere"), ())
    lost = ImportOfTorchMusa("2.7.1", errors=("OSError: libmudnn.so.1: cannot open shared object file",))
    assert "add /sdk/lib to LD_LIBRARY_PATH" in hint(lost, Path("/nowhere"), (Path("/sdk/lib"),))
    assert hint(ImportOfTorchMusa("2.7.1", errors=("ZeroDivisionError: 1/0",)), Path("/nowhere"), ()) == ""


RUNTIME = """
int musaRuntimeGetVersion(int* version) { *version = 40300; return 0; }
int musaDriverGetVersion(int* version) { *version = DRIVER; return 0; }
int musaGetDeviceCount(int* count) { *count = CARDS; return STATUS; }
const char* musaGetErrorString(int status) { return status ? "no MUSA-capable device is detected" : "no error"; }
int musaDeviceGetAttribute(int* value, int which, int device) { return *value = which == 75 ? 2 : 1 + device, 0; }
"""


def runtime(tmp_path: Path, **values: int) -> RuntimeAnswers:
    macros = [f"-D{name}={value}" for name, value in {"DRIVER": 40300, "CARDS": 2, "STATUS": 0, **values}.items()]
    return RuntimeAnswers.of(library(tmp_path / "libmusart.so", *macros, source=RUNTIME))


def test_what_a_libmusart_says(tmp_path: Path) -> None:
    assert runtime(tmp_path) == RuntimeAnswers(True, "", 40300, 40300, "", ((2, 1), (2, 2)))
    none = runtime(tmp_path, CARDS=0, STATUS=100, DRIVER=0)
    assert none == RuntimeAnswers(True, "", 40300, 0, "100 no MUSA-capable device is detected")


def test_a_libmusart_that_does_not_load_or_crashes(tmp_path: Path) -> None:
    missing = RuntimeAnswers.of(tmp_path / "libmusart.so")
    assert not missing.loads and "cannot open shared object file" in missing.error
    crash = library(
        tmp_path / "libmusart.so",
        source=RUNTIME.split("int musaDriver")[0] + "int musaGetDeviceCount(int* c) { return *(int*)8; }",
    )
    said = RuntimeAnswers.of(crash)
    assert said.loads and said.runtime == 40300 and said.error.endswith("SIGSEGV") and not said.cards
    assert RuntimeAnswers.read(124, "loaded\n").error == "no answer within 20 s"


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ({}, ["ok      libmusart", "ok      driver: it knows MUSA 40300", "ok      card: 0: mp_21, 1: mp_22"]),
        (
            {"CARDS": 0, "STATUS": 100, "DRIVER": 0},
            [
                "ok      libmusart",
                "absent  driver: libmusart finds none",
                "absent  card: none; musaGetDeviceCount: 100",
            ],
        ),
        (
            {"DRIVER": 30100},
            ["ok      libmusart", "absent  driver: it knows MUSA 30100, older than libmusart's", "ok      card"],
        ),
    ],
    ids=["two cards", "no driver", "an old driver"],
)
def test_doctors_rows_of_cards(values: dict[str, int], rows: list[str], tmp_path: Path) -> None:
    from musa_build.cli.doctor import _of_cards

    chosen = {"DRIVER": 40300, "CARDS": 2, "STATUS": 0, **values}
    macros = [f"-D{name}={value}" for name, value in chosen.items()]
    root = make_sdk(tmp_path / "sdk", runtime=macros, source=RUNTIME)
    said = [str(row) for row in _of_cards(MusaSdk.at(root, "MUSA_HOME"))]
    assert len(said) == len(rows) and all(row.startswith(start) for row, start in zip(said, rows)), said


def test_doctor_says_that_libmusart_lacks_the_driver(tmp_path: Path) -> None:
    from musa_build.cli.doctor import _of_cards

    driver = library(tmp_path / "libmusa.so.1", "-Wl,-soname,libmusa.so.1")
    root = make_sdk(tmp_path / "sdk", runtime=("-Wl,--no-as-needed", str(driver)))
    driver.unlink()
    (row,) = map(str, _of_cards(MusaSdk.at(root, "MUSA_HOME")))
    assert (
        row.startswith("absent  libmusart") and "libmusa.so.1: cannot open" in row and "hint: libmusa.so belongs" in row
    )


def test_the_tag_of_this_python_is_known() -> None:
    """The hint about another Python compares tags of this form."""
    assert str(sysconfig.get_config_var("EXT_SUFFIX")).startswith(".cpython-3")
