"""`__launch_bounds__`: the largest number of threads that a block of a kernel may have.

clang drops this attribute for the host's target. So the header repeats it as an annotation, which clang prints.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..contract.names import LAUNCH_BOUNDS_ANNOTATION, LAUNCH_BOUNDS_PREFIX
from ..ir.annotations import function_annotations
from ..ir.text import global_name


def launch_bounds(device_ir: str) -> dict[str, int]:
    """Return the most threads that a block may have, per kernel that makes the promise."""
    return {
        note.function: note.number
        for note in function_annotations(device_ir)
        if note.text == LAUNCH_BOUNDS_ANNOTATION and note.number is not None
    }


def definitions(bounds: Mapping[str, int]) -> str:
    """Write a constant per kernel, as libmusart looks for it."""
    return "".join(
        f"{global_name(LAUNCH_BOUNDS_PREFIX + kernel)} = constant i32 {threads}\n" for kernel, threads in bounds.items()
    )
