"""Find hazards: code that renaming cannot port. Each is reported as a finding.

Each hazard names the identifiers that it needs, so that only files with one of them are searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Optional

from .edits import Remark, Severity, occurrences

if TYPE_CHECKING:
    from .scanner import Layout


class Target(NamedTuple):
    """A MUSA architecture, whose limits decide about hazards.

    `shared_bytes` is the static shared memory that a block may declare: mp_10 and mp_21 from a compile error on an S80,
    mp_31 from musaInfo on an S5000; mp_22 is not known (48 KiB assumed, as in the simulator). `host_warp` is the width
    that the host reports, from Moore Threads' documents.
    """

    name: str
    shared_bytes: int
    host_warp: int


TARGETS: Mapping[str, Target] = {
    "mp_10": Target("mp_10", 28 * 1024, 128),
    "mp_21": Target("mp_21", 28 * 1024, 128),
    "mp_22": Target("mp_22", 48 * 1024, 128),
    "mp_31": Target("mp_31", 192 * 1024, 32),
}
DEFAULT_TARGET = "mp_22"

# A file without any of these has no device code.
DEVICE_IDENTIFIERS = frozenset({"__global__", "__device__", "__shared__", "threadIdx"})
# A file without any of these has no inline PTX, or no address of 32 bits (inline_ptx/).
ASM_IDENTIFIERS = frozenset({"asm", "__asm", "__asm__"})
ADDRESS_IDENTIFIERS = frozenset(
    {
        f"__cvta_{names}"
        for names in ("generic_to_shared", "shared_to_generic", "generic_to_global", "global_to_generic")
    }
)
# Names of a library that host code uses, too.
CUTLASS_IDENTIFIERS = frozenset({"cutlass", "cute"})


class Hazard(NamedTuple):
    """A pattern over code, which cannot match in a text without one of `identifiers`.

    With `once`, only the first match is reported; with `host`, files without device code are searched, too.

    A pattern begins with a plain character, so that the regular expression engine finds candidates quickly; `before`
    must match the text before it. Without a pattern, the identifiers themselves are the matches. Both are text, not
    compiled patterns: a tree has few of these hazards, and to compile all of them takes much of the engine's start.
    """

    code: str
    identifiers: frozenset[str]
    pattern: Optional[str]
    message: str
    severity: Severity = Severity.WARNING
    once: bool = False
    host: bool = False
    before: Optional[str] = None


_BORDER = r"(?<!\w)\Z"
_THREAD = r"(?:threadIdx\.[xyz]|\b\w*(?:tid|lane|thread)\w*)"
_WARP_FUNCTIONS = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all")
_MASKED = tuple(name + "_sync" for name in _WARP_FUNCTIONS)
_TEXTURE_NAMES = ("texture", "surface", "cudaTextureObject_t", "cudaSurfaceObject_t")
_FETCHES = tuple(f"{kind}{n}D{rest}" for kind in ("tex", "surf") for n in "123" for rest in ("", "Lod", "read"))
_COOPERATIVE = "blocks that wait for each other need a cooperative launch: documented for mp_31 only"
_GRIDS = frozenset({"this_grid", "grid_group", "this_multi_grid", "multi_grid_group"})

HAZARDS = (
    Hazard(
        "texture",
        frozenset({*_TEXTURE_NAMES, *_FETCHES, "tex1Dfetch"}),
        r"\b(?:texture|surface)\s*<|\bcuda(?:Texture|Surface)Object_t\b|\b(?:tex|surf)[123]D\w*\s*[(<]",
        "textures and surfaces are renamed but not checked against what MUSA supports",
    ),
    Hazard(
        "unsynchronised-warp-function",
        frozenset(_WARP_FUNCTIONS),
        r"__(?:shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all)\s*\(",
        "warp functions without _sync are deprecated or absent on MUSA: use the _sync form",
        before=_BORDER,
    ),
    Hazard(
        "warp-width",
        frozenset({*_MASKED, "__activemask"}),
        r"__(?:shfl\w*|ballot|any|all)_sync\s*\(\s*(?:0x[fF]{8}[uUlL]*|-1|~0[uU]?|\w*(?:FULL|ALL)\w*)",
        "a full mask of 32 lanes: MUSA's warps are 128 wide on the host side up to mp_22, 32 from mp_31 on",
        Severity.NOTE,
    ),
    Hazard(
        "warp-width",
        frozenset({"32"}),
        None,
        "a warp of 32 is written down here: compare it with the target's width, or ask warpSize",
        Severity.NOTE,
        before=rf"{_THREAD}\s*[%/]\s*\Z|(?:WARP_?SIZE|[wW]arp_?[sS]ize|THREADS_PER_WARP)[ \t]*(?:=[ \t]*)?\(?\Z",
    ),
    Hazard(
        "warp-width",
        frozenset({"31", "0x1f", "0x1F"}),
        None,
        "a warp of 32 is written down here: compare it with the target's width, or ask warpSize",
        Severity.NOTE,
        before=rf"{_THREAD}\s*&\s*\Z",
    ),
    Hazard(
        "warp-width",
        frozenset({"5"}),
        None,
        "a warp of 32 is written down here: compare it with the target's width, or ask warpSize",
        Severity.NOTE,
        before=rf"{_THREAD}\s*>>\s*\Z",
    ),
    Hazard(
        "fp64",
        frozenset({"double"}),
        r"double\b",
        "device code may use double: torch_musa compiles without it by default, and its speed on MUSA is not known",
        Severity.NOTE,
        once=True,
        before=_BORDER,
    ),
    Hazard(
        "cooperative-launch",
        frozenset({"cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernelMultiDevice"}),
        r"\bcudaLaunchCooperativeKernel\w*",
        _COOPERATIVE,
    ),
    Hazard(
        "tensor-core",
        frozenset({"wmma", "mma_sync"}),
        r"\bwmma::|\bmma_sync\s*\(",
        "wmma is renamed to mtmusa::wmma, whose shapes and lanes differ by card",
        once=True,
    ),
    Hazard(
        "tensor-core",
        CUTLASS_IDENTIFIERS,
        r"cut(?:lass|e)(?:\s*::|(?<=namespace cutlass)\s*;|(?<=namespace cute)\s*;)",
        "CUTLASS is not ported by renaming, and its architectures (cutlass::arch::Sm80) are NVIDIA's: MUTLASS is Moore "
        "Threads' counterpart",
        once=True,
        host=True,
        before=_BORDER,
    ),
)

# Every pasted name begins with one of these.
_PASTED_IDENTIFIERS = frozenset({"k", "Device", "DeviceType", "DispatchKey"})
HAZARD_IDENTIFIERS = (_PASTED_IDENTIFIERS | _GRIDS).union(*(hazard.identifiers for hazard in HAZARDS))


def remarks_on_code(layout: Layout, identifiers: frozenset[str], target: Target) -> Iterator[Remark]:
    """Yield the hazards of a text with these relevant `identifiers`, also those in comments and literals."""
    is_host = identifiers.isdisjoint(DEVICE_IDENTIFIERS)
    text = layout.code
    for hazard in HAZARDS:
        harmless = (hazard.code == "warp-width" and target.host_warp == 32) or (is_host and not hazard.host)
        if not harmless and not identifiers.isdisjoint(hazard.identifiers):
            before = None if hazard.before is None else re.compile(hazard.before)
            for start in _offsets(hazard, text, identifiers):
                window = 60 if text[max(0, start - 30) : start].strip() else 600  # a comment, now blank, may be long
                if before is None or before.search(text, max(0, start - window), start):
                    yield Remark(start, hazard.code, hazard.severity, hazard.message)


def _offsets(hazard: Hazard, text: str, identifiers: frozenset[str]) -> Iterator[int]:
    if hazard.pattern is not None:
        return (match.start() for match in re.finditer(hazard.pattern, text))
    return (start for name in identifiers & hazard.identifiers for start in occurrences(text, name))


def remarks_on_names(layout: Layout, identifiers: Iterable[str]) -> Iterator[Remark]:
    """Yield one remark for each occurrence of `identifiers`, names that must be rewritten."""
    for name in sorted(identifiers):
        if name.lower().startswith("cudnn"):
            message = f"{name}: cuDNN has no counterpart of the same shape; muDNN is another API, rewrite the call"
            for start in occurrences(layout.code, name):
                yield Remark(start, "cudnn", Severity.WARNING, message)
        else:
            message = f"no public source knows {name} on MUSA; the renamed call will probably not compile"
            for start in occurrences(layout.code, name):
                yield Remark(start, "unsupported-api", Severity.WARNING, message)


_SHARED = re.compile(
    r"__shared__\s+(?:volatile\s+|unsigned\s+(?=\w+\s+\w))*(?P<type>[\w:]+)\s+\w+\s*"
    r"(?P<dims>(?:\[[^\]]*\]\s*)+)"
)
_BYTES = {
    1: "char bool int8_t uint8_t",
    2: "half __half short int16_t uint16_t __nv_bfloat16",
    4: "int unsigned uint float int32_t uint32_t half2 __half2",
    8: "double long int64_t uint64_t float2 int2",
    16: "float4 int4 uint4 double2",
}
_SIZES = {name: size for size, names in _BYTES.items() for name in names.split()}
# Two patterns, because each begins with a plain character: see Hazard.
_CONSTANTS = (
    re.compile(r"const(?:expr)?\s+\w+\s+(\w+)\s*=\s*(\d+)\s*;"),
    re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\d+)\)?[ \t]*$", re.MULTILINE),
)


def remarks_on_shared_memory(layout: Layout, identifiers: frozenset[str], target: Target) -> Iterator[Remark]:
    """Yield the static arrays in shared memory that alone exceed the limit of `target`.

    Sizes are known where the dimensions are numbers, or names that the same text sets to a number.
    """
    if "__shared__" not in identifiers:
        return
    text = layout.code
    constants: Optional[dict[str, int]] = None
    for match in _SHARED.finditer(text):
        if constants is None:
            constants = {match[1]: int(match[2]) for pattern in _CONSTANTS for match in pattern.finditer(text)}
        size = _SIZES.get(match["type"].split("::")[-1], 0)
        for dimension in re.findall(r"\[([^\]]*)\]", match["dims"]):
            for factor in dimension.split("*"):
                name = factor.strip()
                size *= int(name) if name.isdigit() else constants.get(name, 0)
        if size > target.shared_bytes:
            message = f"{size} bytes of static shared memory, but {target.name} allows {target.shared_bytes} in a block"
            yield Remark(match.start(), "static-shared-memory", Severity.WARNING, message)


_GRID = r"this_(?:multi_)?grid\s*\(\s*\)"
_GRID_TYPE = r"(?:multi_)?grid_group"
_GRID_ALIAS = rf"\busing\s+(\w+)\s*=\s*[\w:\s]*{_GRID_TYPE}\s*;|\btypedef\s+[\w:\s]*{_GRID_TYPE}\s+(\w+)\s*;"
_OTHERS_OF_TYPE = r"(?:\bconst\b|[\s&*])*\b"
_GRID_AUTO = rf"\bauto\b{_OTHERS_OF_TYPE}(\w+)\s*[={{(]\s*[\w:\s]*{_GRID}"


def remarks_on_grid_barriers(layout: Layout, identifiers: frozenset[str]) -> Iterator[Remark]:
    """Yield the barriers of a whole grid: `this_grid().sync()`, also by the name of a variable.

    A grid group alone is not a barrier: `this_grid().thread_rank()` is an index.
    """
    if identifiers.isdisjoint(_GRIDS):
        return
    code = layout.code
    types = "|".join((_GRID_TYPE, *(one or two for one, two in re.findall(_GRID_ALIAS, code))))
    names = {*re.findall(rf"\b(?:{types})\b{_OTHERS_OF_TYPE}(\w+)", code), *re.findall(_GRID_AUTO, code)}
    group = "|".join((_GRID, *(rf"\b{name}\b" for name in sorted(names))))
    method = rf"(?:{group})\s*(?:\.|->)\s*(?:sync|barrier_arrive|barrier_wait)\s*\("
    barrier = rf"{method}|\bsync\s*\(\s*(?:\w+\s*::\s*)*(?:{group})\s*\)"
    for match in re.finditer(barrier, code):
        yield Remark(match.start(), "cooperative-launch", Severity.WARNING, _COOPERATIVE)


# Two patterns, because each begins with a plain character: see Hazard.
_PASTED = (
    r"k(?<!\wk)\s*##\s*\w+",
    r"D(?<!\wD)(?:evice|eviceType|ispatchKey)::\s*##?\s*\w+",
)


def remarks_on_pasting(layout: Layout, identifiers: frozenset[str]) -> Iterator[Remark]:
    """Yield device constants that no rule can see: `k##device`."""
    if not identifiers.isdisjoint(_PASTED_IDENTIFIERS) and layout.pastes:
        for match in (match for pattern in _PASTED for match in re.finditer(pattern, layout.code)):
            message = f"{match[0]} may become kCUDA where this macro is used: give it PrivateUse1 there"
            yield Remark(match.start(), "token-pasting", Severity.WARNING, message)
