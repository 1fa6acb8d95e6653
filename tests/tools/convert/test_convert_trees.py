"""Whole trees of other people's code: converting twice is converting once, and only names and words differ.

A slice of PyTorch's own files runs always, all of them with MUSA_BUILD_CORPUS=1. mmcv comes from the package index.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from sdists import Unavailable, fetch_sdist, unpack

from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Options
from musa_tools.convert.tree import Exclusions, files_of

TORCH = Path(torch.__file__).parent
EVERY = 40
MMCV = ("mmcv", "2.2.0", "ac479247e808d8802f89eadf04d4118de86bdfe81361ec5aed0cc1bf731c67c9")

# In this order. What is left of a name when all that the converter may change is taken away.
SAME = [
    ("torch.backends.cuda.matmul.allow_tf32", "TF32"),
    ("torch.backends.cudnn.allow_tf32", "TF32"),
    ("torch.backends.mudnn.allow_tf32", "TF32"),
    ("torch.utils.cpp_extension", "EXTENSION"),
    ("torch_musa.utils.musa_extension", "EXTENSION"),
    ("MUSA", "CUDA"),
    ("musa", "cuda"),
    ("MCCL", "NCCL"),
    ("mccl", "nccl"),
    ("torch.cuda.mccl", "torch.cuda.nccl"),
    ("torch.cuda.amp.autocast_mode", "torch.cuda.amp"),
    ("torch.cuda.amp.grad_scaler", "torch.cuda.amp"),
    ("torch.cuda.streams", "torch.cuda"),
    ("torch.cuda.random", "torch.cuda"),
]


class Canonical(ast.NodeTransformer):
    """Makes equal what may differ: chains of names become one name; imports, and a choice of nccl, become nothing."""

    def visit_Import(self, node: ast.AST) -> None:
        return None

    visit_ImportFrom = visit_Import

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        is_choice = isinstance(node.body, ast.Constant) and node.body.value == "nccl"
        return node.body if is_choice else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name):
            return ast.Name(canonical(f"{node.value.id}.{node.attr}"), node.ctx)
        node.attr = canonical(node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(canonical(node.id), node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(canonical(node.value) if isinstance(node.value, str) else node.value)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        return ast.keyword(canonical(node.arg) if node.arg else None, node.value)


def canonical(text: str) -> str:
    for old, new in SAME:
        text = text.replace(old, new)
    return "TF32" if text.endswith("cudnn.allow_tf32") else text


def meaning(code: bytes) -> str:
    tree = Canonical().visit(ast.parse(code))
    for node in ast.walk(tree):
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]
    return ast.dump(tree)


def hold_to_it(paths: Sequence[str]) -> int:
    """Convert files, hold the results to the two properties, and return how many changed."""
    changed = 0
    for path in paths:
        content = Path(path).read_bytes()
        found = convert_content(path, content, Options())
        assert found.error is None, (path, found.error)
        if found.content is None:
            continue
        changed += 1
        again = convert_content(path, found.content, Options())
        assert again.content is None, (path, again.changes)
        assert meaning(content) == meaning(found.content), path
    return changed


def scripts(root: Path) -> list[str]:
    return list(files_of(root, Exclusions(root, [])))


def test_a_slice_of_torch() -> None:
    assert hold_to_it(scripts(TORCH)[::EVERY]) > 3


@pytest.mark.whole_corpus
def test_all_of_torch() -> None:
    assert hold_to_it(scripts(TORCH)) > 200


@pytest.mark.slow
def test_mmcv(tmp_path: Path) -> None:
    try:
        sdist = fetch_sdist(*MMCV)
    except Unavailable as error:
        pytest.skip(str(error))
    unpack(sdist, tmp_path)
    assert hold_to_it(scripts(tmp_path)) > 10


def test_the_properties_can_fail() -> None:
    assert meaning(b"x.to('cuda')") == meaning(b"x.to('musa')")
    for other in (b"x.to('musa', 1)", b"x.too('musa')", b"x.to('cpu')", b"y.to('musa')"):
        assert meaning(b"x.to('cuda')") != meaning(other)


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    """Reading from one without a writer waits for ever."""
    for name in ("script", "x.py", "n.ipynb", "run.sh"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "a.py").write_text("")
    assert list(files_of(tmp_path, Exclusions(tmp_path, ()))) == [str(tmp_path / "a.py")]
