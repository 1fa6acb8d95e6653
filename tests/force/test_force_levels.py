"""The level of a package, how much of CUDA it must find, is found by trying, and reported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Outcome, Project

from musa_build.force_musa.project_files import cuda_sources
from musa_build.force_musa.setup_script import variables_read

# Nothing is compiled: the command that would do so only notes its arguments.
HEAD = """
import os, sys
runs = open(os.path.join(os.environ["RUNS"]), "a"); print(sys.argv[1:], os.getcwd(), file=runs); runs.close()
open("generated.py", "a").write("#")
import torch
from setuptools import setup
"""
ASK = """
from torch.utils.cpp_extension import BuildExtension, CUDAExtension, CppExtension
class Telling(BuildExtension):
    def build_extensions(self):
        print("asked for", [extension.name for extension in self.extensions])
"""
END = """
setup(name="demo", version="1.0" + (".post1" if torch.cuda.is_available() else ""), py_modules=["demo"],
      ext_modules=extensions, cmdclass={"build_ext": Telling})
"""
CONDITION = HEAD + ASK + """
from torch.utils.cpp_extension import CUDA_HOME
extensions = [CppExtension("host", ["host.cpp"])]
if CONDITION:
    extensions.append(CUDAExtension("kernels", ["kernels.cu"]))
""" + END  # fmt: skip
CONDITIONS = {
    1: 'os.environ.get("FORCE_CUDA") == "1"',
    2: "torch.cuda.is_available() and torch.cuda.get_device_properties(torch.cuda.current_device()).major > 7",
    3: "torch.cuda.is_available() and CUDA_HOME is not None",
}
RAISES = HEAD + """
if not torch.cuda.is_available():
    raise RuntimeError("this package needs CUDA")
""" + ASK + 'extensions = [CUDAExtension("kernels", ["kernels.cu"])]' + END  # fmt: skip
EXITS = RAISES.replace('raise RuntimeError("this package needs CUDA")', 'sys.exit("this package needs CUDA")')
IMPORTS_LATE = HEAD + """
extensions = []
Telling = None
if torch.version.cuda:
""" + (ASK + 'extensions = [CUDAExtension("kernels", ["kernels.cu"])]').replace("\n", "\n    ") + END.replace(
    'cmdclass={"build_ext": Telling}', 'cmdclass={"build_ext": Telling} if Telling else {}'
)  # fmt: skip
SWALLOWS = (
    CONDITION.replace("CONDITION", CONDITIONS[2]).replace("\nsetup(", "\ntry:\n  setup(")
    + """
except:
  setup(name="demo", py_modules=["demo"])
