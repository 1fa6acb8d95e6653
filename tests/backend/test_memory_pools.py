"""Device memory of a program's own making: MUSAPluggableAllocator, change_current_allocator, MemPool."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from .conftest import RunPython

SOURCE = r"""
#include <musa_runtime_api.h>
#include <cstddef>

extern "C" {
int allocations = 0;
int frees = 0;
std::size_t bytes = 0;
int last_device = -1;

void* take(std::size_t size, int device, musaStream_t) {
  void* memory = nullptr;
  if (musaMalloc(&memory, size) != musaSuccess) return nullptr;
  ++allocations;
  bytes += size;
  last_device = device;
  return memory;
}
void give_back(void* memory, std::size_t size, int, musaStream_t) {
  ++frees;
  bytes -= size;
  musaFree(memory);
}
void* none(std::size_t, int, musaStream_t) { return nullptr; }
}
"""
COUNTERS = """
import ctypes, sys
import torch
library = ctypes.CDLL(sys.argv[1])
count = lambda name: ctypes.c_int.in_dll(library, name).value
memory = torch.musa.memory
allocator = memory.MUSAPluggableAllocator(sys.argv[1], "take", "give_back")
"""


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
    """Run code in a process of its own, as what memory comes from is decided once in a process."""

    def run_code(code: str) -> None:
        done = run_python(COUNTERS + code, str(library), MUSA_SIM_DEVICES="2")
        assert done.returncode == 0, done.stderr

    return run_code


def test_all_memory_comes_from_the_programs_allocator(run: Run) -> None:
    run(
        """
memory.change_current_allocator(allocator)
a, b = torch.randn(4, device="musa"), torch.randn(4, device="musa:1")
assert count("allocations") == 2 and count("frees") == 0 and count("last_device") == 1
assert count("bytes") == torch.musa.memory_allocated(0) + torch.musa.memory_allocated(1) == 32
assert torch.equal((a + a).cpu(), a.cpu() * 2)
del a, b
assert count("frees") == count("allocations") and count("bytes") == 0
"""
    )


def test_an_allocator_that_is_in_use_stays(run: Run) -> None:
    run(
        """
kept = torch.empty(1, device="musa")
try:
    memory.change_current_allocator(allocator)
except RuntimeError as error:
    assert "Can't swap an already initialized allocator" in str(error)
else:
    raise AssertionError("not refused")
del kept
assert count("frees") == 0
"""
    )


def test_null_is_running_out_of_memory(run: Run) -> None:
    run(
        """
pool = torch.musa.MemPool(memory.MUSAPluggableAllocator(sys.argv[1], "none", "give_back").allocator())
with torch.musa.use_mem_pool(pool):
    try:
        torch.empty(4, device="musa")
    except torch.OutOfMemoryError:
        pass
    else:
        raise AssertionError("not refused")
assert torch.empty(4, device="musa").numel() == 4
"""
    )


def test_a_pools_memory_comes_from_its_allocator(run: Run) -> None:
    run(
        """
pool = torch.musa.MemPool(allocator.allocator())
assert pool.allocator is allocator.allocator() and pool.use_count() == 1
before = torch.empty(4, device="musa")
with torch.musa.use_mem_pool(pool):
    inside = torch.ones(4, device="musa")
    elsewhere = torch.ones(4, device="musa:1")
    assert count("allocations") == 1 and pool.use_count() == 3
after = torch.empty(4, device="musa")
assert count("allocations") == 1
(segment,) = pool.snapshot()
assert segment["address"] == inside.data_ptr() and segment["segment_pool_id"] == pool.id
assert len(torch.musa.memory_snapshot()) == 4
result = inside + 1
del inside
assert count("frees") == 1 and pool.use_count() == 1 and pool.snapshot() == []
"""
    )


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
    run(
        """
import threading
TAKE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
GIVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
take = TAKE(lambda size, device, stream: ctypes.cast(library.take, TAKE)(size, device, stream))
give = GIVE(lambda block, size, device, stream: ctypes.cast(library.give_back, GIVE)(block, size, device, stream))
source = torch.musa._MUSAC.MemorySource(*(ctypes.cast(f, ctypes.c_void_p).value for f in (take, give)))
pool = torch.musa.MemPool(source)

def work():
    with torch.musa.use_mem_pool(pool):
        for _ in range(100):
            torch.empty(4, device="musa")

threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
[thread.start() for thread in threads]
while any(thread.is_alive() for thread in threads):
    torch.musa.memory_allocated()
[thread.join() for thread in threads]
assert count("allocations") == count("frees") == 400
"""
    )
