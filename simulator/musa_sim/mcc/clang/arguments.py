"""The arguments of clang's front end (cc1), for each kind of run.

cc1.py has the command line for plain C++. This module makes those of CUDA mode's host pass and device pass from it, and
those of runs on IR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..command_line.invocation import ARCHITECTURES
from ..errors import DriverError
from . import cpu
from .cc1 import Cc1
from .toolchain import TARGET

#: clang wants to hear of some CUDA release; nothing of CUDA's headers or libraries is used. In its CUDA mode it defines
#: __CUDA_ARCH__, which mcc does not (docs/known.md). clang 14, which mcc is, has no warning about infinity with
#: -ffast-math; a user's own -W comes later and wins.
_CUDA_MODE = (
    *("-target-sdk-version=12.5", "-fcuda-allow-variadic-functions", "-fdeclspec"),
    *("-U__CUDA_ARCH__", "-Wno-nan-infinity-disabled"),
)

#: headers of the C++ library that device code needs in another form
_WRAPPERS = "musa_sim/standard_library"
_OPENMP = "musa_sim/openmp"  # clang comes without omp.h, which nvcc's host compiler finds without -fopenmp as well
_OPENMP_MACRO = "-D_OPENMP=202011"
_HOST_RUNTIMES = ("-fsanitize", "-fopenmp", "-fxray", "-pg", "-finstrument-function")
#: Assumptions that the language allows and device code breaks (docs/decisions/0020): a shuffle is given
#: values that only some lanes have set, a cast a number that does not fit, and memory is read by another type than it
#: was written. Variables of more than 1024 bytes stay as they are, since to fill them would cost more than what a
#: kernel does with them. passes/undefined.py drops the promises that clang has no flag for.
_FORGIVING = (
    "-no-enable-noundef-analysis",
    *("-ftrivial-auto-var-init=pattern", "-ftrivial-auto-var-init-max-size=1024"),
    "-fno-strict-float-cast-overflow",
    *("-relaxed-aliasing", "-fno-finite-loops", "-fno-strict-return"),
)
#: `#pragma unroll` has LLVM unroll up to 16384 instructions of a loop whose count is known, and as much of any other
#: as fits in them. A GPU has no address for a register, so its kernels must have their loops over small arrays
#: unrolled. A CPU has, and gains little by it. In a large source LLVM unrolls whole loops or none, the marked ones too
#: up to its own limit for -O3.
#: To choose the best addresses of loops, LLVM compares thousands of forms for a loop over threads: a third of its time.
_LARGE = ("-pragma-unroll-threshold=300", "-unroll-max-count=1", "-disable-lsr")
#: In a huge one it unrolls none, makes vectors of none; kernels in which threads wait keep their fibers (Options).
#: One such file is known; it has a thousand kernels.
_HUGE = ("-unroll-full-max-count=0", "-unroll-max-count=1", "-disable-lsr")
#: characters of IR, as the front end writes it, from which a source is large or huge
_LARGE_SOURCE = 4_000_000
_HUGE_SOURCE = 40_000_000
#: Of -ffast-math and its parts, device code has the macros (docs/decisions/0047). IR has no more to say of them than
#: passes/undefined.py leaves in it, and functions that mcc writes must not differ from those that the front end wrote.
_FAST_MATH = re.compile(
    r"-ffast-math|-ffinite-math-only|-funsafe-math-optimizations|-freciprocal-math|-fapprox-func|-fno-signed-zeros"
    r"|-mreassociate|-menable-no-(?:infs|nans)|-mrecip=.*|-fdenormal-fp-math.*|-fveclib=.*"
)
#: LLVM cuts names of values off at 1024 characters and then takes them for one. They are made of functions' names,
#: which are longer where templates are given templates.
_LONG_NAMES = "-non-global-value-max-name-size=1000000"
#: The version that `mcc --version` prints.
_VERSION_MACROS = ("-D__MUSACC_VER_MAJOR__=5", "-D__MUSACC_VER_MINOR__=2", "-D__MUSACC_VER_PATCHLEVEL__=0")
#: In a compile for the device alone, the definition that the host pass has and the device pass has not.
STUBS_MACRO = "-D__MUSA_SIM_STUBS__"
DEPENDENCY_FLAGS = {"-dependency-file": 2, "-MT": 2, "-MQ": 2, "-sys-header-deps": 1, "-MP": 1, "-MG": 1}
_PREPROCESSOR_FLAGS = {
    **DEPENDENCY_FLAGS,
    **dict.fromkeys(("-D", "-U", "-I", "-include", "-imacros", "-include-pch", "-ivfsoverlay", "-isysroot"), 2),
    **dict.fromkeys(("-iquote", "-isystem", "-idirafter", "-internal-isystem", "-internal-externc-isystem"), 2),
}


def _musa_args(args: list[str], sdk_include: str) -> list[str]:
    """CUDA mode plus the SDK's headers, which come before the C++ library's so that they may wrap it."""
    if "-internal-isystem" not in args:
        raise DriverError("clang found no C++ library headers: install them with 'apt-get install g++'")
    at = args.index("-internal-isystem")
    # the SDK's runtime header comes before every -include of the user's
    before = [arg for arg in args[:at] if not arg.startswith("-std=")]
    std = [arg for arg in args if arg.startswith("-std=")] or ["-std=c++17"]
    after = [arg for arg in args[at:] if not arg.startswith("-std=")]
    folders = (f"{sdk_include}/{_WRAPPERS}", sdk_include, f"{sdk_include}/{_OPENMP}")
    return [
        *(*_CUDA_MODE, *std[-1:]),
        *("-D__MUSA__=1", "-D__MUSACC__=1", *_VERSION_MACROS),
        *("-include", "musa_runtime.h", *before),
        *(word for folder in folders for word in ("-internal-isystem", folder)),
        *after,
    ]


def host_pass(cc1: Cc1, sdk_include: str, placeholder: str) -> list[str]:
    """Return the arguments of the host pass in CUDA mode, dependency output kept.

    It has no -aux-triple: the device's target is the host's, and clang would take the processor's builtins, which
    <immintrin.h> needs, for the device's.
    """
    return [*_musa_args(list(cc1.args), sdk_include), "-fcuda-include-gpubinary", placeholder]


def writing_to(output: str) -> list[str]:
    """Return the flag with which clang writes to the file behind a link; by default it replaces the link."""
    return ["-fno-temp-file"] if Path(output).is_symlink() else []


def device_pass(cc1: Cc1, sdk_include: str, arch: str, dependency_file: str) -> list[str]:
    """Return the arguments of one device pass; its dependencies go to a file of their own."""
    wants_deps = "-dependency-file" in cc1.args
    args = without_host_runtimes(_musa_args(cc1.without({"-dependency-file": 2}), sdk_include))
    deps = ["-dependency-file", dependency_file] if wants_deps else []
    # a user's own choice comes later and wins
    # The source sees the host's CPU in both passes: a header that asks for __AVX2__ must not get two answers.
    half = ["-D__MUSA_SIM_F16C__"] if cc1.device_cpu == cpu.V3 else []
    return [
        *(*_FORGIVING, *_precise(args), "-fcuda-is-device", "-aux-triple", TARGET),
        *(architecture_macro(arch), *half, *deps),
    ]


def architecture_macro(arch: str) -> str:
    """Return the definition of `__MUSA_ARCH__` for "mp_22"."""
    return f"-D__MUSA_ARCH__={ARCHITECTURES[arch].number}"


def without_host_runtimes(args: Sequence[str]) -> list[str]:
    """Return the arguments without sanitizers, profilers and OpenMP, whose runtimes no device has; so does clang.

    With OpenMP, clang would take kernel launches in a parallel region for launches from device code. The macro stays:
    both passes see the same text.
    """
    kept = [arg for arg in args if not arg.startswith(_HOST_RUNTIMES)]
    return [*kept, _OPENMP_MACRO] if "-fopenmp" in args else kept


def _precise(args: Sequence[str]) -> list[str]:
    """Return the arguments of a device pass with the meaning of the source's floating-point operations (decision 47).

    Products and sums are fused within an expression, and functions stay calls: of the SDK's own (docs/decisions/0040),
    for which clang would put intrinsics that mean the C library's.
    """
    return ["-fmath-errno", *_fused_in_expressions(arg for arg in args if arg != "-fmath-errno")]


def _fused_in_expressions(args: Iterable[str]) -> list[str]:
    return ["-ffp-contract=on" if arg == "-ffp-contract=fast" else arg for arg in args]


def with_optimisation(args: Sequence[str], level: str) -> list[str]:
    """Return the arguments at another -O level, vectorising exactly when clang's driver would."""
    kept = [arg for arg in args if not re.fullmatch(r"-O\w*|-vectorize-(?:loops|slp)", arg)]
    vectorise = ["-vectorize-loops", "-vectorize-slp"] if level in ("-O2", "-O3") else []
    return [level, *vectorise, *kept]


