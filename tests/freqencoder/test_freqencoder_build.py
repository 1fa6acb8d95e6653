"""freqencoder's build scripts and its demo, as a person runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from freqencoder_project import Project, copy_sources

PROGRAMS = Path(__file__).with_name("programs")


def test_second_build_compiles_nothing(project: Project) -> None:
    library = next((project.root / "freqencoder").glob("_MUSAC*.so"))
    before = library.stat().st_mtime_ns
    output = project.run("setup_musa.py", "build_ext", "--inplace").stdout
    assert library.stat().st_mtime_ns == before
    assert "freqencoder.mu" not in output


@pytest.mark.slow
def test_pip_installs_it_and_the_demo_runs(project: Project, tmp_path: Path) -> None:
    """`pip install .` picks MUSA by itself; the demo beside the sources uses the installed package."""
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check")
    project.run("-m", "pip", "install", *options, "--target", str(tmp_path / "site"), ".")
    installed = sorted(path.name for path in (tmp_path / "site" / "freqencoder").glob("*.so"))
    assert len(installed) == 1 and installed[0].startswith("_MUSAC.")

    # A checkout in which nothing was compiled must not hide the installed package.
    environment = {**project.environment, "PYTHONPATH": str(tmp_path / "site")}
    checkout = Project(copy_sources(project.root, tmp_path / "checkout"), environment)
    output = checkout.run("demo.py", "--out", str(tmp_path / "out")).stdout
    for line in ("torch.float16", "torch.float32", "torch.float64"):
        assert f"(1000, 3) -> (1000, 39)  {line}" in output
    assert "gradcheck: passed, second derivatives: passed" in output
    assert "musa agrees with the reference" in output

    svg = (tmp_path / "out" / "freqencoder.svg").read_text(encoding="utf-8")
    assert svg.count('<path class="curve"') == 13 and ">x (radians)</text>" in svg


SECOND_DEVICE = (PROGRAMS / "second_device.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_tensors_of_the_second_device_stay_there(project: Project) -> None:
    Project(project.root, {**project.environment, "MUSA_SIM_DEVICES": "2"}).run("-c", SECOND_DEVICE)


@pytest.mark.slow
def test_uncompiled_package_says_what_to_run(project: Project, tmp_path: Path) -> None:
    checkout = Project(copy_sources(project.root, tmp_path / "new"), project.environment)
    done = checkout.run("-c", "import freqencoder", check=False)
    assert done.returncode == 1
    assert "python setup_musa.py build_ext --inplace" in done.stdout.splitlines()[-1]
