"""Embed the device images in the host module, and give the CUDA names that clang writes their MUSA names."""

from __future__ import annotations

from ..errors import InternalError
from ..ir.functions import is_declared, remove_declarations
from ..ir.variables import replace_string

#: What the host pass is told to embed; the device image takes its place.
PLACEHOLDER = "MUSA_SIM_FATBIN_PLACEHOLDER"


def embed(host_ir: str, blob: bytes) -> str:
    """Put the blob in the placeholder's place and give everything of CUDA's its MUSA name."""
    host_ir, count = replace_string(host_ir, PLACEHOLDER, blob)
    if count != 1:
        raise InternalError(f"the host module has {count} places for the device image, wanted 1")
    return musa_names(host_ir)


def musa_names(host_ir: str) -> str:
    """Call libmusart where clang generates calls of CUDA's runtime: it has the same under MUSA's names."""
    if is_declared(host_ir, "musaLaunchKernel"):
        # the source calls musaLaunchKernel itself: one declaration is enough
        host_ir = remove_declarations(host_ir, {"cudaLaunchKernel"})
    return (
        host_ir.replace("@__cuda", "@__musa")
        .replace("@cudaLaunchKernel", "@musaLaunchKernel")
        .replace('section ".nv_fatbin"', 'section ".mt_fatbin"')
        .replace('section ".nvFatBinSegment"', 'section ".mtFatBinSegment"')
    )
