"""Plan the libraries that have CUDA's names for programs without headers: dlopen, ctypes, other languages.

A function is a jump to its counterpart in the SDK's library, whatever its arguments are. Where CUDA's function returns
other numbers or fills another structure, `binaries/` has it in C++. The libraries above the runtime have jumps alone:
their enumerations have CUDA's numbers, but for muBLAS's statuses of errors. This module is pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

#: The folder of these libraries. In lib64, the files of these names are linker scripts.
FOLDER = "lib64/loadable"

_JUMPS = """\
#if defined(__x86_64__)
#define JUMP(cuda, musa) .weak cuda; .type cuda, @function; cuda: endbr64; jmp musa@PLT; .size cuda, . - cuda
#elif defined(__aarch64__)
#define JUMP(cuda, musa) .weak cuda; .type cuda, %function; cuda: b musa; .size cuda, . - cuda
#else
#error "jumps to the SDK's functions are written for x86-64 and aarch64"
#endif
.section .note.GNU-stack, "", %progbits
.text
"""


class Loadable(NamedTuple):
    """A library of CUDA's.

    Attributes:
        cuda: Its name: "cudart".
        release: The number after .so.
        musa: The SDK's counterpart.
        source: Its functions that are no jumps: a file of `binaries/`, or nothing.
        others: Further libraries of the SDK that its source needs.
        has_jumps: Whether functions jump to the SDK's. If not, its source defines all of them.
    """

    cuda: str
    release: str
    musa: str
    source: str = ""
    others: tuple[str, ...] = ()
    has_jumps: bool = True

    @property
    def is_above_runtime(self) -> bool:
        """Whether it is none of the runtime, the driver and NVRTC."""
        return not self.source

    @property
    def file(self) -> str:
        """The name by which programs load it."""
        return f"lib{self.cuda}.so.{self.release}"


LOADABLE = (
    Loadable("cudart", "12", "musart", "cudart.cpp"),
    Loadable("cuda", "1", "musa", "cuda.cpp"),
    Loadable("nvrtc", "12", "mtrtc", "nvrtc.cpp", ("musart",), has_jumps=False),
    Loadable("cublas", "12", "mublas"),
    Loadable("cublasLt", "12", "mublasLt"),
    Loadable("cufft", "11", "mufft"),
    Loadable("curand", "10", "murand"),
    Loadable("cusolver", "11", "musolver"),
    Loadable("cusparse", "12", "musparse"),
    Loadable("nccl", "2", "mccl"),
)


#: Functions of cuBLAS whose names end with _v2 in the library: cublas_v2.h has the plain names as macros. Those with a
#: counterpart in cuBLAS's first interface (tables/legacy_cublas.toml) come in addition.
_CUBLAS_V2 = (
    *("cublasCreate", "cublasDestroy", "cublasGetVersion", "cublasSetWorkspace"),
    *("cublasSetStream", "cublasGetStream", "cublasSetPointerMode", "cublasGetPointerMode"),
)


def symbols(each: Loadable, aliases: Mapping[str, str], first_interface: Collection[str]) -> dict[str, str]:
    """Return the names that a library has in CUDA, of all of `aliases`, and the SDK's names for them.

    `first_interface` are the functions of cublas.h. The library has those by these names, with other arguments.
    """
    if not each.is_above_runtime:
        return dict(aliases)
    versioned = {*_CUBLAS_V2, *first_interface}
    return {
        name: musa
        for name, musa in aliases.items()
        if (name.removesuffix("_v2") in versioned if name.endswith("_v2") else name not in versioned)
    }


def loadable(libraries: Collection[str]) -> Iterator[Loadable]:
    """Yield the libraries whose counterpart is among the SDK's `libraries`."""
    yield from (each for each in LOADABLE if f"lib{each.musa}.so" in libraries)


def exported(symbols: str) -> set[str]:
    """Return the names in the output of `nm -D --defined-only`, without versions."""
    return {line.split()[-1].partition("@")[0] for line in symbols.splitlines() if line.strip()}


def jumps(aliases: Mapping[str, str], functions: Collection[str]) -> str:
    """Return assembly with a jump for each of CUDA's names whose counterpart is among an SDK library's `functions`.

    A counterpart that ends with _v2 may be a macro of the SDK's headers for the plain name.
    """
    lines = []
    for cuda, musa in sorted(aliases.items()):
        function = musa if musa in functions else musa.removesuffix("_v2")
        if function in functions:
            lines.append(f"JUMP({cuda}, {function})\n")
    return _JUMPS + "".join(lines)


def link_command(
    each: Loadable,
    sources: Collection[str],
    includes: Collection[str],
    sdk: str,
    folder: str,
    root: str,
    cxx: Collection[str] = ("g++",),
) -> list[str]:
    """Return the command of the host compiler `cxx` that makes a library.

    Its SONAME is a path: programs find it without a run path. `folder` is where it is written, `root` is
    the toolkit's final folder.
    """
    libraries = (each.musa, *each.others)
    return [
        *cxx,
        *("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"),
        *(f"-I{include}" for include in includes),
        *sources,
        *(f"-L{sdk}/lib", *(f"-l{name}" for name in libraries), "-ldl", f"-Wl,-rpath,{sdk}/lib,--no-undefined"),
        f"-Wl,-soname,{root}/{FOLDER}/{each.file}",
        *("-o", f"{folder}/{each.file}"),
    ]