def is_huge(size: int) -> bool:
    """Return whether a module of so many characters, as the front end writes it, costs minutes to compile."""
    return size >= _HUGE_SOURCE


def limit_work(args: Sequence[str], size: int) -> list[str]:
    """Return the arguments for a module of so many characters, as the front end writes it: large ones must end too."""
    if size < _LARGE_SOURCE:
        return list(args)
    if not is_huge(size):
        return [*args, *(word for option in _LARGE for word in ("-mllvm", option))]
    kept = [arg for arg in args if not arg.startswith("-vectorize-")]
    return [*kept, *(word for option in _HUGE for word in ("-mllvm", option))]


def after_preprocessing(cc1: Cc1, source: str) -> list[str]:
    """Return the arguments for the text of a source: no macro or header is to come into it again.

    Debug info names `source`, not the file that the text lies in.
    """
    args = [arg for arg in cc1.without(_PREPROCESSOR_FLAGS) if not arg.startswith(("-D", "-U", "-I"))]
    args[args.index("-main-file-name") + 1] = source
    return args


def backend_args(cc1: Cc1) -> list[str]:
    """Return the arguments for a run on IR: what concerns code generation, silent."""
    kept = cc1.without({**DEPENDENCY_FLAGS, "-include": 2, "-I": 2, "-D": 2, "-U": 2, "-isystem": 2, "-iquote": 2})
    kept = [arg for arg in kept if not arg.startswith(("-std=", "-I", "-D", "-U", "-W"))]
    return [*kept, "-w", "-mllvm", _LONG_NAMES]


