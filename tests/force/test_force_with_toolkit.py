"""FORCE_MUSA=1 and builds that call nvcc themselves, by CMake: with the CUDA toolkit, and judged by their wheels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import sdists
from forcing import Outcome, Project, contents

from musa_build.force_musa.project_files import torch_in_project
from musa_build.force_musa.setup_script import runs_cmake, runs_nvcc
from musa_build.force_musa.with_toolkit.evidence import compiled_outputs
from musa_build.force_musa.with_toolkit.project_copy import copy_project
from musa_build.force_musa.with_toolkit.setup_commands import WheelCommand, wheel_command
from musa_build.porting.engine.announced_cuda import DEFAULT_EMULATED_CUDA

pytestmark = [pytest.mark.compiles, pytest.mark.usefixtures("cmake_program")]
NUMBER = str(int(float(DEFAULT_EMULATED_CUDA)) * 1000 + int(DEFAULT_EMULATED_CUDA.partition(".")[2]) * 10)
NVIDIA = Path("/usr/local/cuda/bin/nvcc")

USE_SAXPY = """
import numpy, saxpy
x = numpy.arange(1000, dtype=numpy.float32)
print((saxpy.saxpy(2.0, x, x) == 3 * x).all(), saxpy.cuda_version(), saxpy.DEVICE)
"""
USE_SQUARES = "import squares; print(squares.squares(300) == [i * i for i in range(300)])"
USE_DOUBLING = """
import torch, doubling
x = torch.arange(1000.0, device="musa")
print((doubling.double(x).cpu() == 2 * x.cpu()).all().item(), torch.ops.doubling.version(), doubling.DEVICE)
"""


def pip_wheel(project: Project, *options: str, **variables: str) -> Outcome:
    """Build a wheel without isolation, of the folder itself: pip copies nothing."""
    fixed = ("--no-build-isolation", "--no-deps", "--no-index", "--use-pep517", "--wheel-dir", "dist")
    return project.run("-m", "pip", "wheel", "-v", *fixed, *options, ".", **variables)


def use(project: Project, folder: Path, program: str) -> str:
    """Unpack the wheel and run a program with it."""
    with zipfile.ZipFile(project.wheel()) as wheel:
        wheel.extractall(folder)
    environment = {**project.environment, "FORCE_MUSA": "0"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def saxpy(new_project: Callable[[str], Project]) -> Project:
    pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed")
    return new_project("scikit_build_cuda")


def test_scikit_build_core(saxpy: Project, tmp_path: Path) -> None:
    before = contents(saxpy.folder, ("build", "dist"))
    outcome = pip_wheel(saxpy)
    assert outcome.returncode == 0, outcome.output
    assert "saxpy-cuda 1.2, built for MUSA: saxpy/libsaxpy.so" in outcome.output
    assert "compiled by the CUDA toolkit's nvcc: 1 source" in outcome.output
    assert saxpy.wheel().name == "saxpy_cuda-1.2-1musa-py3-none-linux_x86_64.whl"
    # The package does not use PyTorch: "cuda" is a word of its own.
    assert use(saxpy, tmp_path, USE_SAXPY) == f"True {NUMBER} cuda"
    assert contents(saxpy.folder, ("build", "dist")) == before


@pytest.mark.slow
def test_scikit_build_core_again_and_for_other_devices(saxpy: Project) -> None:
    assert pip_wheel(saxpy).returncode == 0
    again = pip_wheel(saxpy)
    assert "no work to do" in again.output and "nvcc: 1 source" in again.output, again.output
    for_the_cpu = pip_wheel(saxpy, CMAKE_ARGS="-DSAXPY_CUDA=OFF")
    assert for_the_cpu.returncode != 0 and "is for the CPU alone: no device code was compiled" in for_the_cpu.output
    assert "found:  no call of the toolkit's nvcc that compiles a source, and saxpy/libsaxpy.so" in for_the_cpu.output
    if NVIDIA.exists():
        for_nvidia = pip_wheel(saxpy, CMAKE_ARGS=f"-DCMAKE_CUDA_COMPILER={NVIDIA}")
        assert for_nvidia.returncode != 0 and "has code for NVIDIA cards" in for_nvidia.output, for_nvidia.output


@pytest.mark.slow
def test_an_unpacked_source_distribution_and_a_second_build(saxpy: Project) -> None:
    """pip unpacks archives into a new folder each time; the objects stay."""
    archive = shutil.make_archive(str(saxpy.folder.parent / "saxpy_cuda-1.2"), "gztar", saxpy.folder.parent, "package")
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", "dist", archive)
    first = saxpy.run("-m", "pip", "wheel", "-v", *options)
    assert first.returncode == 0 and "Building CUDA object" in first.output, first.output
    second = saxpy.run("-m", "pip", "wheel", "-v", *options)
    assert second.returncode == 0 and "no work to do" in second.output, second.output
    other_cards = saxpy.run("-m", "pip", "wheel", "-v", *options, TORCH_MUSA_ARCH_LIST="31")
    assert "Building CUDA object" in other_cards.output, other_cards.output


@pytest.mark.slow
def test_an_isolated_build_that_needs_no_torch(saxpy: Project, tmp_path: Path) -> None:
    """pip's isolation is a sitecustomize that takes the environment's packages out of sys.path."""
    overlay = tmp_path / "pip-build-env-a1b2c3d4" / "overlay"
    overlay.mkdir(parents=True)
    for name in ("scikit_build_core", "packaging", "pathspec"):
        module = __import__(name)
        (overlay / name).symlink_to(Path(str(module.__file__)).parent)
    (overlay / "sitecustomize.py").write_text(
        "import sys\n"
        f"sys.path[:] = [p for p in sys.path if 'site-packages' not in p] + [{str(overlay)!r}]\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if '__editable__' not in str(f)]\n"
    )
    program = "from scikit_build_core import build; import sys; print('wheel', build.build_wheel('dist'))"
    (saxpy.folder / "dist").mkdir()
    cmake, ninja = pytest.importorskip("cmake"), pytest.importorskip("ninja")
    path = os.pathsep.join([cmake.CMAKE_BIN_DIR, ninja.BIN_DIR, saxpy.environment["PATH"]])
    outcome = saxpy.run("-c", program, PYTHONPATH=str(overlay), PATH=path)
    assert outcome.returncode == 0, outcome.output
    assert "wheel saxpy_cuda-1.2-1musa-py3-none-linux_x86_64.whl" in outcome.output
    shutil.copy(Path(__file__).parent.parent / "packages/scikit_build_torch/csrc/double.h", saxpy.folder / "csrc")
    outcome = saxpy.run("-c", program, PYTHONPATH=str(overlay))
    assert outcome.returncode != 0 and "csrc/double.h uses PyTorch" in outcome.output, outcome.output


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ('subprocess.check_call(["cmake", source])', True),
        ("os.system(f'''\n  cd {folder}\n  cmake {options} {source}\n  make\n''')", True),
        ('os.system("mkdir -p build && cmake -S . -B build")', True),
        ('subprocess.run("cmake ..", shell=True)', True),
        ('os.system("cmake %s" % source)', True),
        ('subprocess.run("cmake " + options, shell=True)', True),
        ('subprocess.run("(cd build && cmake ..)", shell=True)', True),
        ('subprocess.run("(cmake ..)", shell=True)', True),
        ('os.system("CC=gcc env X=1 cmake ..")', True),
        ('os.system("cmake3 ..")', True),
        ('check_call(["cmake3", ".."])', True),
        ('os.system("nocmake ..")', False),
        ('subprocess.run("make")\nraise RuntimeError("cmake is required")', False),
        ("# cmake -S .\nos.system('make')", False),
        ('"""\ncmake -S . builds the tests\n"""', False),
        ('os.system("cmake -S .")\nCUDAExtension("x", [])', False),
        ('"""\ncmake -S . builds the tests\n"""\nversion = check_output(["git", "describe"])', False),
        ('try:\n    run("make")\nexcept OSError:\n    print(\n        "cmake -S . fails")', False),
        ('log.error("cmake .. failed")\nsubprocess.run("make")', False),
        ('subprocess.run("make")\nraise RuntimeError("cmake .. failed")', False),
        ('"""cmake .. is run"""\ncommand = f"""\n  cmake {source}\n"""\nos.system(command)', True),
        ("print 'Python 2'\nos.system('cmake ..')", True),
    ],
)
def test_which_setup_py_runs_cmake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, runs: bool) -> None:
    monkeypatch.chdir(tmp_path)
    Path("setup.py").write_text(text)
    assert runs_cmake() == runs


def test_a_setup_py_that_runs_cmake(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    project = new_project("setuptools_cmake_cuda")
    outcome = pip_wheel(project)
    assert outcome.returncode == 0 and "nvcc: 1 source" in outcome.output, outcome.output
    assert "-1musa-" in project.wheel().name and use(project, tmp_path, USE_SQUARES) == "True"


@pytest.mark.slow
def test_other_commands_of_a_setup_py_that_runs_cmake(new_project: Callable[[str], Project]) -> None:
    project = new_project("setuptools_cmake_cuda")
    in_place = editable(project, "setuptools.build_meta")
    assert in_place.returncode == 0 and "nvcc: 1 source" in in_place.output, in_place.output
    refused = project.setup("build_ext", "--inplace")
    assert refused.returncode != 0 and "found:  setup.py build_ext --inplace" in refused.output, refused.output
    assert "or python setup.py bdist_wheel" in refused.output
    directly = project.setup("bdist_wheel", "--dist-dir=dist")
    assert directly.returncode == 0 and "nvcc: 1 source" in directly.output, directly.output
    assert "-1musa-" in project.wheel().name


@pytest.mark.parametrize(
    ("words", "folder", "others"),
    [
        (["bdist_wheel"], "dist", ("bdist_wheel",)),
        (["bdist_wheel", "-d", "out", "--universal"], "out", ("bdist_wheel", "--universal")),
        (["bdist_wheel", "-v", "--dist-dir=/a b"], "/a b", ("bdist_wheel", "-v")),
    ],
)
def test_commands_that_make_a_wheel(words: list[str], folder: str, others: tuple[str, ...]) -> None:
    assert wheel_command(words) == WheelCommand(Path(folder), others)


@pytest.mark.parametrize("words", [[], ["install"], ["build", "bdist_wheel"], ["-q", "bdist_wheel"], ["egg_info"]])
def test_commands_that_make_no_wheel_or_more(words: list[str]) -> None:
    assert wheel_command(words) is None


NVCC_HELPER = """
import os, shutil
from setuptools.command.build_ext import build_ext
def toolkit():
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise RuntimeError("no nvcc")
    return nvcc, os.path.dirname(os.path.dirname(nvcc))
