"""The start-up hook decides: whose build it is, whether the switch is on, and what it says when it stays out."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from musa_build.environment.build_isolation import is_isolated_build
from musa_build.environment.settings import Setting, Settings
from musa_build.force_musa import import_hook, setup_script
from musa_build.force_musa.pip_options import OWN, projects_to_build
from musa_build.force_musa.source_porting import port_sources

LINE = (Path(__file__).parents[2] / "musa_build_force.pth").read_text()

OURS = "musa_build.force_musa.build_ext"
TORCHS = "torch.utils.cpp_extension"

#: A setup.py that says whose classes it got. (No command: setup() is not called.)
SETUP = """
import os
from torch.utils.cpp_extension import CUDAExtension
variables = {name: value for name, value in os.environ.items() if name.startswith("FORCE_")}
print("classes of", CUDAExtension.__module__, "with", sorted(variables.items()))
"""


def python(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this Python; nothing of the tests' own FORCE_, CUDA or PIP variables reaches it."""
    unwanted = ("FORCE_", "CUDA", "PIP_", "MUSA_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    inherited["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    return subprocess.run(
        [sys.executable, *arguments],
        env={**inherited, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(autouse=True)
def _distutils_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep setuptools' distutils in this process: pip, where it is imported, replaces it by Python's own."""
    with contextlib.suppress(ImportError):
        shim = importlib.import_module("_distutils_hack")
        monkeypatch.setattr(shim, "remove_shim", lambda: None)
        monkeypatch.setattr(shim.DistutilsMetaFinder, "spec_for_pip", lambda self: None)


def setup_py(folder: Path, text: str = SETUP, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "setup.py").write_text(text)
    return python("setup.py", cwd=folder, **environment)


@pytest.mark.parametrize("value", ["1", "yes", "true", "True", "ON", " on ", "0", "no", "FALSE", "off", ""])
def test_the_switch_is_spelled_as_the_other_switches_are(value: str) -> None:
    switch = Setting("force", ("FORCE_MUSA",), "", "")
    assert import_hook.is_on(value) == Settings({"FORCE_MUSA": value}, {}).flag(switch)


def test_another_spelling_forces_in_spite_of_a_comment_and_packages_see_a_one(hook: Path, tmp_path: Path) -> None:
    said = setup_py(tmp_path, "# no torch_musa support yet\n" + SETUP, FORCE_MUSA="true").stdout
    assert f"classes of {OURS} with [('FORCE_CUDA', '1'), ('FORCE_MUSA', '1')]" in said


def test_a_spelling_that_is_neither_yes_nor_no_ends_the_build(hook: Path, tmp_path: Path) -> None:
    done = setup_py(tmp_path, FORCE_MUSA="maybe")
    assert done.returncode == 1 and "classes of" not in done.stdout
    assert "FORCE_MUSA=maybe: this value is neither yes nor no" in done.stderr and "[MB501]" in done.stderr


def test_a_no_is_a_no(hook: Path, tmp_path: Path) -> None:
    done = setup_py(tmp_path, FORCE_MUSA="Off")
    assert f"classes of {TORCHS}" in done.stdout and "FORCE_MUSA=" not in done.stderr


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch_musa.utils.musa_extension\n", "torch_musa"),
        ("def late():\n    from musa_build import BuildExtension\n", "musa_build"),
        ("import os\nos.getenv('FORCE_MUSA', '0')\n", "FORCE_MUSA"),
        ("from x import *\nMUSAExtension('a', [])\n", "MUSAExtension"),
        ("tools.MUSAExtension('a', [])\n", "MUSAExtension"),
        ("from tools import MUSAExtension as Extension\n", "MUSAExtension"),
        ("importlib.import_module('torch_musa')\n", "torch_musa"),
        ("importlib.util.find_spec('torch_musa.utils')\n", "torch_musa"),
        ("install_requires = ['torch_musa>=2.1']\n", "torch_musa"),
    ],
)
def test_what_shows_that_a_setup_py_knows_musa(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / "setup.py").write_text(text)
    found = setup_script.musa_support(tmp_path / "setup.py")
    assert found is not None and found.startswith(f"{name} in line ")


@pytest.mark.parametrize(
    "text",
    [
        "# no torch_musa support yet; FORCE_MUSA, MUSAExtension and musa_build are not known here\n",
        '"""Does not know torch_musa, nor FORCE_MUSA."""\n',
        "print('install torch_musa first')\nmy_torch_musa_flag = 1\nimport torch_musa_tools\n",
        "",
    ],
)
def test_words_about_musa_show_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "setup.py").write_text(text)
    assert setup_script.musa_support(tmp_path / "setup.py") is None


def test_without_a_setup_py_nothing_is_known(tmp_path: Path) -> None:
    assert setup_script.musa_support(tmp_path / "setup.py") is None
    (tmp_path / "setup.py").write_text("print 'torch_musa'\n")
    assert setup_script.musa_support(tmp_path / "setup.py") is None


def test_a_package_that_is_left_alone_is_named_in_one_line(hook: Path, tmp_path: Path) -> None:
    done = setup_py(tmp_path, SETUP + "if os.getenv('FORCE_MUSA') == '1':\n    print('its own')\n", FORCE_MUSA="yes")
    assert f"classes of {TORCHS} with [('FORCE_MUSA', '1')]" in done.stdout and "its own" in done.stdout
    (said,) = [line for line in done.stderr.splitlines() if "FORCE_MUSA" in line]
    assert "not modified" in said and "FORCE_MUSA in line 6" in said


def test_the_setup_py_that_runs_is_read_and_no_other(hook: Path, tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("import torch_musa\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "setup.py").write_text(SETUP)
    done = python("package/setup.py", cwd=tmp_path, FORCE_MUSA="1")
    assert f"classes of {OURS}" in done.stdout


# --- what a build makes

#: A package whose build_ext compiles nothing, so that neither a compiler nor an SDK is needed.
PACKAGE = """
from pathlib import Path
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
class Build(BuildExtension):
    def run(self):
        print("objects in", self.build_temp)
setup(name="demo", version="1.0", py_modules=["demo"], cmdclass={"build_ext": Build},
      ext_modules=[CUDAExtension("demo_cuda", ["k.cu"])])
"""


@pytest.mark.slow
def test_a_wheel_is_tagged_and_made_apart_from_cudas(hook: Path, tmp_path: Path) -> None:
    for name in ("demo.py", "k.cu"):
        (tmp_path / name).write_text("")
    (tmp_path / "setup.py").write_text(PACKAGE)
    done = python("setup.py", "bdist_wheel", cwd=tmp_path, FORCE_MUSA="1", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name.startswith("demo-1.0-1musa-")
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["musa"]


# --- isolation


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/pip-build-env-k3j_x0ab/overlay/lib/python3.11/site-packages",
        "/tmp/pip-build-env-k3j_x0ab/site",
        "/home/me/.cache/uv/builds-v0/.tmpAb3dE6/lib/python3.11/site-packages",
    ],
)
def test_isolation_is_known_by_the_paths_of_pip_and_uv(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, path])
    assert is_isolated_build()


def test_isolation_is_known_by_the_environment_of_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", f"{tempfile.gettempdir()}/build-env-k3j_x0ab")
    assert is_isolated_build()


@pytest.mark.parametrize("torch", [True, False])
def test_isolation_is_known_by_the_environment_of_poetry(monkeypatch: pytest.MonkeyPatch, torch: bool) -> None:
    """Anybody may have an environment in a temporary folder, but not without torch."""
    monkeypatch.setattr(sys, "prefix", f"{tempfile.gettempdir()}/tmp2tax_ywu/.venv")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if torch else None)
    assert is_isolated_build() is not torch


@pytest.mark.parametrize(
    "path",
    [
        "/ci/build-env-py311/proj",
        "/ci/build-env-k3j_x0ab/project",
        "/srv/pip-build-env-cache/lib",
        "/data/builds-v0/src",
    ],
)
def test_a_name_alone_is_no_isolation(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, path])
    monkeypatch.setattr(sys, "prefix", path)
    assert not is_isolated_build()


@pytest.mark.slow
def test_a_build_in_a_folder_of_such_a_name_continues(hook: Path, tmp_path: Path) -> None:
    folder = tmp_path / "build-env-py311"
    folder.mkdir()
    done = setup_py(folder, FORCE_MUSA="1", PYTHONPATH=str(folder))
    assert f"classes of {OURS}" in done.stdout, done.stderr


PYPROJECT = """
[project]
name = "isolated"
version = "1"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
#: setuptools' build backend as the hook sees it; setuptools itself would have to come from an index.
BACKEND = """
import sys
sys.modules["setuptools.build_meta"] = sys
def build_wheel(*arguments):
    try:
        import torch
    except Exception:
        raise SystemExit("went on without torch")
"""


def test_pips_own_isolation_is_known(hook: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "backend.py").write_text(BACKEND)
    done = python("-m", "pip", "wheel", "--no-deps", "--no-index", ".", cwd=tmp_path, FORCE_MUSA="1")
    assert done.returncode and "this package is built in isolation" in done.stdout + done.stderr


# --- the line in site-packages


def run_line(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A Python without site-packages that runs the line as `site` would."""
    return python("-S", "-c", f"exec({LINE!r})\n{code}", cwd=folder, **environment)


@pytest.mark.parametrize("environment", [{}, {"FORCE_MUSA": ""}, {"FORCE_MUSA": "0"}])
def test_the_line_is_inactive_without_the_variable(tmp_path: Path, environment: dict[str, str]) -> None:
    done = run_line(tmp_path, "import sys; print([m for m in sys.modules if 'musa' in m])", **environment)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_line_says_when_musa_build_is_broken(tmp_path: Path) -> None:
    """Here it is not there at all: a Python without site-packages."""
    done = run_line(tmp_path, "print('goes on')", FORCE_MUSA="1")
    assert done.stdout.strip() == "goes on"
    (said,) = done.stderr.splitlines()
    assert "FORCE_MUSA=1 has no effect" in said and "No module named 'musa_build'" in said


def test_the_installed_line_is_this_one(hook: Path) -> None:
    assert hook.read_text() == LINE


ASK = "import os; print(os.environ.get('PIP_NO_CACHE_DIR'))"


def test_only_pip_gets_the_option_to_keep_no_wheels(hook: Path, tmp_path: Path) -> None:
    assert python("-c", ASK, cwd=tmp_path, FORCE_MUSA="1").stdout.strip() == "None"
    assert python("-c", f"import pip\n{ASK}", cwd=tmp_path, FORCE_MUSA="1").stdout.strip() == "None"
    listed = python("-m", "pip", "config", "list", cwd=tmp_path, FORCE_MUSA="1")
    assert ":env:.no-cache-dir='1'" in listed.stdout, listed.stderr
    own = python("-m", "pip", "config", "list", cwd=tmp_path, FORCE_MUSA="1", PIP_NO_CACHE_DIR="0")
    assert ":env:.no-cache-dir='0'" in own.stdout
    assert "no-cache-dir" not in python("-m", "pip", "config", "list", cwd=tmp_path).stdout


# --- one CUDA version

ASK_VERSIONS = """
import subprocess, torch, torch.utils.cpp_extension
print("torch", torch.version.cuda)
print(subprocess.run(["nvcc", "-V"], capture_output=True, text=True).stdout)
"""


def test_a_setup_py_and_the_ported_code_see_one_cuda_version(hook: Path, tmp_path: Path) -> None:
    output = setup_py(tmp_path, ASK_VERSIONS, FORCE_MUSA="1", MUSA_BUILD_FORCE_LEVEL="4").stdout
    (from_nvcc,) = re.findall(r"release ([\d.]+),", output)
    (from_torch,) = re.findall(r"torch ([\d.]+)", output)
    (tmp_path / "csrc").mkdir()
    (tmp_path / "csrc" / "k.cu").write_text("CUDA_VERSION\n")
    ported = port_sources(tmp_path / "build", [str(tmp_path / "csrc/k.cu")], (), tmp_path).ported / "k.mu"
    assert from_nvcc == from_torch
    major, minor = from_torch.split(".")
    assert ported.read_text() == f"{int(major) * 1000 + int(minor) * 10}\n"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("install --no-build-isolation --no-deps nerfacc==0.5.3", "nerfacc"),
        ("-v install --no-build-isolation mmcv>=2,<3 some.pkg[extra]~=1.0", "mmcv,some.pkg"),
        ("wheel --no-build-isolation --wheel-dir dist .", ""),
        ("wheel --no-build-isolation -w out --find-links=index demo", "demo"),
        ("--timeout 7 --log pip.log install -i index --no-build-isolation -t target -f links -c rules demo", "demo"),
        ("install --no-build-isolation . ./demo demo/ /tmp/demo-1.0.tar.gz demo-1.0.tar.gz git+https://host/demo", ""),
        ("install --no-build-isolation -r requirements.txt -e . --python-version 3.11", ""),
        ("install demo", ""),  # in isolation nothing is built for MUSA
        ("install --no-build-isolation --only-binary=:all: demo", ""),
        ("install --no-build-isolation --no-binary other demo", ""),
        ("install --no-build-isolation --prefer-binary demo", ""),
        ("install --no-build-isolation torch-musa-sim", ""),
        ("install --no-build-isolation Torch_MUSA.sim==1.0 demo musa-build[sim,tools] musa-sim musa_tools", "demo"),
        ("no-such-command demo", ""),
        ("config list", ""),
    ],
)
def test_the_packages_that_pip_builds_from_source(
    arguments: str, names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo-1.0.tar.gz").write_text("")
    assert ",".join(projects_to_build(arguments.split())) == names
    monkeypatch.setenv("PIP_PREFER_BINARY", "1")
    assert not projects_to_build(arguments.split())


def test_the_distributions_that_are_not_built_from_source_are_ours() -> None:
    root = Path(__file__).parents[2]
    files = [root / folder / "pyproject.toml" for folder in ("", "simulator", "tools", "backend")]
    names = [re.search(r'^name = "(.+)"$', path.read_text(), re.MULTILINE) for path in files]
    assert {name[1] for name in names if name} == OWN


def test_pips_configuration_counts_as_its_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    (tmp_path / "pip.conf").write_text("[global]\nno-build-isolation = false\n")
    assert projects_to_build(["install", "demo"]) == ("demo",)


@pytest.mark.slow
def test_pip_takes_the_source_where_the_index_has_a_wheel(hook: Path, tmp_path: Path) -> None:
    """As nerfacc has one: of Python alone, which compiles for CUDA when it is imported."""
    project = tmp_path / "demo"
    project.mkdir()
    setup = "from setuptools import setup\nsetup(name='demo', version='1', py_modules=['demo'])\n"
    (project / "setup.py").write_text(setup)
    for content, command in (("wheel", "bdist_wheel"), ("source", "sdist")):
        (project / "demo.py").write_text(f"FROM = {content!r}\n")
        shutil.rmtree(project / "build", ignore_errors=True)
        python("setup.py", "-q", command, "--dist-dir", str(tmp_path / "index"), cwd=project).check_returncode()
    (project / "setup.py").write_text(setup.replace("'1'", "'2'"))
    (project / "demo.py").write_text("FROM = 'wheel'\n")
    python("setup.py", "-q", "bdist_wheel", "--dist-dir", str(tmp_path / "index"), cwd=project).check_returncode()
    for switch, content in (("1", "source"), ("0", "wheel")):
        target = tmp_path / content
        options = ("--no-index", "--find-links", "index", "--no-build-isolation", "--no-deps", "--target", str(target))
        done = python("-m", "pip", "install", *options, "demo", cwd=tmp_path, FORCE_MUSA=switch)
        assert (target / "demo.py").read_text() == f"FROM = {content!r}\n", done.stdout + done.stderr
        assert ("demo); wheels of the index are not for MUSA" in done.stderr) == (switch == "1")
        newer = "demo 1 is built from source; the index has 2 too, but only as wheels"
        assert done.stderr.count(newer) == int(switch)
