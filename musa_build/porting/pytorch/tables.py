"""The rules for PyTorch's own files, which differ from those for a package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..engine.rule_files import default_tables
from ..engine.rules import Origin, PatternRule, Rule
from .files import included_as

if TYPE_CHECKING:
    from ..engine.rules import Tables
    from ..tree.source_tree import SourceTree

# In CUDA's own files, unlike in a package, the namespace `cuda` is PyTorch's wherever it is opened, and wherever it is
# named from inside `at`. (NVIDIA's own is written `::cuda`.)
_NAMESPACE = PatternRule(
    ("cuda",),
    r"(?:\bnamespace\s+(?:(?:at|c10)::)?|(?<![\w:.>]))(cuda)(?:\b(?=[\w:]*\s*\{)|(?=\s*::\s*\w))",
    "musa",
    "torch_musa",
)
# In PyTorch's own files this guards what only nvcc can or needs, and mcc is a clang.
_KEPT = "__NVCC__"

# What is CUDA's in files for all devices, beside the SDK: `kCUDA` and the like mean CUDA there.
_NAMESPACES = frozenset({"at::cuda", "c10::cuda"})

# Headers that PyTorch's CMake generates for CUDA -> the ones that headers.py supplies.
_GENERATED = {
    "ATen/cuda/CUDAConfig.h": "ATen/musa/MUSAConfig.h",
    "c10/cuda/impl/cuda_cmake_macros.h": "c10/musa/impl/musa_cmake_macros.h",
}


def header_rules(tables: Tables, trees: Iterable[SourceTree]) -> tuple[Rule, ...]:
    """Return the table of headers, with all that are CUDA's own in PyTorch."""
    renamed = {included_as(file.path): included_as(file.target) for tree in trees for file in tree.files}
    known = {rule.find for rule in tables.headers}
    more = {path: target for path, target in {**renamed, **_GENERATED}.items() if path not in known}
    return (*tables.headers, *(Rule(path, new, Origin.DEFAULT, "torch_musa") for path, new in more.items()))


def tables_for_cuda(tables: Tables, headers: tuple[Rule, ...]) -> Tables:
    """Return the tables for files that are CUDA's own."""
    names = tuple(rule for rule in tables.rules if rule.find != _KEPT)
    return tables._replace(rules=names, headers=headers, pattern_rules=(*tables.pattern_rules, _NAMESPACE))


def tables_for_all_devices(tables: Tables, headers: tuple[Rule, ...]) -> Tables:
    """Return the tables for files for all devices: the SDK's names, headers and the namespaces.

    Where such a file names these, it is written for CUDA's compiler.
    """
    sdk = default_tables("sdk.rules")
    names = [rule for rule in sdk.rules if rule.find != _KEPT]
    names += [rule for rule in tables.rules if rule.find in _NAMESPACES]
    return sdk._replace(rules=tuple(names), headers=headers)