class BuildExt(build_ext):
    def build_extensions(self):
        self.compiler.src_extensions.append(".cu")
        host, compile_one = self.compiler.compiler_so, self.compiler._compile
        def compile(obj, src, ext, cc_args, flags, pp_opts):
            is_cuda = src.endswith(".cu")
            self.compiler.set_executable("compiler_so", [toolkit()[0]] if is_cuda else host)
            compile_one(obj, src, ext, cc_args, flags["nvcc" if is_cuda else "gcc"], pp_opts)
        self.compiler._compile = compile
        super().build_extensions()
"""
NVCC_SETUP = """
from setuptools import Extension, setup
from helper_of_setup import BuildExt, toolkit
flags = {"gcc": ["-O1"], "nvcc": ["--compiler-options", "'-fPIC'"]}
squares = Extension("squares", ["src/module.c", "src/squares.cu"], extra_compile_args=flags, language="c++",
                    libraries=["cudart"], library_dirs=[toolkit()[1] + "/lib64"])
setup(name="squares-nvcc", version="2", ext_modules=[squares], cmdclass={"build_ext": BuildExt})
"""


@pytest.mark.slow
def test_a_setup_py_that_runs_nvcc_by_each_way_of_pip(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    project = new_project("setuptools_cmake_cuda")
    (project.folder / "CMakeLists.txt").unlink()
    (project.folder / "setup.py").write_text(NVCC_SETUP)
    (project.folder / "helper_of_setup.py").write_text(NVCC_HELPER)
    metadata = project.setup("egg_info", PYTHONPATH=".")  # setup.py asks for the toolkit before setup()
    assert metadata.returncode == 0, metadata.output
    # In the manner of pip before 25.3, which imports setuptools and then runs a command of setup.py.
    program = "import sys, setuptools; sys.argv[0] = 'setup.py'; sys.path.insert(0, ''); exec(open('setup.py').read())"
    by_command = project.run("-c", program, "bdist_wheel", "-d", "dist")
    assert by_command.returncode == 0 and "nvcc: 1 source" in by_command.output, by_command.output
    assert "-1musa-" in project.wheel().name and use(project, tmp_path / "first", USE_SQUARES) == "True"
    project.wheel().unlink()
    by_hooks = pip_wheel(project, PYTHONPATH=".")
    assert by_hooks.returncode == 0 and "nvcc: 1 source" in by_hooks.output, by_hooks.output
    assert use(project, tmp_path / "second", USE_SQUARES) == "True"


UNSEEN_SETUP = """
import importlib.util, os
{imports}
from setuptools import setup
from setuptools.command.build_py import build_py
spec = importlib.util.spec_from_file_location("helper", "tools/helper.py")
helper = importlib.util.module_from_spec(spec)
spec.loader.exec_module(helper)
class BuildLibrary(build_py):
    def run(self):
        super().run()
        helper.compile_library(os.path.join(self.build_lib, "squares", "libsquares.so"))
