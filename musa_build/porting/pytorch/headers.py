"""PyTorch's own CUDA code, ported: what torch_musa ships as `share/generated_cuda_compatible`.

An extension that includes `<ATen/cuda/Atomic.cuh>` includes `<ATen/musa/Atomic.muh>` after porting. That file is made
here from the installed torch. Headers that torch_musa has written anew (`torch_musa/csrc/...`) are left out, and
includes of them lead there.

PyTorch's headers for all devices offer their types to kernels only where `__CUDACC__` is defined (`C10_HOST_DEVICE`,
`c10::Half` as `__half`); mcc defines `__MUSACC__`. So those that ask are ported as well, under their own names, and the
result comes before torch's own `include` folder on a command line.

Given a checkout of PyTorch, its kernels are ported too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Optional

from ...errors import PortingError
from ...system.files import digest
from ..engine.hazards import DEFAULT_TARGET, TARGETS
from ..engine.rule_files import default_tables
from ..engine.rules import Origin, Phrase, Rule, RuleSet, Tables
from ..engine.scanner import Include
from ..engine.translate import Translator
from ..report.summary import PortReport
from ..tree.manifest import NO_STAMP, FileRecord, Manifest
from ..tree.output import Ported, opened, reason_of, write_tree
from ..tree.session import Session
from ..tree.source_tree import SourceFile, SourceTree
from .files import INCLUDE, cuda_headers, included_as, kernels, portable_headers

# What PyTorch's CMake would generate (no library beside the runtime is promised: none of them is needed by headers),
# and two names by which mmcv's branch for MUSA asks: from torch_musa up to 2.x, and from PyTorch before 1.11.
_SUPPLIED = {
    "ATen/musa/MUSAConfig.h": (
        "#pragma once\n"
        "#define AT_CUDNN_ENABLED() 0\n"
        "#define AT_CUSPARSELT_ENABLED() 0\n"
        "#define AT_HIPSPARSELT_ENABLED() 0\n"
        "#define AT_ROCM_ENABLED() 0\n"
        "#define AT_MAGMA_ENABLED() 0\n"
        '#define NVCC_FLAGS_EXTRA ""\n'
    ),
    "c10/musa/impl/musa_cmake_macros.h": "#pragma once\n#define C10_MUSA_BUILD_SHARED_LIBS\n",
    "ATen/musa/MUSA_PORT_ApplyUtils.muh": "#pragma once\n#include <ATen/musa/MUSAApplyUtils.muh>\n",
    "THC/THCAtomics.muh": "#pragma once\n#include <ATen/musa/Atomic.muh>\n",
}
_SUPPLIED_FOR = {
    "ATen/cuda/CUDAConfig.h": "ATen/musa/MUSAConfig.h",
    "c10/cuda/impl/cuda_cmake_macros.h": "c10/musa/impl/musa_cmake_macros.h",
}

# In CUDA's own files, unlike in a package, the namespace `cuda` is PyTorch's wherever it is opened, and wherever it is
# named from inside `at`. (NVIDIA's own is written `::cuda`.)
_NAMESPACE = Phrase(
    ("cuda",),
    r"(?:\bnamespace\s+(?:(?:at|c10)::)?|(?<![\w:.>]))(cuda)(?:\b(?=[\w:]*\s*\{)|(?=\s*::\s*\w))",
    "musa",
    "torch_musa",
)
# PyTorch's kernels work on C10_WARP_SIZE lanes, a constant, and are launched for as many as the host says. On CUDA that
# is one number; on MUSA the host may say 128 where the constant is 32. All else that asks the host gets its answer.
_WARP_SIZE = Rule("at::cuda::warp_size()", "C10_WARP_SIZE", Origin.DEFAULT, "torch_musa")
# In PyTorch's own files this guards what only nvcc can or needs, and mcc is a clang.
_KEPT = "__NVCC__"

# What is CUDA's in files for all devices, beside the SDK: `kCUDA` and the like mean CUDA there.
_NAMESPACES = frozenset({"at::cuda", "c10::cuda"})


class _Part(NamedTuple):
    """Some of the files, and how they are ported."""

    session: Session

    def ported(self, output: Path, old: Manifest, fingerprint: str) -> Iterator[Ported]:
        """The files as they should stand in `output`. `fingerprint` is that of all parts together."""
        known = old._replace(rules=self.session.fingerprint if old.rules == fingerprint else "")
        return self.session.ported(output, known)


def torch_include() -> Path:
    """The include folder of the installed torch, which is looked up, not imported.

    Raises:
        PortingError: there is none.
    """
    spec = find_spec("torch")
    folder = None if spec is None or spec.origin is None else Path(spec.origin).parent / "include"
    if folder is None or not (folder / "ATen").is_dir():
        raise PortingError("PyTorch's headers were not found", wanted="an installed torch, or its include folder")
    return folder


def port_torch_headers(
    include: Path, output: Path, checkout: Optional[Path] = None, lacking: Iterable[str] = ()
) -> PortReport:
    """Port PyTorch's headers below `include` (a torch's include folder) into `output`/include.

    The kernels of `checkout` (the root of PyTorch's sources) go into `output`/aten/src, c10 and torch. `lacking` are
    headers of PyTorch's that Moore Threads' torch_musa has written anew and the one at hand has not: they are ported
    too, to where torch_musa has them.

    Raises:
        PortingError: `include` holds no such headers, `checkout` no such kernels, or `output` cannot be written.
    """
    parts = _parts(include, checkout, lacking)
    fingerprint = digest(*(part.session.fingerprint for part in parts))
    try:
        with opened(output):
            old = Manifest.read(output)
            files = chain(*(part.ported(output, old, fingerprint) for part in parts), _supplied())
            result = write_tree(output, files, old, fingerprint)
    except OSError as error:
        raise PortingError("the ported headers cannot be written", found=reason_of(error, output)) from error
    records = [result.records[target] for target in sorted(result.records)]
    findings = (*(finding for record in records for finding in record.findings), *result.findings)
    edits = sum(record.edits for record in records)
    return PortReport(
        include, output, len(records), edits, tuple(result.written), tuple(result.removed), findings, unused_rules=()
    )


def _parts(include: Path, checkout: Optional[Path], lacking: Iterable[str]) -> list[_Part]:
    tables = default_tables()
    known = {rule.find: rule.replace for rule in tables.headers}
    root = str(include.absolute())
    headers = cuda_headers(root, known, lacking) if include.is_dir() else None
    if headers is None or not headers.files:
        raise PortingError("there are no CUDA headers of PyTorch", found=str(include), wanted="torch's include folder")
    trees = [headers]
    if checkout is not None:
        present = [*(file.target for file in headers.files), *(INCLUDE + path for path in _SUPPLIED)]
        trees.append(kernels(str(checkout.absolute()), known, present))
        if not trees[-1].files:
            wanted = "the root of PyTorch's sources, with aten/src/ATen below"
            raise PortingError("there are no CUDA kernels of PyTorch", found=str(checkout), wanted=wanted)
    headers_of_cuda = _includes(tables, trees)
    names = (*(rule for rule in tables.rules if rule.find != _KEPT), _WARP_SIZE)
    of_cuda = tables._replace(rules=names, headers=headers_of_cuda, phrases=(*tables.phrases, _NAMESPACE))
    parts = [_part(tree, Translator(RuleSet((), of_cuda))) for tree in trees]
    for_all_devices = Translator(RuleSet((), _tables_for_all_devices(tables, headers_of_cuda)), versions={})
    return [*parts, _part(portable_headers(root), for_all_devices)]


def _part(tree: SourceTree, translator: Translator) -> _Part:
    targets = {file.path: file.target for file in tree.files}
    return _Part(
        Session(tree, translator, TARGETS[DEFAULT_TARGET], lambda file, include: _beside(targets, file, include))
    )


def _beside(targets: dict[str, str], file: SourceFile, include: Include) -> Optional[str]:
    """What a quoted include of a neighbour becomes; all other includes are in the table of headers."""
    if not include.quoted:
        return None
    target = targets.get(posixpath.normpath(posixpath.join(posixpath.dirname(file.path), include.path)))
    return None if target is None else posixpath.relpath(target, posixpath.dirname(file.target))


def _includes(tables: Tables, trees: Iterable[SourceTree]) -> tuple[Rule, ...]:
    """The table of headers, with all that are CUDA's own in PyTorch."""
    renamed = {included_as(file.path): included_as(file.target) for tree in trees for file in tree.files}
    known = {rule.find for rule in tables.headers}
    more = {path: target for path, target in {**renamed, **_SUPPLIED_FOR}.items() if path not in known}
    return (*tables.headers, *(Rule(path, new, Origin.DEFAULT, "torch_musa") for path, new in more.items()))


def _tables_for_all_devices(tables: Tables, headers: tuple[Rule, ...]) -> Tables:
    """The SDK's names, headers, and the namespaces: where such a file names these, it speaks to CUDA's compiler."""
    sdk = default_tables("sdk.rules")
    names = [rule for rule in sdk.rules if rule.find != _KEPT]
    names += [rule for rule in tables.rules if rule.find in _NAMESPACES]
    return sdk._replace(rules=tuple(names), headers=headers)


def _supplied() -> Iterator[Ported]:
    for path, text in _SUPPLIED.items():
        content, target = text.encode(), INCLUDE + path
        record = FileRecord(target, NO_STAMP, "", NO_STAMP, digest(content), 0, (), ())
        yield Ported(target, content, 0o644, record)
