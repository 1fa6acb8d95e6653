"""Find the CUDA names that an SDK has a counterpart of. This module is pure.

Porting's rules map CUDA's names to MUSA's. Here the SDK's own identifiers are taken, and each name that a rule maps to
one of them becomes an alias. So a newer SDK brings its new names by itself, and a name without counterpart stays
undeclared: the compiler reports it where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..porting.engine.rules import RuleSet

_IDENTIFIER = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)

# The components of porting/engine/tables/sdk.rules and libraries.rules, backwards.
_BACKWARDS = (
    ("musa", "cuda"),
    ("Musa", "Cuda"),
    ("MUSA", "CUDA"),
    ("MTTX", "NVTX"),
    ("mttx", "nvtx"),
    ("mtrtc", "nvrtc"),
    ("MTRTC", "NVRTC"),
    (r"(?<![A-Za-z0-9])mtpp", "npp"),
    (r"(?<![A-Za-z0-9])MTPP", "NPP"),
    ("mccl", "nccl"),
    ("MCCL", "NCCL"),
    ("Mu(?=Context|Device|Event|Stream|bin|rand|pti|BLAS|FFT)", "Cu"),
    ("MU(?=BLAS|FFT|RAND|SOLVER|SPARSE|PTI|BIN|FUNC)", "CU"),
    ("mu(?=blas|fft|rand|solver|sparse|pti|bin)", "cu"),
    (r"(?<![A-Za-z0-9])MU(?=[a-z_0-9]|GL|GPU|EGL|DEVICE|CONTEXT|$)", "CU"),
    (r"(?<![A-Za-z0-9])mu(?=[A-Z_0-9u]|$)", "cu"),
)
_MT = ((r"(?<![A-Za-z0-9])mt", "nv"), (r"(?<![A-Za-z0-9])MT", "NV"), ("Mt(?=Sci|link|Link|tx)", "Nv"))

#: Names that the toolkit defines itself, or that mean something else to CUDA code.
_NOT_ALIASES = re.compile(
    r"__CUDA_ARCH\w*|CUDA(?:RT)?_VERSION|__NVCC__|__CUDACC\w*|__CUDA__|nvcuda|cuda|\w+_H_?_?|\w*(?:_SIM_|_sim_)\w*"
    r"|_*CUDA(?:RT)?_API_PER_THREAD_DEFAULT_STREAM"
)
_VERSIONED = re.compile(
    r"(?:cublas|cusparse)[A-Z]\w*|cu(?:Ctx|Mem|Memcpy|Memset|Module|Stream|Event|Device|Link|TexRef|Array|Ipc)[A-Z]\w*"
)
#: Names with a version, and names whose _v2 takes other arguments.
_NOT_VERSIONED = re.compile(r"\w+_v\d|\w+_pt[ds][sz]|cuMemAdvise|cuMemPrefetchAsync|cuStreamUpdateCaptureDependencies")


@dataclass(frozen=True)
class CudaNames:
    """CUDA's names in terms of an SDK's.

    Attributes:
        aliases: CUDA name -> MUSA name, for functions, types, constants and macros.
        tags: CUDA name -> MUSA name, for structures that programs declare by themselves (`struct CUstream_st;`). These
            are renamed the other way round, so that a program's declaration is that of the SDK.
    """

    aliases: Mapping[str, str]
    tags: Mapping[str, str]


def identifiers(text: str) -> set[str]:
    """Return the identifiers of C++ code, without those in comments and string literals."""
    return set(_IDENTIFIER.findall(_COMMENT.sub(" ", text)))


def cuda_names(known: Iterable[str], rules: RuleSet, tags: Iterable[str]) -> CudaNames:
    """Return the CUDA names that `rules` map to one of the `known` identifiers of an SDK.

    `tags` are the CUDA names of structures that programs declare by themselves.
    """
    sdk = set(known)
    found = {rule.find: rule.replace for rule in rules.tables.rules if rule.replace in sdk and rule.find.isidentifier()}
    for name in sorted(sdk):
        for candidate in _candidates(name):
            if rules.new_name(candidate) == name and not _NOT_ALIASES.fullmatch(candidate):
                found.setdefault(candidate, name)
    found = {cuda: musa for cuda, musa in found.items() if not _NOT_ALIASES.fullmatch(cuda)}
    # CUDA's headers give newer forms of a function a suffix, and the plain name is a macro for the newest.
    for cuda, musa in list(found.items()):
        if _VERSIONED.fullmatch(cuda) and not _NOT_VERSIONED.fullmatch(cuda):
            found.setdefault(f"{cuda}_v2", musa)
    wanted_tags = set(tags)
    return CudaNames(
        {cuda: musa for cuda, musa in found.items() if cuda not in wanted_tags},
        {cuda: musa for cuda, musa in found.items() if cuda in wanted_tags},
    )


def _candidates(name: str) -> Iterator[str]:
    """Yield names of CUDA that may have `name` as their counterpart."""
    for pairs in (_BACKWARDS, (*_MT, *_BACKWARDS)):
        candidate = name
        for pattern, replacement in pairs:
            candidate = re.sub(pattern, replacement, candidate)
        if candidate != name:
            yield candidate
    if name.startswith("__musa"):
        yield "__nv" + name[len("__musa") :]