setup(name="squares-library", version="2", packages=["squares"], cmdclass={{"build_py": BuildLibrary}})
"""
UNSEEN_HELPER = """
import subprocess
def compile_library(output):
    subprocess.check_call(["nvcc", "-O1", "-shared", "-Xcompiler", "-fPIC", "src/squares.cu", "-o", output])
"""
USE_LIBRARY = """
import ctypes, os, squares
values = (ctypes.c_int * 300)()
library = ctypes.CDLL(os.path.join(os.path.dirname(squares.__file__), "libsquares.so"))
print(library.squares_on_device(300, values), list(values) == [i * i for i in range(300)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("imports", ["", "import torch"])
def test_a_setup_py_that_runs_nvcc_where_no_look_at_it_shows_that(
    new_project: Callable[[str], Project], tmp_path: Path, imports: str
) -> None:
    """It asks for no extension at any level. The wheel shows what was compiled."""
    project = new_project("setuptools_cmake_cuda")
    (project.folder / "CMakeLists.txt").unlink()
    for name, text in {
        "setup.py": UNSEEN_SETUP.format(imports=imports),
        "tools/helper.py": UNSEEN_HELPER,
        "squares/__init__.py": "",
    }.items():
        (project.folder / name).parent.mkdir(exist_ok=True)
        (project.folder / name).write_text(text)
    outcome = pip_wheel(project)
    assert outcome.returncode == 0 and "nvcc: 1 source" in outcome.output, outcome.output
    assert "trying level 5 (COMMANDS)" in outcome.output
    assert use(project, tmp_path / "used", USE_LIBRARY) == "0 True"
    project.wheel().unlink()
    (project.folder / "tools/helper.py").write_text("def compile_library(output):\n    open(output, 'w').close()\n")
    refused = pip_wheel(project)
    assert refused.returncode != 0 and "is for the CPU alone: no device code" in refused.output, refused.output
    (project.folder / "prebuilt").mkdir()
    (project.folder / "prebuilt/libsquares.so").write_bytes(b"\x7fELF libcudart.so.12")
    copying = "import shutil\ndef compile_library(output):\n    shutil.copy('prebuilt/libsquares.so', output)\n"
    (project.folder / "tools/helper.py").write_text(copying)
    refused = pip_wheel(project)
    assert refused.returncode != 0 and "has code for NVIDIA cards" in refused.output, refused.output
    assert "the project brings prebuilt/libsquares.so as it is" in " ".join(refused.output.split()), refused.output


@pytest.mark.parametrize(
    ("files", "runs"),
    [
        ({"setup.py": 'subprocess.call(["nvcc", "-c", source])'}, True),
        ({"setup.py": "os.system('nvcc -c ' + source)"}, True),
        ({"setup.py": 'os.system(f"{home}/bin/nvcc -c {source}")'}, True),
        ({"setup.py": "from tools import x", "tools.py": "nvcc = shutil.which('nvcc')"}, True),
        ({"setup.py": "import other", "tools.py": "nvcc = shutil.which('nvcc')"}, False),
        ({"setup.py": 'Extension("x", [], extra_compile_args={"nvcc": [], "gcc": []})'}, False),
        ({"setup.py": 'flags = postargs["nvcc"] + args.get("nvcc", [])'}, False),
        ({"setup.py": 'import torch\nsubprocess.call(["nvcc", "-c", source])'}, False),
        ({"setup.py": "import tools\ncall(['nvcc'])", "tools.py": "from torch.utils import cpp_extension"}, False),
        ({"setup.py": '"""\nnvcc -c\n"""\nprint("nvcc is missing")'}, False),
        ({"setup.py": '# call(["nvcc"])'}, False),
        ({"setup.py": 'call(["nvcc"])', "k.cu": "", "pk.py": "cupy.RawModule(code=text)"}, True),
        ({"setup.py": 'check_call(["make", "-j"])', "src/Makefile": "all:\n\tnvcc x.cu\n"}, True),
        ({"setup.py": 'check_call("make -j", shell=True)', "src/Makefile": "all:\n\tgcc x.c\n"}, False),
        ({"setup.py": "", "src/Makefile": "all:\n\tnvcc x.cu\n"}, False),
    ],
)
def test_which_setup_py_runs_nvcc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], runs: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    assert runs_nvcc() == runs


SCIKIT_BUILD = """
from skbuild import setup
setup(name="squares-skbuild", version="1", packages=["squares_in"], cmake_install_dir="squares_in")
"""
NANOBIND_CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(squares LANGUAGES CXX CUDA)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
                OUTPUT_VARIABLE nanobind_ROOT)
