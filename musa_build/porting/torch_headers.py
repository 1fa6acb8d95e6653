"""PyTorch's own CUDA headers, ported: what torch_musa ships as `share/generated_cuda_compatible/include`.

An extension that includes `<ATen/cuda/Atomic.cuh>` includes `<ATen/musa/Atomic.muh>` after porting. That file is made
here from the installed torch. Headers that torch_musa has written anew (`torch_musa/csrc/...`) are left out, and
includes of them lead there. A torch for the CPU lacks two headers that its build makes; they are supplied.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Optional

from musa_build.errors import PortingError
from musa_build.files import digest
from musa_build.porting.hazards import DEFAULT_TARGET, TARGETS
from musa_build.porting.manifest import NO_STAMP, FileRecord, Manifest
from musa_build.porting.output import Ported, opened, write_tree
from musa_build.porting.report import PortReport
from musa_build.porting.rule_files import default_tables
from musa_build.porting.rules import Origin, Phrase, Rule, RuleSet
from musa_build.porting.session import Session
from musa_build.porting.translate import Translator
from musa_build.porting.tree import SourceTree, read_tree, target_of

_FOLDERS = ("ATen/cuda/", "ATen/native/cuda/", "c10/cuda/")

# What PyTorch's CMake would generate. No library beside the runtime is promised: none of them is needed by headers.
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
}
_SUPPLIED_FOR = {
    "ATen/cuda/CUDAConfig.h": "ATen/musa/MUSAConfig.h",
    "c10/cuda/impl/cuda_cmake_macros.h": "c10/musa/impl/musa_cmake_macros.h",
}

# In these headers, unlike in a package, the namespace `cuda` is PyTorch's own wherever it is opened.
_NAMESPACE = Phrase(
    ("cuda",), re.compile(r"\bnamespace\s+(?:(?:at|c10)::)?(cuda)\b(?=[\w:]*\s*\{)"), "musa", "torch_musa"
)


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


def port_torch_headers(include: Path, output: Path) -> PortReport:
    """Port the CUDA headers below `include` (a torch's include folder) into `output`.

    Raises:
        PortingError: `include` holds no such headers, or `output` cannot be written.
    """
    if not include.is_dir():
        raise PortingError("there are no CUDA headers of PyTorch", found=str(include), wanted="torch's include folder")
    tables = default_tables()
    headers = {rule.find: rule.replace for rule in tables.headers}
    tree = _torch_tree(include, headers)
    if not tree.files:
        raise PortingError("there are no CUDA headers of PyTorch", found=str(include), wanted="torch's include folder")
    renamed = {**{file.path: file.target for file in tree.files}, **_SUPPLIED_FOR}
    more = tuple(Rule(path, target, Origin.DEFAULT, "torch_musa") for path, target in renamed.items())
    rules = RuleSet((), replace(tables, headers=(*tables.headers, *more), phrases=(*tables.phrases, _NAMESPACE)))
    # Includes are whole paths from the include folder: the header table knows them all, nothing is looked for.
    session = Session(tree, Translator(rules), TARGETS[DEFAULT_TARGET], follow_includes=False)
    try:
        with opened(output):
            old = Manifest.read(output)
            files = chain(session.ported(output, old), _supplied())
            result = write_tree(output, files, old, session.fingerprint)
    except OSError as error:
        found = f"{error.filename}: {error.strerror}"
        raise PortingError("the ported headers cannot be written", found=found) from error
    records = [result.records[target] for target in sorted(result.records)]
    findings = (*(finding for record in records for finding in record.findings), *result.findings)
    edits = sum(record.edits for record in records)
    return PortReport(
        include, output, len(records), edits, tuple(result.written), tuple(result.removed), findings, unused_rules=()
    )


def _torch_tree(include: Path, headers: dict[str, str]) -> SourceTree:
    root = str(include.absolute())
    others = [entry.name for entry in os.scandir(root) if entry.name not in ("ATen", "c10")]
    tree = read_tree(root, patterns=others)
    files = []
    for file in tree.files:
        target = _target(file.path, headers)
        if target is not None:
            files.append(file._replace(target=target))
    return replace(tree, files=tuple(files))


def _target(path: str, headers: dict[str, str]) -> Optional[str]:
    """Where the ported header goes; None for one that is not CUDA's, or that torch_musa has written anew."""
    if not path.startswith(_FOLDERS):
        return None
    known = headers.get(path)
    if known is not None:
        return None if known.startswith("torch_musa/") else known
    folder, _, name = target_of(path).replace("/cuda/", "/musa/").rpartition("/")
    return f"{folder}/{re.sub('^CUDA', 'MUSA', name)}"


def _supplied() -> Iterator[Ported]:
    for target, text in _SUPPLIED.items():
        content = text.encode()
        record = FileRecord(target, NO_STAMP, "", NO_STAMP, digest(content), 0, (), ())
        yield Ported(target, content, 0o644, record)
