"""Extensions bound with pybind11 accept torch.musa's objects as the C++ classes that torch_musa's headers declare."""

from __future__ import annotations

import gc
import importlib.util
from typing import Any

import pytest
import torch
from torch import musa

from .conftest import HERE, BuildKept


@pytest.fixture(scope="module")
def bound(build_kept: BuildKept) -> Any:
    library = build_kept(HERE / "bound_classes", "bound.cpp", "setup.py")
    spec = importlib.util.spec_from_file_location("musa_bound_classes", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_graphs(bound: Any) -> None:
    x = torch.zeros(4, device="musa")
    graph = musa.MUSAGraph()
    assert bound.executable_of(graph) == 0
    with musa.graph(graph):
        x.add_(1)
    assert bound.executable_of(graph) == graph.raw_musa_graph_exec() != 0
    assert bound.same_graph(graph) is graph
    musa.synchronize()
    assert x.sum().item() == 4


class NamedGraph(musa.MUSAGraph):
    """A program's own subclass, with an attribute."""

    def __init__(self, name: str) -> None:
        super().__init__(keep_graph=True)
        self.name = name


def test_graphs_of_subclasses(bound: Any) -> None:
    x = torch.zeros(4, device="musa")
    graph = NamedGraph("mine")
    with musa.graph(graph):
        x.add_(2)
    assert bound.same_graph(graph).name == "mine"
    musa.synchronize()
    assert x.sum().item() == 8 and graph.raw_musa_graph() != 0


def test_streams_and_generators(bound: Any) -> None:
    stream = musa.Stream()
    assert bound.handle_of(stream) == stream.musa_stream != 0
    assert bound.handle_of(musa.default_stream()) == 0
    assert bound.handle_of(torch.Stream(device="musa")) != 0
    with pytest.raises(RuntimeError, match="not a MUSA stream"):
        bound.handle_of(torch.Stream(stream_id=0, device_index=0, device_type=0))
    generator = torch.Generator("musa").manual_seed(77)
    assert bound.seed_of(generator) == 77


def test_pools_of_python(bound: Any) -> None:
    pool = musa.MemPool()
    assert bound.id_of(pool) == pool.id
    with pytest.raises(TypeError):
        bound.id_of(musa.MUSAGraph())


def test_allocators_of_an_extension(bound: Any) -> None:
    allocator = bound.counting_allocator()
    pool = musa.MemPool(allocator)
    assert pool.allocator is allocator
    with musa.use_mem_pool(pool):
        kept = torch.empty(1000, dtype=torch.uint8, device="musa")
    assert bound.taken() == 1000 and kept.numel() == 1000
    assert [segment["address"] for segment in pool.snapshot()] == [kept.data_ptr()]
    del kept
    gc.collect()
    assert bound.taken() == 0


def test_pools_of_an_extension(bound: Any) -> None:
    """It returns the base class, which use_mem_pool takes as well."""
    pool = bound.own_pool(bound.counting_allocator())
    with musa.use_mem_pool(pool):
        kept = torch.empty(500, dtype=torch.uint8, device="musa")
    assert bound.taken() == 500 and pool.use_count() >= 2
    del kept
    assert bound.taken() == 0


def test_names_of_utils(bound: Any) -> None:
    """Packages use these names of torch_musa's Utils.h."""
    here, there = torch.zeros(2), torch.zeros(2, device="musa")
    assert bound.is_musa(there) and not bound.is_musa(here)
    assert bound.has_musas_key(there) and not bound.has_musas_key(here)
    dtypes = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
    for dtype in (*dtypes, torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert bound.bytes_of(torch.zeros(2, dtype=dtype)) == dtype.itemsize
    with pytest.raises(RuntimeError, match="not implemented"):
        bound.bytes_of(torch.zeros(2, dtype=torch.complex64))