"""
)


@pytest.fixture
def project(new_project: Callable[[str], Project], tmp_path: Path) -> Project:
    project = new_project("")
    for name in ("demo.py", "host.cpp", "kernels.cu"):
        (project.folder / name).write_text("")
    project.environment["RUNS"] = str(tmp_path / "runs")
    return project


def build(project: Project, setup: str, *arguments: str, **environment: str) -> tuple[Outcome, int]:
    """Return the output of `setup.py`, and how often it ran."""
    (project.folder / "setup.py").write_text(setup)
    runs = Path(project.environment["RUNS"])
    runs.write_text("")
    outcome = project.setup(*(arguments or ("build_ext",)), **environment)
    return outcome, len(runs.read_text().splitlines())


@pytest.mark.parametrize("level", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_the_lowest_level_that_helps_is_taken(project: Project, level: int) -> None:
    outcome, runs = build(project, CONDITION.replace("CONDITION", CONDITIONS[level]))
    assert outcome.returncode == 0 and "asked for ['host', 'kernels']" in outcome.output, outcome.output
    assert runs == level
    reason = f"demo: built at level {level} "
    assert (reason in outcome.output) == (level > 1), "the first level needs no words"
    assert level == 1 or "at level 1 (FORCE_CUDA) it asks for no CUDA extension (host)" in outcome.output


@pytest.mark.slow
@pytest.mark.parametrize(("setup", "runs"), [(RAISES, 2), (EXITS, 2), (IMPORTS_LATE, 4), (SWALLOWS, 2)])
def test_a_setup_that_refuses_or_gives_way(project: Project, setup: str, runs: int) -> None:
    outcome, counted = build(project, setup)
    assert outcome.returncode == 0 and "'kernels']" in outcome.output, outcome.output
    assert counted == runs


@pytest.mark.slow
@pytest.mark.parametrize("setup", [RAISES, EXITS], ids=["raises", "exits"])
def test_pips_hooks_go_up_too(project: Project, tmp_path: Path, setup: str) -> None:
    """A project with a pyproject.toml has no command line of setup.py: pip names hooks."""
    (project.folder / "pyproject.toml").write_text("[build-system]\nrequires = []\n")
    (project.folder / "setup.py").write_text(setup)
    command = ("-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", str(tmp_path))
    outcome = project.run(*command, str(project.folder))
    assert outcome.returncode == 0, outcome.output
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith("demo-1.0.post1-1musa"), "the version is that of level 2"


def test_a_chosen_level_is_the_only_one(project: Project) -> None:
    outcome, runs = build(project, CONDITION.replace("CONDITION", CONDITIONS[3]), MUSA_BUILD_FORCE_LEVEL="2")
    assert outcome.returncode != 0 and runs == 1
    assert "set MUSA_BUILD_FORCE_LEVEL to 3 (TOOLKIT) or 4 (VERSION)" in outcome.output


@pytest.mark.slow
def test_no_level_helps(project: Project) -> None:
    outcome, runs = build(project, CONDITION.replace("CONDITION", "False"), "bdist_wheel")
    assert outcome.returncode != 0 and runs == 4 and "Traceback" not in outcome.output
    assert "at level 1 (FORCE_CUDA) it asks for no CUDA extension (host)" in outcome.output
    assert "found:  at levels 1 to 4 it asks for host alone\n  wanted: " in outcome.output
    assert "[MB501]" in outcome.output and not list(project.folder.rglob("*.whl"))


def test_cuda_files_of_examples_count_if_setup_py_names_them(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    for name in ("named.cu", "other.cu"):
        (tmp_path / "examples" / name).write_text("")
    assert list(cuda_sources(tmp_path)) == []
    (tmp_path / "setup.py").write_text('sources = ["examples/named.cu", "examples/gone.cu"]')
    assert list(cuda_sources(tmp_path)) == ["examples/named.cu"]


def test_variables_of_a_setup_py_are_found(tmp_path: Path) -> None:
    """The error for a package that asks for no CUDA extension names them: one of them may ask for it."""
    script = tmp_path / "setup.py"
    script.write_text(
        'import os\nfrom os import environ, getenv\nif os.getenv("BUILD_IT", "0") == "1" or "WITH_IT" in os.environ:\n'
        '    flags = environ.get("FLAGS") or os.environ["FLAGS"]\nos.environ["SET_HERE"] = getenv(name) or ""\n'
    )
    assert variables_read(script) == ["BUILD_IT", "WITH_IT", "FLAGS"]


@pytest.mark.slow
def test_questions_are_answered_once(project: Project) -> None:
    outcome, runs = build(project, RAISES, "--version")
    assert outcome.returncode != 0 and runs == 1 and "this package needs CUDA" in outcome.output
    assert "level" not in outcome.output
    outcome, runs = build(project, CONDITION.replace("CONDITION", "False"), "--version")
    assert outcome.output.strip() == "1.0" and runs == 1


def test_an_error_that_is_not_about_cuda_is_shown_once(project: Project) -> None:
    outcome, runs = build(project, HEAD + "import not_installed_here")
    assert outcome.returncode != 0 and runs == 1 and "not_installed_here" in outcome.output
    assert "this is not about CUDA; hint: install the package that has the module not_installed_here" in outcome.output
    outcome, runs = build(project, HEAD + "from os import not_there")
    assert outcome.returncode != 0 and runs == 1
    assert "no other level is tried, because this is not about CUDA; hint: repair this error" in outcome.output


def test_an_error_in_another_package_is_shown_once(project: Project, tmp_path: Path) -> None:
    """As numpy.distutils raises with a newer setuptools: no level would help."""
    other = tmp_path / "site-packages" / "other"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("def helps():\n    return None.value\n")
    setup = HEAD + "import other\nother.helps()"
    outcome, runs = build(project, setup, PYTHONPATH=str(other.parent))
    assert outcome.returncode != 0 and runs == 1 and "has no attribute 'value'" in outcome.output
    assert "at level 1 (FORCE_CUDA) setup.py ends (AttributeError: " in outcome.output
    assert "this is not about CUDA; hint: repair other first" in outcome.output


@pytest.mark.slow
def test_an_error_in_what_compares_versions_may_be_about_cuda(project: Project) -> None:
    setup = HEAD + "from packaging.version import parse\nparse(torch.version.cuda)\n" + ASK
    outcome, runs = build(project, setup + 'extensions = [CUDAExtension("kernels", ["kernels.cu"])]' + END)
    assert outcome.returncode == 0 and runs == 4, outcome.output


def test_an_error_without_cuda_sources_is_shown_once(project: Project) -> None:
    """As of a source distribution that lacks them."""
    (project.folder / "kernels.cu").unlink()
    outcome, runs = build(project, HEAD + "print(bare_metal_version)")
    assert outcome.returncode != 0 and runs == 1
    (said,) = [line for line in outcome.output.splitlines() if "FORCE_MUSA=1" in line]
    assert "at level 1 (FORCE_CUDA) setup.py ends (NameError: name 'bare_metal_version' is not defined)" in said
    assert "there is no .cu file to build; hint: " in said


def test_a_package_without_cuda_sources_is_tried_once(project: Project) -> None:
    (project.folder / "kernels.cu").unlink()
    outcome, runs = build(project, CONDITION.replace("CONDITION", "False"))
    assert outcome.returncode != 0 and runs == 1
    assert "there is no .cu file in it: install it without FORCE_MUSA=1" in outcome.output


def test_a_pure_package_that_looks_at_torch_is_built_as_always(project: Project) -> None:
    (project.folder / "kernels.cu").unlink()
    (project.folder / "demo.py").write_text('device = "cuda"\nimport torch\nx = torch.cuda.is_available()\n')
    outcome, runs = build(project, HEAD + "setup(name='demo', py_modules=['demo'])", "bdist_wheel")
    assert outcome.returncode == 0 and runs == 1, outcome.output
    assert "demo has neither extensions nor CUDA sources" in outcome.output
    assert "-1musa-" not in project.wheel().name
    assert (project.folder / "build" / "lib" / "demo.py").read_text() == (project.folder / "demo.py").read_text()


@pytest.mark.slow
def test_a_package_that_compiles_on_use_is_rewritten(project: Project) -> None:
    """The log says that its user needs the switch too; a package that only has .cu files stays an error."""
    setup = HEAD + "setup(name='demo', py_modules=['demo'])"
    module = project.folder / "demo.py"
    module.write_text("from torch.utils.cpp_extension import load\nimport torch\nx = torch.cuda.is_available()\n")
    outcome, runs = build(project, setup, "bdist_wheel")
    assert outcome.returncode == 0 and runs == 4, outcome.output
    assert "demo compiles its CUDA sources when they are used: run it with FORCE_MUSA=1 too" in outcome.output
    assert "-1musa-" in project.wheel().name
    assert "torch.musa.is_available()" in (project.folder / "build" / "musa" / "lib" / "demo.py").read_text()
    module.write_text("import torch\nx = torch.cuda.is_available()\n")
    outcome, _ = build(project, setup, "bdist_wheel", MUSA_BUILD_FORCE_LEVEL="4")  # the others have been tried
    assert outcome.returncode != 0 and "[MB501]" in outcome.output


HOOKS = """
import os, sys
sys.path.insert(0, os.environ["FRONT_END"])
from pyproject_hooks import BuildBackendHookCaller
hooks = BuildBackendHookCaller(os.getcwd(), "setuptools.build_meta:__legacy__")
os.mkdir("out")
print(hooks.get_requires_for_build_wheel(), hooks.prepare_metadata_for_build_wheel("out"), hooks.build_wheel("out"))
print(sorted(os.listdir("out")))
"""


@pytest.mark.slow
def test_all_hooks_of_a_build_take_one_level_and_leave_nothing(project: Project) -> None:
    """As pip runs them, each in a process of its own: the version, here of level 2, is the same in all."""
    (project.folder / "setup.py").write_text(CONDITION.replace("CONDITION", CONDITIONS[2]))
    import pip

    done = subprocess.run(
        [sys.executable, "-c", HOOKS],
        cwd=project.folder,
        env={**project.environment, "FRONT_END": str(Path(pip.__file__).parent / "_vendor")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[] demo-1.0.post1.dist-info demo-1.0.post1-1musa-" in done.stdout
    assert ".tmp" not in done.stdout.splitlines()[-1], done.stdout


PACKAGES = """
[Demo]
environment = { DEMO_ASKS = "1" }
rules = { "WIDTH 32" = "WIDTH 64" }
"""


@pytest.mark.slow
def test_a_file_of_the_users_adds_what_a_package_needs(project: Project, tmp_path: Path) -> None:
    setup = CONDITION.replace("CONDITION", 'os.environ.get("DEMO_ASKS")')
    (project.folder / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
    rules = tmp_path / "packages.toml"
    rules.write_text(PACKAGES)
    outcome, runs = build(project, setup, MUSA_BUILD_FORCE_PACKAGES=str(rules))
    assert outcome.returncode == 0 and runs == 1, outcome.output
    (project.folder / "pyproject.toml").write_text(f'[tool.musa-build]\nforce-packages = "{rules}"\n')
    assert build(project, setup)[1] == 1
    rules.write_text("[demo")
    outcome, _ = build(project, setup)
    assert outcome.returncode != 0 and "Traceback" not in outcome.output
    assert "valid TOML" in outcome.output and "[MB201]" in outcome.output


def test_variables_that_forbid_downloads_are_set(project: Project) -> None:
    setup = CONDITION.replace("CONDITION", 'os.environ.get("MY_PACKAGE_FORCE_BUILD") == "TRUE"')
    assert build(project, setup)[1] == 1
