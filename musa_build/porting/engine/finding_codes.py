"""The codes of findings: the meaning of each, in one line, and the work that it probably takes.

musa_build.explain has a page of the same name for each; a test compares the two. The effort is a grade for
planning, not a measurement: LOW is minutes of work, MEDIUM needs thought or a run on hardware, HIGH is a rewrite.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass


class Effort(enum.Enum):
    """A grade of work, in the order of its size."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True)
class FindingKind:
    """The title and the effort that all findings with one code share."""

    title: str
    effort: Effort


KINDS: Mapping[str, FindingKind] = {
    # guards
    "arch-guard": FindingKind("a condition on __CUDA_ARCH__ was translated as a number, or could not be", Effort.LOW),
    "version-guard": FindingKind("a CUDA version macro was replaced by the emulated version", Effort.LOW),
    "compute-capability": FindingKind("the compute capability is read, or tested against NVIDIA's numbers", Effort.LOW),
    "gcc-guard": FindingKind("a condition on an old GCC no longer holds for clang", Effort.NONE),
    "older-cxx": FindingKind("C++ from before C++20 was rewritten", Effort.NONE),
    "self-define": FindingKind("a definition gives a CUDA name to the MUSA one", Effort.NONE),
    # hazards of device code
    "inline-assembly": FindingKind("inline PTX that was left as it is does not assemble for MUSA", Effort.HIGH),
    "inline-ptx": FindingKind("inline PTX became C++", Effort.LOW),
    "texture": FindingKind("textures and surfaces", Effort.MEDIUM),
    "cudnn": FindingKind("cuDNN calls must be rewritten for muDNN", Effort.HIGH),
    "unsynchronised-warp-function": FindingKind("warp functions without _sync", Effort.LOW),
    "warp-width": FindingKind("a warp of 32 is written down in the code", Effort.MEDIUM),
    "static-shared-memory": FindingKind("static shared memory above the target's limit", Effort.HIGH),
    "fp64": FindingKind("double precision in device code", Effort.LOW),
    "cooperative-launch": FindingKind("a launch whose blocks wait for each other", Effort.MEDIUM),
    "tensor-core": FindingKind("tensor-core code: wmma, CUTLASS, CuTe", Effort.HIGH),
    "unsupported-api": FindingKind("an API that no public source knows on MUSA", Effort.HIGH),
    "not-in-simulator": FindingKind("a name that the simulated SDK does not have", Effort.NONE),
    "token-pasting": FindingKind("a name is pasted together by the preprocessor", Effort.LOW),
    # names and paths
    "unknown-header": FindingKind("a CUDA header without a known counterpart", Effort.MEDIUM),
    "rule-on-header": FindingKind("your rule and the table disagree about a header", Effort.LOW),
    "name-in-string": FindingKind("a string is a name of CUDA, which is another on MUSA", Effort.LOW),
    "code-in-string": FindingKind("a string is code, an option or a command for CUDA", Effort.MEDIUM),
    "left-over": FindingKind("an identifier that still speaks of CUDA", Effort.NONE),
    # the tree
    "linked-folder": FindingKind("a linked folder was not ported", Effort.LOW),
    "skipped-entry": FindingKind("something in the tree is no file", Effort.LOW),
    "copied-file": FindingKind(
        "a file that is not ported names CUDA, or a file with another name in the port", Effort.LOW
    ),
    "unusual-source": FindingKind("a source file has a form that compilers for MUSA do not read", Effort.NONE),
    "native-counterpart": FindingKind("a file was not ported, because its MUSA counterpart is in the tree", Effort.LOW),
    "edited-by-hand": FindingKind("a ported file was edited by hand", Effort.LOW),
    "ignored-nothing": FindingKind("a path to ignore ignores nothing", Effort.NONE),
}


def effort_of(code: str) -> Effort:
    """Return the effort that findings with `code` probably take."""
    return KINDS[code].effort
