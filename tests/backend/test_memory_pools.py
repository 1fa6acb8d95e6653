"""Device memory of a program's own making: MUSAPluggableAllocator, change_current_allocator, MemPool."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from .conftest import PROGRAMS, RunPython

SOURCE = (PROGRAMS / "allocator.cpp").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def library(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("allocator")
    (folder / "allocator.cpp").write_text(SOURCE)
    made = folder / "allocator.so"
    command = ["g++", "-shared", "-fPIC", f"-I{sim_sdk_root}/include", str(folder / "allocator.cpp"), "-o", str(made)]
    subprocess.run([*command, f"-L{sim_sdk_root}/lib", "-lmusart"], check=True)
    return made


Run = Callable[[str], None]


@pytest.fixture
def run(run_python: RunPython, library: Path) -> Run:
    """Run a function in a process of its own, as what memory comes from is decided once in a process."""

    def run_function(name: str) -> None:
        done = run_python(PROGRAMS / "own_allocators.py", str(library), name, MUSA_SIM_DEVICES="2")
        assert done.returncode == 0, done.stderr

    return run_function


def test_all_memory_comes_from_the_programs_allocator(run: Run) -> None:
    run("all_memory")


def test_an_allocator_that_is_in_use_stays(run: Run) -> None:
    run("in_use")


def test_null_is_running_out_of_memory(run: Run) -> None:
    run("no_memory")


def test_a_pools_memory_comes_from_its_allocator(run: Run) -> None:
    run("a_pool")


def test_pools_have_numbers_of_their_own() -> None:
    first, second = torch.musa.MemPool(), torch.musa.MemPool()
    assert first.allocator is None
    assert first.id[0] == second.id[0] == 0 and 0 < first.id[1] < second.id[1]


def test_pools_nest_and_belong_to_a_thread() -> None:
    outer, inner = torch.musa.MemPool(), torch.musa.MemPool()
    kept: list[torch.Tensor] = []

    def allocate() -> None:
        kept.append(torch.empty(4, device="musa"))

    with torch.musa.use_mem_pool(outer):
        allocate()
        with torch.musa.use_mem_pool(inner):
            allocate()
            other = threading.Thread(target=allocate)
            other.start()
            other.join()
        allocate()
    addresses = [tensor.data_ptr() for tensor in kept]
    assert {segment["address"] for segment in outer.snapshot()} == {addresses[0], addresses[3]}
    assert {segment["address"] for segment in inner.snapshot()} == {addresses[1]}


def test_an_error_ends_the_use_of_a_pool() -> None:
    pool = torch.musa.MemPool()
    with pytest.raises(KeyError), torch.musa.use_mem_pool(pool):
        raise KeyError("inside")
    kept = torch.empty(4, device="musa")
    assert pool.snapshot() == [] and torch.musa.MemPoolContext.active_pool() is None
    assert kept.numel() == 4


def test_the_active_pool_is_the_contexts() -> None:
    assert torch.musa.MemPoolContext.active_pool() is None
    pool = torch.musa.MemPool()
    context = torch.musa.MemPoolContext(pool)
    assert torch.musa.MemPoolContext.active_pool() is pool
    seen: list[object] = []
    other = threading.Thread(target=lambda: seen.append(torch.musa.MemPoolContext.active_pool()))
    other.start()
    other.join()
    assert seen == [None]
    del context
    assert torch.musa.MemPoolContext.active_pool() is None


def test_a_function_that_the_library_lacks(library: Path) -> None:
    with pytest.raises(AttributeError, match="nothing"):
        torch.musa.memory.MUSAPluggableAllocator(library, "nothing", "give_back")


def test_an_allocator_written_in_python(run: Run) -> None:
    """It takes Python's lock, which another thread may hold while it asks for the allocator's figures."""
    run("written_in_python")
