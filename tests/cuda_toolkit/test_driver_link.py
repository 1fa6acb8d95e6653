"""Device code that is compiled alone: relocatable code for the driver's linker, and NVRTC's texts."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiles
Run = Callable[..., "subprocess.CompletedProcess[str]"]
SOURCES = Path(__file__).parent / "programs/driver_link"
KINDS = ("ptx", "cubin", "fatbin")


@pytest.fixture
def files(run: Run, toolkit: Path, tmp_path: Path) -> Path:
    """The program and the two sources in every form."""
    shutil.copytree(SOURCES, tmp_path, dirs_exist_ok=True)
    run("nvcc", "-o", "main", "main.cpp", "-lcuda", "-lnvrtc")
    for name in ("kernel", "functions"):
        for kind in KINDS:
            run("nvcc", f"-{kind}", "-rdc=true", f"{name}.cu")
        run("nvcc", "-dc", f"{name}.cu")
        run("nvcc", "-lib", f"{name}.o", "-o", f"lib{name}.a")
    return tmp_path


def test_each_kind_links_with_each(run: Run, files: Path) -> None:
    kinds = ("kernel.ptx", "kernel.cubin", "kernel.fatbin", "kernel.o", "kernel.cu")
    others = ("functions.fatbin", "functions.cu", "libfunctions.a", "functions.o", "functions.ptx")
    for one, other in zip(kinds, others):
        assert run("./main", one, other).stdout == "right\n", (one, other)
        assert run("./main", other, one).stdout == "right\n", (other, one)


def test_an_undefined_function_is_named_in_the_log(run: Run, files: Path) -> None:
    (files / "other.cu").write_text("__device__ int other() { return 1; }\n")
    run("nvcc", "-ptx", "-rdc=true", "other.cu")
    for kernel in ("kernel.ptx", "kernel.cu", "kernel.o"):
        done = run("./main", kernel, "other.ptx", status=2)
        assert done.stdout.startswith("200: ") and "scaled(float)" in done.stdout, done.stdout
        assert kernel in done.stdout
    twice = run("./main", "kernel.cu", "kernel.o", "functions.o", status=2).stdout
    assert "multiple definition of 'apply' in 'kernel.o'; it is first defined in 'kernel.cu'" in twice


def test_code_that_needs_no_other_is_loaded_without_a_link(run: Run, files: Path) -> None:
    text = (files / "functions.cu").read_text() + (files / "kernel.cu").read_text()
    (files / "both.cu").write_text(text)
    for kind in KINDS:
        run("nvcc", f"-{kind}", "-rdc=true", "both.cu", "-o", f"both.{kind}")
        assert run("./main", f"both.{kind}").stdout == "right\n"
    failed = run("./main", "kernel.ptx", status=1)
    assert "scaled(float)" in failed.stderr and failed.stdout.startswith("cuModuleLoad"), failed.stdout


def test_an_image_that_is_linked_already_is_not_linked_again(run: Run, files: Path) -> None:
    run("nvcc", "-cubin", "functions.cu", "-o", "whole.cubin")
    failed = run("./main", "kernel.ptx", "whole.cubin", status=2)
    assert failed.stdout.startswith("801: ") and "linked already" in failed.stdout


def test_a_device_link_makes_an_image_for_the_driver(run: Run, files: Path) -> None:
    run("nvcc", "-dlink", "kernel.o", "functions.o", "-cubin", "-o", "linked.cubin")
    assert run("./main", "linked.cubin").stdout == "right\n"


def test_archives_without_device_code_add_nothing_to_an_image(run: Run, files: Path, toolkit: Path) -> None:
    (files / "both.cu").write_text((files / "functions.cu").read_text() + (files / "kernel.cu").read_text())
    run("nvcc", "-cubin", "both.cu", "-o", "both.cubin")
    assert run("./main", "both.cubin", toolkit / "lib64/libcudadevrt.a").stdout == "right\n"


def test_a_part_of_an_object_is_named(run: Run, files: Path) -> None:
    whole = (files / "functions.o").read_bytes()
    for size in (3000, len(whole) - 300):
        (files / "part.o").write_bytes(whole[:size])
        failed = run("./main", "kernel.o", "part.o", status=2).stdout
        assert failed == "200: mcc: error: 'part.o' is not a whole object file\n\n"


def test_nvrtc_compiles_for_the_device_alone(run: Run) -> None:
    run("nvcc", "-o", "program", SOURCES.parent / "for_the_device_alone.cpp", "-lcuda", "-lnvrtc")
    for warp in ("32", "128"):
        assert run("./program", MUSA_SIM_WARP=warp).stdout == "right\n"