def device_backend_args(cc1: Cc1) -> list[str]:
    """Return the arguments for a run on device IR."""
    args = [arg for arg in _fused_in_expressions(backend_args(cc1)) if not _FAST_MATH.fullmatch(arg)]
    return cpu.retarget(without_host_runtimes(args), cc1.device_cpu)


def widest_access(cc1: Cc1) -> int:
    """Return how many bytes of memory device code reads or writes at once."""
    return cpu.widest_access(cc1.device_cpu, cc1.args)


def library_directories(cc1: Cc1, sdk_include: str) -> list[str]:
    """Return where headers lie that are not the user's: the SDK's, the system's, and those that -isystem names."""
    flags = {"-isystem", "-internal-isystem", "-internal-externc-isystem", "-idirafter"}
    return [sdk_include, "/usr", *(value for flag, value in zip(cc1.args, cc1.args[1:]) if flag in flags)]


def has_debug_info(cc1: Cc1) -> bool:
    """Return whether the user requested debug info: a report must then name the right thread and line."""
    return any(arg.startswith("-debug-info-kind=") for arg in cc1.args)


def asks_for_debug_info(args: Sequence[str]) -> bool:
    """Return whether flags of clang's driver ask for debug info."""
    return any(re.fullmatch(r"-g(?!0)[\w-]*", arg) for arg in args)


def last_optimisation(args: Sequence[str]) -> str:
    """Return the last -O of flags of clang's driver; empty without one."""
    given = [arg for arg in args if re.fullmatch(r"-O\w*", arg)]
    return {"-O": "-O1"}.get(given[-1], given[-1]) if given else ""
