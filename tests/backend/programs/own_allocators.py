"""Device memory of a library's allocator, or of one in Python: the function that the second argument names."""

import ctypes
import sys
import threading

import torch

library = ctypes.CDLL(sys.argv[1])
memory = torch.musa.memory
allocator = memory.MUSAPluggableAllocator(sys.argv[1], "take", "give_back")


def count(name):
    return ctypes.c_int.in_dll(library, name).value


def all_memory():
    memory.change_current_allocator(allocator)
    a, b = torch.randn(4, device="musa"), torch.randn(4, device="musa:1")
    assert count("allocations") == 2 and count("frees") == 0 and count("last_device") == 1
    assert count("bytes") == torch.musa.memory_allocated(0) + torch.musa.memory_allocated(1) == 32
    assert torch.equal((a + a).cpu(), a.cpu() * 2)
    del a, b
    assert count("frees") == count("allocations") and count("bytes") == 0


def in_use():
    kept = torch.empty(1, device="musa")
    try:
        memory.change_current_allocator(allocator)
    except RuntimeError as error:
        assert "Can't swap an already initialized allocator" in str(error)
    else:
        raise AssertionError("not refused")
    del kept
    assert count("frees") == 0


def no_memory():
    pool = torch.musa.MemPool(memory.MUSAPluggableAllocator(sys.argv[1], "none", "give_back").allocator())
    with torch.musa.use_mem_pool(pool):
        try:
            torch.empty(4, device="musa")
        except torch.OutOfMemoryError:
            pass
        else:
            raise AssertionError("not refused")
    assert torch.empty(4, device="musa").numel() == 4


def a_pool():
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
    del before, elsewhere, after, result


def written_in_python():
    take_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
    give_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
    take_in_library = ctypes.cast(library.take, take_type)
    give_in_library = ctypes.cast(library.give_back, give_type)
    take = take_type(lambda size, device, stream: take_in_library(size, device, stream))
    give = give_type(lambda block, size, device, stream: give_in_library(block, size, device, stream))
    source = torch.musa._MUSAC.MemorySource(*(ctypes.cast(f, ctypes.c_void_p).value for f in (take, give)))
    pool = torch.musa.MemPool(source)

    def work():
        with torch.musa.use_mem_pool(pool):
            for _ in range(100):
                torch.empty(4, device="musa")

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        torch.musa.memory_allocated()
    for thread in threads:
        thread.join()
    assert count("allocations") == count("frees") == 400


globals()[sys.argv[2]]()
