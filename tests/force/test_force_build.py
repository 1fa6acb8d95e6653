"""An ordinary CUDA package, built with FORCE_MUSA=1 and nothing else, and run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Outcome, Project, contents

PROGRAMS = Path(__file__).with_name("programs")

RUN = (PROGRAMS / "runs_affine.py").read_text(encoding="utf-8")

BROKEN = "#include <cuda_runtime.h>\n__global__ void k() { no_such_thing_in_NAME(); }\nint NAME() { return 1; }\n"
CALLER = (PROGRAMS / "calls_broken.cpp").read_text(encoding="utf-8")

CALL = (PROGRAMS / "calls_broken.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(new_project: Callable[[str], Project]) -> Project:
    return new_project("affine_cuda")


@pytest.fixture(scope="module")
def before(project: Project) -> dict[str, bytes]:
    return contents(project.folder)


@pytest.fixture(scope="module")
def built(project: Project, before: dict[str, bytes]) -> Outcome:
    """The package's wheel, built."""
    outcome = project.setup("bdist_wheel")
    assert outcome.returncode == 0, outcome.output
    return outcome


def installed(project: Project, folder: Path) -> Path:
    with zipfile.ZipFile(project.wheel()) as wheel:
        wheel.extractall(folder)
    return folder


def run(code: str, folder: Path) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.compiles
def test_it_runs_and_agrees(built: Outcome, project: Project, tmp_path: Path) -> None:
    assert run(RUN, installed(project, tmp_path)).strip() == "('CUDA', 7)"


@pytest.mark.compiles
def test_the_wheel_says_that_it_is_for_musa(built: Outcome, project: Project) -> None:
    assert "-1musa-" in project.wheel().name
    with zipfile.ZipFile(project.wheel()) as wheel:
        assert b"Build: 1musa" in wheel.read("affine_cuda-1.0.dist-info/WHEEL")


@pytest.mark.compiles
def test_its_python_asks_for_musa(built: Outcome, project: Project, tmp_path: Path) -> None:
    text = (installed(project, tmp_path) / "affine_python.py").read_text()
    assert 'DEVICE = "musa"' in text and "tensor.is_musa" in text


@pytest.mark.compiles
def test_its_own_files_are_only_read(built: Outcome, project: Project, before: dict[str, bytes]) -> None:
    assert contents(project.folder) == before


@pytest.mark.compiles
@pytest.mark.slow
def test_another_copy_of_it_compiles_nothing(built: Outcome, project: Project, tmp_path: Path) -> None:
    """As pip does, which unpacks a source distribution into another folder each time."""
    folder = Path(shutil.copytree(project.folder, tmp_path / "copy", ignore=shutil.ignore_patterns("build", "dist")))
    again = Project(folder, project.environment).setup("bdist_wheel")
    assert again.returncode == 0, again.output
    assert "[1/" in built.output and "[1/" not in again.output


@pytest.fixture(scope="module")
def broken(new_project: Callable[[str], Project]) -> Project:
    """The package with two kernels that cannot be compiled, and code that calls one of them."""
    project = new_project("affine_cuda")
    for name in ("broken_one", "broken_two"):
        (project.folder / "csrc" / f"{name}.cu").write_text(BROKEN.replace("NAME", name))
    (project.folder / "csrc" / "caller.cpp").write_text(CALLER)
    project.environment["MORE_SOURCES"] = "csrc/broken_one.cu csrc/broken_two.cu csrc/caller.cpp"
    return project


@pytest.mark.slow
@pytest.mark.compiles
def test_all_failures_are_listed_at_the_end(broken: Project) -> None:
    outcome = broken.setup("bdist_wheel", MAX_JOBS="1")  # with more, both would have begun before the first failed
    assert outcome.returncode != 0
    ending = outcome.output[outcome.output.index("2 steps failed") :]
    assert "no_such_thing_in_broken_one" in ending and "no_such_thing_in_broken_two" in ending


@pytest.mark.slow
@pytest.mark.compiles
def test_keeping_going_leaves_out_what_fails(broken: Project, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    outcome = broken.setup("bdist_wheel", MUSA_BUILD_KEEP_GOING="1", MUSA_BUILD_FORCE_REPORT=str(report))
    assert outcome.returncode == 0, outcome.output
    assert "excluded: " in outcome.output and "broken_two.mu" in report.read_text()
    folder = installed(broken, tmp_path)
    assert run(RUN, folder).strip() == "('CUDA', 7)"
    said = run(CALL, folder)
    assert "broken_one is not available" in said and "broken_one.mu" in said


@pytest.mark.slow
@pytest.mark.compiles
def test_data_of_a_source_that_fails_ends_the_build(new_project: Callable[[str], Project]) -> None:
    """A stub that replaces a table would be read as numbers."""
    project = new_project("affine_cuda")
    (project.folder / "csrc" / "table.cu").write_text("int table[4] = {no_such_number};\n")
    (project.folder / "csrc" / "reader.cpp").write_text(
        'extern int table[4];\nextern "C" int read() { return table[0]; }\n'
    )
    sources = "csrc/table.cu csrc/reader.cpp"
    outcome = project.setup("bdist_wheel", MUSA_BUILD_KEEP_GOING="1", MORE_SOURCES=sources)
    assert outcome.returncode != 0 and "Traceback" not in outcome.output
    assert "they cannot be excluded" in outcome.output and "table.mu should define: table" in outcome.output
    assert "no_such_number" in outcome.output[outcome.output.index("they cannot be excluded") :]


@pytest.mark.slow
@pytest.mark.compiles
def test_only_the_chosen_sources_are_built(broken: Project, tmp_path: Path) -> None:
    """The kernels that cannot be compiled are not tried; affine.cu is; what initialises the module always is."""
    outcome = broken.setup("bdist_wheel", MUSA_BUILD_ONLY="affine.* caller*")
    assert outcome.returncode == 0, outcome.output
    assert "excluded: 2 sources: not among those to build" in outcome.output
    folder = installed(broken, tmp_path)
    assert run(RUN, folder).strip() == "('CUDA', 7)"
    said = run(CALL, folder)
    assert "broken_one is not available" in said and "2 sources not among those to build" in said


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("afine*", "names such as affine.mu"),
        pytest.param("affine.* broken_one*", "no_such_thing_in_broken_one", marks=pytest.mark.slow),
    ],
)
def test_a_choice_that_cannot_be_built(broken: Project, only: str, said: str) -> None:
    outcome = broken.setup("bdist_wheel", MUSA_BUILD_ONLY=only)
    assert outcome.returncode != 0
    assert said in outcome.output
