"""Programs such as torchada replace functions of PyTorch and steps of torch_musa by their own, which call ours."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Optional

import pytest
import torch
from torch.utils import cpp_extension
from torch_musa.utils import musa_extension, simple_porting
from torch_musa.utils.simple_porting import SimplePorting

from musa_build.environment.torch_info import TorchInfo, torch_build_tools

from .conftest import needs_2_13

SOURCE = "#include <cuda_runtime.h>\n// cudaFree\nvoid f(void* p) { cudaFree(p); cublasCreate(0); }\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "csrc/deep").mkdir(parents=True)
    (tmp_path / "csrc/deep/k.cu").write_text(SOURCE)
    (tmp_path / "csrc/left_out").mkdir()
    (tmp_path / "csrc/left_out/k.cu").write_text(SOURCE)
    return tmp_path / "csrc"


def test_without_a_replacement_the_whole_tree_is_ported(tree: Path) -> None:
    report = SimplePorting(cuda_dir_path=str(tree)).run()
    assert report is not None and report.files == 2
    assert "musaFree(p)" in (tree.with_name("csrc_musa") / "deep/k.mu").read_text()


def test_a_step_of_a_subclass_ports_each_file(tree: Path) -> None:
    class Porting(SimplePorting):
        def modify_file(self, cuda_filepath: str, musa_filepath: str) -> None:
            text = Path(cuda_filepath).read_text()
            for old, new in self.mapping_rule:  # type: ignore[str-unpack]
                text = text.replace(old, new)
            Path(musa_filepath).write_text(text)

    rules = {"void f": "void g"}
    assert Porting(str(tree), ignore_dir_paths=[str(tree / "left_out")], mapping_rule=rules).run() is None
    ported = tree.with_name("csrc_musa")
    assert (ported / "deep/k.mu").read_text() == (
        "#include <musa_runtime.h>\n// musaFree\nvoid g(void* p) { musaFree(p); mublasCreate(0); }\n"
    )
    assert not (ported / "left_out/k.mu").exists()


def test_a_patched_class_ports_in_place_by_our_step(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    original = SimplePorting.load_replaced_mapping

    def load_replaced_mapping(self: SimplePorting) -> None:
        original(self)
        given.append(len(self.mapping_rule))

    monkeypatch.setattr(SimplePorting, "load_replaced_mapping", load_replaced_mapping)
    monkeypatch.setattr(simple_porting, "EXT_REPLACED_MAPPING", {})
    porting = SimplePorting(str(tree))
    porting.musa_dir_path = str(tree)
    porting.run()
    assert (tree / "deep/k.cu").read_text() == (
        "#include <musa_runtime.h>\n// cudaFree\nvoid f(void* p) { musaFree(p); mublasCreate(0); }\n"
    )
    assert given and given[0] > 1000


def replaced(function: Any, ours: Any, *, disguised: bool) -> Any:
    """Return a function for PyTorch's that calls ours, as torchada's do; `disguised` takes over its names."""

    def replacement(device_type: Optional[str] = None, *args: Any, **kwargs: Any) -> Any:
        return ours(musa=device_type != "cpu")

    return functools.wraps(function)(replacement) if disguised else replacement


@pytest.mark.parametrize("disguised", [False, True])
def test_paths_do_not_ask_themselves(monkeypatch: pytest.MonkeyPatch, disguised: bool) -> None:
    before = TorchInfo.find()
    for name in ("include_paths", "library_paths"):
        new = replaced(getattr(cpp_extension, name), getattr(musa_extension, name), disguised=disguised)
        monkeypatch.setattr(cpp_extension, name, new)
    assert TorchInfo.find() == before
    assert set(map(str, before.include_dirs)) < set(cpp_extension.include_paths("cuda"))


def test_a_build_derives_from_pytorchs_own_class(monkeypatch: pytest.MonkeyPatch) -> None:
    own = cpp_extension.BuildExtension
    assert torch_build_tools() is cpp_extension

    class Derived(musa_extension.BuildExtension):  # type: ignore[misc]
        pass

    monkeypatch.setattr(cpp_extension, "BuildExtension", Derived)
    found = torch_build_tools().BuildExtension
    assert found is not Derived and found.__qualname__ == own.__qualname__
    assert found.build_extensions.__code__ == own.build_extensions.__code__


@needs_2_13
def test_statistics_do_not_ask_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "memory_stats", torch.musa.memory_stats)
    assert torch.accelerator.memory_stats()["num_ooms"] >= 0
