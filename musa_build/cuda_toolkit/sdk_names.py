"""Read an SDK: its headers and libraries, and the CUDA names that it has counterparts of."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..environment.sdk import MusaSdk
from ..errors import SdkNotFoundError
from ..porting.engine.rules import rule_set
from ..system import process
from .layout import Sdk
from .names import CudaNames, cuda_names, identifiers

#: Structures that programs declare without a header of CUDA, beside those that end in _st.
_TAGS = (
    *("cudaArray", "cudaDeviceProp", "cudaPointerAttributes", "cudaMipmappedArray", "cublasContext", "cublasLtContext"),
    *("cusparseContext", "cusparseMatDescr", "cusolverDnContext", "ncclComm", "curandGenerator_st"),
    "cudaGraphicsResource",
)
#: Folders of the SDK's headers whose names are CUDA's too.
_SAME_IN_CUDA = ("cub", "thrust")


def read_sdk(sdk: MusaSdk, *, musa_types: bool) -> tuple[Sdk, CudaNames]:
    """Return an SDK's parts and CUDA's names for its declarations.

    With `musa_types`, structures keep MUSA's names.

    Raises:
        SdkNotFoundError: The SDK has no headers, or its compiler does not run.
    """
    include = sdk.root / "include"
    headers = {path.relative_to(include).as_posix(): path for path in include.rglob("*") if path.is_file()}
    if not headers:
        raise SdkNotFoundError("the MUSA SDK has no headers", found=f"nothing in {include}", wanted="musa_runtime.h")
    libraries = sorted(path.name for path in (sdk.root / "lib").iterdir())
    names = _names(sdk.root / "bin" / "mcc", headers)
    if musa_types:
        names = CudaNames({**names.aliases, **names.tags}, {})
    return Sdk(str(sdk.root), headers.keys(), libraries), names


def _names(mcc: Path, headers: Mapping[str, Path]) -> CudaNames:
    own = {name: path for name, path in headers.items() if name.split("/")[0] not in _SAME_IN_CUDA}
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in own.values()]
    main = [name for name in own if "/" not in name and name.endswith(".h")]
    found = set().union(*(identifiers(text) for text in texts), identifiers(_preprocessed(mcc, main)))
    rules = rule_set()
    tags = {name for name in cuda_names(found, rules, ()).aliases if name.endswith("_st")}
    return cuda_names(found, rules, (*tags, *_TAGS))


def _preprocessed(mcc: Path, headers: Iterable[str]) -> str:
    """Return headers after mcc's preprocessor: some names are made by ##. Raises SdkNotFoundError."""
    with tempfile.TemporaryDirectory(prefix="musa-build-") as folder:
        source = Path(folder) / "headers.mu"
        lines = [f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in sorted(headers)]
        source.write_text("".join(lines), encoding="utf-8")
        done = process.run([str(mcc), "-E", "-P", "--cuda-device-only", "-x", "musa", str(source)])
    if done.returncode:
        raise SdkNotFoundError("mcc cannot read the SDK's headers", found=done.stderr.strip()[-2000:], wanted=str(mcc))
    return done.stdout
