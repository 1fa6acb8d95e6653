"""The rules for PyTorch's own files, which differ from those for a package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..engine.rewrites import version_values
from ..engine.rules import Origin, PatternRule, Rule, RuleSet, default_tables
from ..engine.translate import Translator
from .files import included_as

# The CUDA version that PyTorch's own code sees: from 12.3 on it uses what MUSA lacks, such as conditional graph nodes.
_CUDA = "11.8"

if TYPE_CHECKING:
    from ..tree.source_tree import SourceTree

# In CUDA's own files, unlike in a package, the namespace `cuda` is PyTorch's wherever it is opened, and wherever it is
# named from inside `at`. (NVIDIA's own is written `::cuda`.)
_NAMESPACE = PatternRule(
    ("cuda",),
    r"(?:\bnamespace\s+(?:(?:at|c10)::)?|(?<![\w:.>]))(cuda)(?:\b(?=[\w:]*\s*\{)|(?=\s*::\s*\w))",
    "musa",
    "torch_musa",
)
# NVIDIA's own is that of libcu++, which a macro may name: NO_ROCM(::cuda)::std::equal_to.
_LIBRARY_NAMESPACE = PatternRule(("cuda",), r"\bNO_ROCM\(::(cuda)\)::std\b", "musa", "torch_musa")
# One inside others of PyTorch, by its full name: at::native::templates::cuda::normal_kernel.
_INNER_NAMESPACE = PatternRule(("cuda",), r"\b(?:native|templates)::(cuda)(?=\s*::\s*\w)", "musa", "torch_musa")
_OWN_NAMESPACES = (_NAMESPACE, _LIBRARY_NAMESPACE, _INNER_NAMESPACE)
# PyTorch's kernels work on C10_WARP_SIZE lanes, a constant, and are launched for as many as the host says. On CUDA that
# is one number; on MUSA the host may say 128 where the constant is 32. All other code gets the host's answer.
_WARP_SIZE = Rule("at::cuda::warp_size()", "C10_WARP_SIZE", Origin.DEFAULT, "torch_musa")
# A kernel registers itself with REGISTER_MUSA_DISPATCH, or, in a file for the device, with REGISTER_DISPATCH. Both
# fill the slot of PrivateUse1 in the stub, which MUSA's tensors use.
_DISPATCH = (
    PatternRule(
        ("REGISTER_CUDA_DISPATCH",),
        r"\bdefine\s+REGISTER_DISPATCH\(name, fn\)\s+(REGISTER_CUDA_DISPATCH)\b",
        "REGISTER_MUSA_DISPATCH",
        "torch_musa",
    ),
    PatternRule(
        ("REGISTER_CUDA_DISPATCH",), r"\bdefine\s+(REGISTER_CUDA_DISPATCH)\(", "REGISTER_MUSA_DISPATCH", "torch_musa"
    ),
    PatternRule(
        ("RegisterCUDADispatch",),
        r"\bstatic\s+(RegisterCUDADispatch)<struct name##_DECLARE_DISPATCH_type>",
        "RegisterPRIVATEUSE1Dispatch",
        "torch_musa",
    ),
)
# libtorch_cuda has these functions of the stable interface; headers.py supplies their counterparts.
_STABLE_CHECKS = tuple(
    Rule(f"torch_c10_cuda_{name}", f"torch_c10_musa_{name}", Origin.DEFAULT, "torch_musa")
    for name in ("check_msg", "free_error_msg")
)
# In PyTorch's own files this guards code for nvcc alone, and mcc is a clang.
_KEPT = "__NVCC__"

# CUDA's names in files for all devices, apart from the SDK's: `kCUDA` and the like mean CUDA there.
_NAMESPACES = frozenset({"at::cuda", "c10::cuda"})

# Headers that PyTorch's CMake generates for CUDA, and the one that declares libtorch_cuda's functions -> the ones that
# headers.py supplies.
_SUPPLIED = {
    "ATen/cuda/CUDAConfig.h": "ATen/musa/MUSAConfig.h",
    "c10/cuda/impl/cuda_cmake_macros.h": "c10/musa/impl/musa_cmake_macros.h",
    "torch/csrc/stable/c/shim.h": "torch/csrc/stable/c/musa_shim.h",
}


def known_headers() -> Mapping[str, str]:
    """Return the headers in the tables: include path -> include path."""
    return {rule.find: rule.replace for rule in default_tables().headers}


def translators(trees: Iterable[SourceTree]) -> tuple[Translator, Translator]:
    """Return the translators for files that are CUDA's own, which are those of `trees`, and for files for all devices.

    The second knows the SDK's names, headers, and the namespaces: where a file for all devices names these, it is
    written for CUDA's compiler.
    """
    tables = default_tables()
    headers = _header_rules(tables.headers, trees)
    names = (*(rule for rule in tables.rules if rule.find != _KEPT), _WARP_SIZE)
    cuda = tables._replace(rules=names, headers=headers, pattern_rules=(*tables.pattern_rules, *_OWN_NAMESPACES))
    sdk = default_tables("sdk.rules")
    sdk_names = [rule for rule in sdk.rules if rule.find != _KEPT]
    sdk_names += [rule for rule in tables.rules if rule.find in _NAMESPACES]
    sdk_names += _STABLE_CHECKS
    patterns = (*sdk.pattern_rules, *_DISPATCH)
    all_devices = sdk._replace(rules=tuple(sdk_names), headers=headers, pattern_rules=patterns)
    own = Translator(RuleSet((), cuda), versions=version_values(_CUDA))
    return own, Translator(RuleSet((), all_devices), versions={})


def _header_rules(headers: tuple[Rule, ...], trees: Iterable[SourceTree]) -> tuple[Rule, ...]:
    """Return `headers`, with all that are CUDA's own in PyTorch."""
    renamed = {included_as(file.path): included_as(file.target) for tree in trees for file in tree.files}
    known = {rule.find for rule in headers}
    more = {path: target for path, target in {**renamed, **_SUPPLIED}.items() if path not in known}
    return (*headers, *(Rule(path, new, Origin.DEFAULT, "torch_musa") for path, new in more.items()))