find_package(nanobind CONFIG REQUIRED)
nanobind_add_module(squares NB_STATIC src/module.cpp src/squares.cu)
install(TARGETS squares LIBRARY DESTINATION .)
"""
NANOBIND_MODULE = """
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>
extern "C" int squares_on_device(int n, int *values);
NB_MODULE(squares, module) {
    module.def("squares", [](int n) {
        std::vector<int> values(n);
        if (squares_on_device(n, values.data())) throw std::runtime_error("CUDA failed");
        return values;
    });
}
"""
NANOBIND_PYPROJECT = """
[build-system]
requires = ["scikit-build-core", "nanobind"]
build-backend = "scikit_build_core.build"
[project]
name = "squares-nanobind"
version = "1"
[tool.scikit-build]
cmake.build-type = "None"  # none of CMake's: nanobind's own sources compile faster without optimisation
"""


def installed(name: str, version: str) -> str:
    try:
        return str(sdists.installed_package(name, version))
    except sdists.Unavailable as error:
        pytest.skip(str(error))


def editable(project: Project, build_system: str, **variables: str) -> Outcome:
    """Ask a build system for an editable install, as pip does."""
    program = f"from {build_system} import build_editable; build_editable('.')"
    return project.run("-c", program, **variables)


@pytest.mark.slow
def test_scikit_build_of_before(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    path = os.pathsep.join(installed(*each) for each in (("scikit-build", "0.19.1"), ("distro", "1.9.0")))
    project = new_project("setuptools_cmake_cuda")
    (project.folder / "setup.py").write_text(SCIKIT_BUILD)
    (project.folder / "squares_in").mkdir()
    (project.folder / "squares_in" / "__init__.py").write_text("from .squares import squares\n")
    with (project.folder / "CMakeLists.txt").open("a") as stream:
        stream.write("install(TARGETS squares LIBRARY DESTINATION .)\n")
    outcome = pip_wheel(project, PYTHONPATH=path)
    assert outcome.returncode == 0 and "nvcc: 1 source" in outcome.output, outcome.output
    assert use(project, tmp_path, USE_SQUARES.replace("import squares;", "import squares_in as squares;")) == "True"
    # It compiles nothing for an editable install, whatever a wheel before has left.
    outcome = editable(project, "setuptools.build_meta", PYTHONPATH=path)
    assert outcome.returncode != 0 and "hint:   install it without -e" in outcome.output, outcome.output


@pytest.mark.slow
def test_nanobind_and_an_editable_install(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed")
    path = installed("nanobind", "3.1.0")
    project = new_project("setuptools_cmake_cuda")
    for name in ("setup.py", "src/module.c"):
        (project.folder / name).unlink()
    for name, text in (
        ("CMakeLists.txt", NANOBIND_CMAKE),
        ("src/module.cpp", NANOBIND_MODULE),
        ("pyproject.toml", NANOBIND_PYPROJECT),
    ):
        (project.folder / name).write_text(text)
    outcome = pip_wheel(project, PYTHONPATH=path)
    assert outcome.returncode == 0 and "nvcc: 1 source" in outcome.output, outcome.output
    assert use(project, tmp_path, USE_SQUARES) == "True"
    outcome = editable(project, "scikit_build_core.build", PYTHONPATH=path)
    assert outcome.returncode == 0 and "nvcc: 1 source" in outcome.output, outcome.output


MESON = """
project('squares', 'c', 'cuda', version: '1')
py = import('python').find_installation(pure: false)
py.extension_module('squares', 'src/module.c', 'src/SOURCE', install: true,
    dependencies: [py.dependency(), dependency('cuda', modules: ['cudart'])])
