"""The CPU that device code is compiled for: the baseline x86-64, x86-64-v3 (AVX2, FMA, F16C, BMI) or v4 (AVX-512).

v4 is for those who ask for it; the better of the two others is chosen when an SDK root is created, for the machine that
creates it, and is a part of the root's name. Host code is the user's choice alone. libmusart has the same numbers and
features (runtime/programs/cpu_features.cpp): it refuses an image that this machine's CPU cannot run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

BASELINE, V3, V4 = "x86-64", "x86-64-v3", "x86-64-v4"
#: CPU -> what a fat binary says of it
NUMBERS = {BASELINE: 0, V3: 3, V4: 4}
#: as /proc/cpuinfo names them
_FEATURES = frozenset(
    (
        *("cx16", "lahf_lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"),
        *("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"),
    )
)
_FEATURES_OF_V4 = _FEATURES.union(("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"))
#: LLVM keeps to vectors of 256 bits for a v4, as the first of these CPUs slowed down with wider ones
_WHOLE_VECTORS = ("-target-feature", "-prefer-256-bit")


def has_v4(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Return whether this machine has AVX-512, as far as x86-64-v4 goes."""
    return _FEATURES_OF_V4.issubset(_flags(cpuinfo))


def of_this_machine(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return x86-64-v3 if this machine has its features, else the baseline."""
    return V3 if _FEATURES.issubset(_flags(cpuinfo)) else BASELINE


def _flags(cpuinfo: Path) -> Collection[str]:
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return ()
    return next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), ())


def for_device(wanted: str, user_args: Sequence[str]) -> str:
    """Return the CPU to compile device code for instead of the one on clang's command line; empty for that one.

    A user's own -march= wins.
    """
    return "" if any(arg.startswith("-march=") for arg in user_args) else wanted


def number(cpu: str, args: Sequence[str]) -> int:
    """Return the number by which a fat binary names a CPU: `cpu`, or the one in the arguments of cc1."""
    named = next((value for flag, value in zip(args, args[1:]) if flag == "-target-cpu"), "")
    return NUMBERS.get(cpu or named, 0)


def widest_access(cpu: str, args: Sequence[str]) -> int:
    """Return how many bytes LLVM reads or writes at once for a CPU: 16 where an aligned vector access is atomic."""
    return 16 if number(cpu, args) >= NUMBERS[V3] or {"+avx", "+cx16"}.issubset(args) else 8


def retarget(args: Sequence[str], cpu: str) -> list[str]:
    """Return cc1's arguments for device code, for another CPU if one is given; features that the user named stay."""
    given = list(args)
    at = given.index("-target-cpu") + 1
    given[at] = cpu or given[at]
    return [*given, *_WHOLE_VECTORS] if given[at] == V4 else given
