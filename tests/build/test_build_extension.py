"""BuildExtension from outside: real projects, the real simulated SDK, and the built modules at work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from demo_project import KERNEL, Project, check_kernel
from packaging.version import Version

from musa_build.environment.torch_info import TorchInfo

LIMITED = """
#include <Python.h>
#ifndef Py_LIMITED_API
#error the limited API was requested
#endif
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "limited"};
PyMODINIT_FUNC PyInit_limited() { return PyModule_Create(&definition); }
"""


def build_directory(project: Project) -> Path:
    (directory,) = (project.root / "build").glob("temp.*")
    return directory


def test_builds_runs_and_rebuilds_only_what_changed(project: Project) -> None:
    project.write("csrc/alone.cpp", "int alone() { return 1; }\n")
    sources = '["csrc/bindings.cpp", "csrc/kernel.mu", "csrc/alone.cpp"]'

    def configure(flags: str) -> None:
        project.configure(extensions=f'MUSAExtension("demo", {sources}, include_dirs=["include"], {flags})')

    configure('extra_compile_args={"cxx": [], "mcc": []}')
    first = project.built()
    assert first.compiled == ["c++ csrc/alone.cpp", "c++ csrc/bindings.cpp", "mcc csrc/kernel.mu"]
    assert "building for the simulator (MUSA SDK on the CPU)" in first.output
    check_kernel(project.load())

    again = project.built()
    assert again.steps == [] and "no work to do" in again.output

    project.write("include/common.h", "#pragma once\n#define OFFSET 7\n")
    edited = project.built()
    assert edited.compiled == ["c++ csrc/bindings.cpp", "mcc csrc/kernel.mu"] and edited.linked == 1
    module = project.load()
    check_kernel(module, offset=7)
    assert module.flags() == (7, 0, 0, 0)

    configure('extra_compile_args={"cxx": [], "mcc": ["-DMCC_FLAG=3"]}')
    assert project.built().compiled == ["mcc csrc/kernel.mu"]
    assert project.load().flags() == (7, 0, 3, 0)


def test_compile_commands_beside_the_ninja_file(project: Project) -> None:
    verbose = project.built(MUSA_BUILD_VERBOSE="1", CC="gcc")
    assert "bin/mcc -MD -MF" in verbose.output and "-shared" in verbose.output, "whole commands"
    entries = json.loads((build_directory(project) / "compile_commands.json").read_text())
    commands = {entry["file"]: entry["arguments"] for entry in entries}
    assert set(commands) == {"csrc/bindings.cpp", "csrc/kernel.mu"}
    mcc = commands["csrc/kernel.mu"]
    assert mcc[0].endswith("bin/mcc") and mcc[mcc.index("-x") + 1] == "musa"
    assert {"--offload-arch=mp_22", "-fPIC", "-U__CUDA__", "-O2", "-DTORCH_EXTENSION_NAME=demo"} <= set(mcc)
    assert [flag for flag in mcc if "-std=" in flag] == [f"-std={TorchInfo.find().cxx_floor}"]
    assert not any(flag.startswith(("-march", "-ccbin")) or "/usr/local/musa" in flag for flag in mcc)
    # Python's own -g would make the object fifty times larger
    assert "-g" not in commands["csrc/bindings.cpp"] or "-g0" in commands["csrc/bindings.cpp"]
    for entry in entries:
        assert entry["directory"] == str(project.root)


def test_compile_commands_in_the_root_where_asked(project: Project) -> None:
    project.built()
    assert not (project.root / "compile_commands.json").exists()
    project.write("pyproject.toml", "[tool.musa-build]\ncompile-commands = true\n")
    assert project.built().compiled == []
    written = (project.root / "compile_commands.json").read_text()
    assert written == (build_directory(project) / "compile_commands.json").read_text()


def test_pybind_in_a_mu_is_worth_a_line(project: Project) -> None:
    project.write("include/pybind11/pybind11.h", "#pragma once\n")
    project.write("csrc/kernel.mu", "#include <pybind11/pybind11.h>\n" + KERNEL)
    said = "csrc/kernel.mu: mcc reads <pybind11/pybind11.h> 3 times"
    assert project.built(TORCH_MUSA_ARCH_LIST="22;31").output.count(said) == 1
    assert said not in project.built(TORCH_MUSA_ARCH_LIST="22;31").output, "once, where the graph is made"


def test_same_names_in_one_graph(project: Project) -> None:
    """kernel.cpp beside kernel.mu, bindings.cpp in two folders, two extensions that share a source."""
    project.write("csrc/kernel.cpp", "int kernel_cpp() { return 1; }\n")
    project.write("other/bindings.cpp", "int other_bindings() { return 2; }\n")
    sources = ["csrc/bindings.cpp", "csrc/kernel.mu", "csrc/kernel.cpp", "other/bindings.cpp"]
    flags = {"demo": {"mcc": ["-DMCC_FLAG=1"]}, "demo2": {"mcc": ["-DMCC_FLAG=2"], "cxx": ["-DMODULE=PyInit_demo2"]}}
    project.configure(
        extensions=", ".join(
            f'MUSAExtension("{name}", {sources}, include_dirs=["include"], extra_compile_args={flags[name]})'
            for name in flags
        )
    )
    built = project.built()
    assert len(built.compiled) == 8 and built.linked == 2
    assert project.load("demo").flags()[2] == 1 and project.load("demo2").flags()[2] == 2
    assert project.built().steps == []


def test_spaces_quotes_and_dollars(make_project: Callable[[Path], Project], tmp_path: Path) -> None:
    project = make_project(tmp_path / "a $b $ c: d")
    project.write("in clude/$x/common.h", "#pragma once\n#define OFFSET (TEXT[0] == '$' && TEXT[1] == '\"')\n")
    text = '-DTEXT="$\\" a\'b;"'
    project.configure(
        extensions='MUSAExtension("demo", ["csrc/bindings.cpp", "csrc/ker nel.mu"], include_dirs=["in clude/$x"], '
        f"extra_compile_args=[{text!r}], extra_link_args=['-Wl,-rpath,$ORIGIN/my lib'])"
    )
    project.write("csrc/ker nel.mu", KERNEL)
    project.built()
    assert project.load().flags()[0] == 1
    (library,) = project.root.glob("demo*.so")
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    assert "$ORIGIN/my lib" in dynamic and "$ORIGIN/torch/lib" in dynamic
    assert project.built().steps == []
    (project.root / "in clude/$x/common.h").touch()
    assert len(project.built().compiled) == 2


def test_sources_outside_the_project_stay_inside_the_build_directory(project: Project, tmp_path: Path) -> None:
    project.write("../beside/kernel.mu", KERNEL)
    absolute = tmp_path / "beside" / "kernel.mu"
    for spelled in ("../beside/kernel.mu", str(absolute)):
        sources = ["csrc/bindings.cpp", spelled]
        project.configure(extensions=f'MUSAExtension("demo", {sources}, include_dirs=["include"])')
        project.built()
        check_kernel(project.load(), sizes=(5,))
    assert sorted(path.name for path in absolute.parent.iterdir()) == ["kernel.mu"]


def test_force_mcc_keeps_the_flags_of_cxx(project: Project) -> None:
    project.write("include/four.h", "#define CXX_FLAG 4\n")
    project.write("include/five.h", "#define MCC_FLAG 5\n")
    cxx, mcc = '["force_mcc", "-include", "include/four.h"]', '["-include", "include/five.h"]'
    project.configure(f'extra_compile_args={{"cxx": {cxx}, "mcc": {mcc}}}')
    built = project.built()
    assert built.compiled == ["mcc csrc/bindings.cpp", "mcc csrc/kernel.mu"]
    assert project.load().flags() == (1, 4, 5, 1)


def test_without_ninja_the_result_is_the_same(project: Project) -> None:
    project.configure(
        'extra_compile_args={"cxx": ["force_mcc", "-DCXX_FLAG=4"], "mcc": ["-DMCC_FLAG=5"]}',
        command="BuildExtension.with_options(use_ninja=False)",
    )
    built = project.built()
    assert built.compiled == ["mcc csrc/bindings.cpp", "mcc csrc/kernel.mu"] and built.linked == 1
    module = project.load()
    assert module.flags() == (1, 4, 5, 1)
    check_kernel(module)
    assert not list(project.root.rglob("build.ninja"))


def test_cu_sources_and_nvcc_flags_need_no_cuda(project: Project) -> None:
    project.write("csrc/kernel.cu", KERNEL)
    project.configure(
        extensions='MUSAExtension("demo", ["csrc/bindings.cpp", "csrc/kernel.cu"], include_dirs=["include"], '
        'extra_compile_args={"nvcc": ["-gencode", "arch=compute_80,code=sm_80", "-DMCC_FLAG=6"]})'
    )
    built = project.built(CUDA_HOME=None)
    assert built.compiled == ["c++ csrc/bindings.cpp", "mcc csrc/kernel.cu"]
    assert "nvcc's flag -gencode arch=compute_80,code=sm_80: dropped" in built.output
    check_kernel(project.load(), sizes=(64,))


def test_a_plain_setuptools_extension_builds_too(project: Project) -> None:
    """Projects list C extensions beside ours: they must not get our libraries, nor an SDK they do not need."""
    project.write(
        "csrc/plain.c",
        "#include <Python.h>\n"
        'static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "plain"};\n'
        "PyMODINIT_FUNC PyInit_plain(void) { int class = 0; return class ? 0 : PyModule_Create(&definition); }\n",
    )
    project.configure(extensions='Extension("plain", ["csrc/plain.c"])')
    built = project.built(MUSA_HOME="/nowhere")
    assert built.compiled == ["cc csrc/plain.c"] and built.linked == 1
    again = project.built(MUSA_HOME="/nowhere")
    assert again.steps == [] and "building 'plain' extension" not in again.output, "the graph stands"
    assert project.load("plain").__name__ == "plain"


def test_a_project_that_overrides_build_extension(project: Project) -> None:
    project.configure(
        command="Own",
        prelude="import os\n"
        "class Own(BuildExtension):\n"
        "    def build_extension(self, ext):\n"
        "        ext.sources.append('csrc/added.cpp')\n"
        "        ext.extra_compile_args['cxx'].append('-DCXX_FLAG=9')\n"
        "        super().build_extension(ext)\n"
        "        print('there:', os.path.exists(self.get_ext_fullpath(ext.name)))\n",
    )
    project.write("csrc/added.cpp", "int added() { return 1; }\n")
    built = project.built()
    assert "there: True" in built.output and "c++ csrc/added.cpp" in built.compiled
    assert project.load().flags()[1] == 9


def test_single_files_go_to_mcc_and_the_cards_choose_the_architecture(project: Project) -> None:
    project.configure('force_mcc=["bind*.cpp"], extra_compile_args={"cxx": ["-DCXX_FLAG=3"]}')
    built = project.built(TORCH_MUSA_ARCH_LIST=None, MUSA_SIM_DEVICES="mp_31")
    assert built.compiled == ["mcc csrc/bindings.cpp", "mcc csrc/kernel.mu"]
    assert "compiling for mp_31 (the cards in this machine)" in built.output
    without_cards = project.built(TORCH_MUSA_ARCH_LIST=None, MUSA_SIM_DEVICES="0")
    assert "compiling for mp_22 (the default, because there is no card in this machine)" in without_cards.output
    project.built(TORCH_MUSA_ARCH_LIST=None, MUSA_SIM_DEVICES="mp_31")
    assert project.load().flags()[1:] == (3, 0, 1)


def test_device_code_of_two_files(project: Project) -> None:
    """`dlink=True`: a kernel calls a function that another file defines."""
    kernel = (project.root / "csrc/kernel.mu").read_text()
    called = "__device__ float scaled(float value, float factor)"
    project.write("csrc/kernel.mu", f"{called};\n{kernel.replace('factor * values[i]', 'scaled(values[i], factor)')}")
    project.write("csrc/scaled.mu", f"{called} {{ return factor * value; }}\n")
    project.configure(
        extensions='MUSAExtension("demo", ["csrc/bindings.cpp", "csrc/kernel.mu", "csrc/scaled.mu"], '
        'include_dirs=["include"], dlink=True, extra_compile_args={"mcc": ["-fgpu-rdc"]})'
    )
    built = project.built()
    assert "demo: mcc device link" in built.steps
    values = np.arange(5, dtype=np.float32)
    assert project.load().affine_(values, 3.0) == 0
    assert values.tolist() == [1, 4, 7, 10, 13]
    project.write("csrc/scaled.mu", "\n")
    failed = project.build()
    assert failed.returncode == 1
    assert "error: undefined reference to 'scaled(float, float)' in " in failed.output


def test_names_of_the_built_files(project: Project) -> None:
    project.configure(command="BuildExtension.with_options(no_python_abi_suffix=True)")
    project.built()
    assert (project.root / "demo.so").is_file()
    if Version(TorchInfo.find().version).release < (2, 6):
        return  # its BuildExtension does not know the limited API
    project.write("csrc/limited.cpp", LIMITED)
    project.configure(extensions='MUSAExtension("limited", ["csrc/limited.cpp"], py_limited_api=True)')
    project.built()
    assert next(project.root.glob("limited.abi3*.so")).is_file()
    ninja_lines = (build_directory(project) / "build.ninja").read_text().splitlines()
    (link,) = [line for line in ninja_lines if "-shared" in line]
    assert "-ltorch_cpu" in link and "-ltorch_python" not in link


def test_the_same_extension_objects_twice_and_the_callers_values_untouched(project: Project) -> None:
    project.configure(
        'define_macros=[("N", 1)], extra_compile_args=flags, libraries=None, extra_link_args=()',
        prelude='flags = {"cxx": ("force_mcc", "-DCXX_FLAG=4"), "mcc": None}\nbefore = repr(flags)\n',
        epilogue="print('untouched:', repr(flags) == before)",
    )
    outcome = project.script("setup.py", "build_ext", "--inplace", "bdist_wheel")
    assert outcome.returncode == 0, outcome.output
    assert "untouched: True" in outcome.output
    assert outcome.compiled == ["mcc csrc/bindings.cpp", "mcc csrc/kernel.mu"]
    assert project.load().flags()[1] == 4


def test_several_architectures_build_and_run(project: Project) -> None:
    project.built(TORCH_MUSA_ARCH_LIST="21;22;31")
    commands = (build_directory(project) / "compile_commands.json").read_text()
    assert all(f"--offload-arch=mp_{number}" in commands for number in (21, 22, 31))
    check_kernel(project.load())


def test_an_old_standard_is_raised_to_what_torch_needs(project: Project) -> None:
    project.configure('extra_compile_args={"cxx": ["-std=c++14"], "mcc": ["-std=c++14", "-DMCC_FLAG=__cplusplus"]}')
    built = project.built()
    floor = TorchInfo.find().cxx_floor
    assert f"needs -std={floor}, not c++14" in built.output and built.output.count("needs -std=") == 1
    assert project.load().flags()[2] >= {"c++17": 201703, "c++20": 202002}[floor]


def test_a_source_listed_twice_is_refused(project: Project) -> None:
    project.configure(extensions='MUSAExtension("demo", ["csrc/kernel.mu", "csrc/kernel.mu"])')
    outcome = project.build()
    assert outcome.returncode == 1 and "error: a source of demo is listed twice" in outcome.output
    assert "Traceback" not in outcome.output


def test_editable_and_wheel_share_objects(project: Project) -> None:
    """Both through the build backend, as pip does it; the second compiles nothing."""
    for kind in ("editable", "wheel"):
        project.write(f"build_{kind}.py", f"import setuptools.build_meta as backend\nbackend.build_{kind}('dist')\n")
    first = project.script("build_editable.py")
    assert first.returncode == 0 and len(first.compiled) == 2, first.output
    assert project.script("build_editable.py").steps == []
    wheel = project.script("build_wheel.py")
    assert wheel.returncode == 0 and wheel.steps == [], wheel.output
    assert len(list((project.root / "dist").glob("*.whl"))) >= 1


def test_editable_builds_where_the_project_says(project: Project) -> None:
    project.write("editable.py", "import setuptools.build_meta as backend\nbackend.build_editable('dist')\n")
    project.configure(extensions='Extension("demo", ["csrc/plain.cpp"])')
    project.write("csrc/plain.cpp", "#include <Python.h>\n")
    for table, option, folder in (("build_ext", "temp", "one"), ("build", "temp", "two"), ("build", "base", "three")):
        project.write("setup.cfg", f"[{table}]\nbuild_{option} = {folder}\n")
        outcome = project.script("editable.py")
        assert outcome.returncode == 0 and len(outcome.compiled) == 1, outcome.output
        assert len(list((project.root / folder).rglob("build.ninja"))) == 1
    assert not (project.root / "build").exists()


@pytest.mark.slow
def test_pip_installs_without_isolation(project: Project, tmp_path: Path) -> None:
    install = ("-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--target")
    outcome = project.run(*install, str(tmp_path / "site"), ".")
    assert outcome.returncode == 0, outcome.output
    assert list((tmp_path / "site").glob("demo.*.so"))


@pytest.mark.skipif(shutil.which("ccache") is None, reason="there is no ccache here")
def test_ccache_shares_results_between_folders(make_project: Callable[[Path], Project], tmp_path: Path) -> None:
    cache_directory = {"CCACHE_DIR": str(tmp_path / "ccache")}
    cache = {"MUSA_BUILD_LAUNCHER": "ccache", **cache_directory}

    def hits_and_misses() -> tuple[int, int]:
        environment = {**os.environ, **cache_directory}
        said = subprocess.run(
            ["ccache", "--print-stats"], env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        counts = dict(line.split("\t") for line in said.stdout.splitlines())
        return int(counts["direct_cache_hit"]), int(counts["cache_miss"])

    first = make_project(tmp_path / "one" / "project")
    first.built(**cache)
    assert hits_and_misses() == (0, 2), "bindings.cpp and kernel.mu"
    second = make_project(tmp_path / "other place" / "project")
    assert second.built(**cache).compiled == ["c++ csrc/bindings.cpp", "mcc csrc/kernel.mu"]
    assert hits_and_misses() == (2, 2)
    check_kernel(second.load())

    second.write("include/common.h", "#pragma once\n#define OFFSET 7\n")
    second.built(**cache)
    assert hits_and_misses() == (2, 4), "a changed header is seen"
    check_kernel(second.load(), offset=7)
    second.built(**cache, TORCH_MUSA_ARCH_LIST="22;31")
    assert hits_and_misses() == (2, 5), "so is another architecture"


@pytest.mark.slow
def test_a_build_with_nothing_new_to_plan_does_not_import_torch(project: Project) -> None:
    """Changed sources are ninja's business; anything that decides commands means asking torch again."""
    project.configure(prelude="import atexit, sys\natexit.register(lambda: print('torch:', 'torch' in sys.modules))")

    def built(**environment: Optional[str]) -> tuple[bool, int]:
        done = project.run("setup.py", "build_ext", "--inplace", **environment)
        assert done.returncode == 0, done.output
        return "torch: True" in done.output, len(done.compiled)

    assert built() == (True, 2)
    assert built() == (False, 0)
    project.write("include/common.h", "#pragma once\n#define OFFSET 6\n")
    assert built(MAX_JOBS="1") == (False, 2)
    check_kernel(project.load(), offset=6)
    assert built(TORCH_MUSA_ARCH_LIST="31") == (True, 1)
    assert built(TORCH_MUSA_ARCH_LIST="31") == (False, 0)
    (build_directory(project) / "build.ninja").write_text("# not ours\n")
    assert built(TORCH_MUSA_ARCH_LIST="31") == (True, 0)
    (project.root / "csrc/kernel.mu").unlink()
    missing = project.build(TORCH_MUSA_ARCH_LIST="31")
    assert missing.returncode == 1 and "a source of demo does not exist" in missing.output