"""
MESON_PYPROJECT = """
[build-system]
requires = ["meson-python"]
build-backend = "mesonpy"
[project]
name = "squares-meson"
version = "1"
"""


@pytest.mark.slow
def test_meson(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    pytest.importorskip("mesonpy", reason="meson-python is not installed")
    project = new_project("setuptools_cmake_cuda")
    for name in ("setup.py", "CMakeLists.txt"):
        (project.folder / name).unlink()
    (project.folder / "pyproject.toml").write_text(MESON_PYPROJECT)
    (project.folder / "meson.build").write_text(MESON.replace("SOURCE", "squares.cu"))
    outcome = pip_wheel(project)
    assert outcome.returncode == 0 and "nvcc: 1 source" in outcome.output, outcome.output
    assert use(project, tmp_path, USE_SQUARES) == "True"
    # Meson compiles and runs programs of its own to see whether nvcc works: they are no device code of the package.
    (project.folder / "src" / "stub.c").write_text(
        "int squares_on_device(int n, int *values) { return n + *values; }\n"
    )
    (project.folder / "meson.build").write_text(MESON.replace("SOURCE", "stub.c"))
    for_the_cpu = pip_wheel(project)
    assert for_the_cpu.returncode != 0 and "is for the CPU alone" in for_the_cpu.output, for_the_cpu.output


PATHS = 'find_package(Torch 2.0 REQUIRED PATHS "${torch_prefix}")'
TORCH_DIR = 'set(Torch_DIR "${torch_prefix}/Torch")\nfind_package(Torch 2.0 REQUIRED)'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("finds", "libraries"),
    [(PATHS, "${TORCH_LIBRARIES}"), (TORCH_DIR, "torch")],
    ids=["as a hint", "as Torch_DIR, and links the target alone"],
)
def test_a_package_that_finds_torch(
    finds: str, libraries: str, new_project: Callable[[str], Project], tmp_path: Path
) -> None:
    """PyTorch's own answer for CMake leads to the package for MUSA, whatever the project does with it."""
    pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed")
    project = new_project("scikit_build_torch")
    script = project.folder / "CMakeLists.txt"
    text = script.read_text(encoding="utf-8")
    assert PATHS in text and "${TORCH_LIBRARIES}" in text
    script.write_text(text.replace(PATHS, finds).replace("${TORCH_LIBRARIES}", libraries), encoding="utf-8")
    before = contents(project.folder, ("build", "dist"))
    outcome = pip_wheel(project)
    assert outcome.returncode == 0, outcome.output
    assert "nvcc: 1 source" in outcome.output and "ported: " in outcome.output
    assert use(project, tmp_path, USE_DOUBLING) == f"True {NUMBER} musa"
    assert contents(project.folder, ("build", "dist")) == before
    editable = project.run("-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "-e", ".")
    assert editable.returncode != 0 and "install it without -e" in editable.output, editable.output


def test_a_copy_follows_the_project_and_keeps_what_was_built(tmp_path: Path) -> None:
    project, copy = tmp_path / "project", tmp_path / "copy" / "project"
    for name in ("a.cu", "sub/b.cpp", "build/old.o", ".git/HEAD", "sub/build/kept.cmake", "env/pyvenv.cfg", "env/x.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(name)
    (project / "run.sh").write_text("")
    (project / "run.sh").chmod(0o755)
    copy_project(project, copy)
    assert set(contents(copy, ())) == {"a.cu", "sub/b.cpp", "sub/build/kept.cmake", "run.sh"}
    assert os.access(copy / "run.sh", os.X_OK)
    (copy / "a.o").write_text("an object")
    time = (copy / "a.cu").stat().st_mtime_ns
    (project / "sub/b.cpp").unlink()
    copy_project(project, copy)
    assert set(contents(copy, ())) == {"a.cu", "a.o", "sub/build/kept.cmake", "run.sh"}
    assert (copy / "a.cu").stat().st_mtime_ns == time


def test_only_outputs_that_are_there_or_new_count(tmp_path: Path) -> None:
    record, kept = tmp_path / "record", tmp_path / "kept.o"
    assert compiled_outputs(record, 0) == ()
    kept.write_text("")
    record.write_text(f"{kept}\n/gone.o\n{kept}\n/temporary.o\n")
    assert compiled_outputs(record, 3) == (str(kept), "/temporary.o")


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("CMakeLists.txt", "  find_package( Torch REQUIRED)\n", True),
        ("cmake/deps.cmake", "if(X)\n  FIND_PACKAGE(Torch)\nendif()\n", True),
        ("CMakeLists.txt", "# find_package(Torch)\nfind_package(TorchVision)\n", False),
        ("a/k.cu", "#include <ATen/ATen.h>\n", True),
        ("a/k.cpp", '  #  include "torch/extension.h"\n', True),
        ("a/k.cpp", "// #include <torch/extension.h>\n#include <torchlight/x.h>\n", False),
        ("tests/k.cpp", "#include <torch/extension.h>\n", False),
    ],
)
def test_which_projects_use_pytorch(tmp_path: Path, name: str, text: str, found: bool) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    assert torch_in_project(tmp_path) == (name if found else "")
