"""Write CUDA's headers as texts that include the SDK's and add CUDA's names. This module is pure.

No text of NVIDIA's is copied: a header has an #include, macros, and the hand-written `adapters/` where macros are not
enough. A header of CUDA without counterpart in the SDK is not written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .names import CudaNames

#: CUDA's enumerators by type, as C spells it: `enum cudaError` -> {"cudaSuccess": 0}. Macros are under NUMBERS.
Constants = Mapping[str, Mapping[str, int]]
NUMBERS = "macros"
# clang refuses a cast to an enumeration in which the value has no room, in a case label
_VALUE = """\
#define MUSA_CUDA_VALUE(type, value) ((type)value)
#if defined(__cplusplus) && defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
#undef MUSA_CUDA_VALUE
#define MUSA_CUDA_VALUE(type, value) __builtin_bit_cast(type, value)
#endif
#endif"""
#: Folders of PyTorch's headers in the porting rules: PyTorch is no part of the toolkit.
_NOT_TOOLKIT = ("ATen/", "c10/", "torch/", "THC/")
_OWN = "musa_cuda"


@dataclass(frozen=True)
class HeaderFacts:
    """One table of tables/headers.toml; see there."""

    sdk: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    adapter: str = ""


def sources_of_headers(
    facts: Mapping[str, HeaderFacts], rules: Mapping[str, str], sdk: Collection[str]
) -> dict[str, str]:
    """Map each header of CUDA to the header of the SDK that it includes.

    Args:
        facts: CUDA header -> its table.
        rules: CUDA header or folder (with / at its end) -> MUSA's, from the porting rules.
        sdk: The paths of the SDK's headers, relative to its include folder.
    """
    files: dict[str, tuple[str, ...]] = {
        cuda: (musa,) for cuda, musa in rules.items() if not cuda.startswith(_NOT_TOOLKIT)
    }
    for cuda, musa in rules.items():
        if cuda.endswith("/") and not cuda.startswith(_NOT_TOOLKIT):
            files.update({cuda + path[len(musa) :]: (path,) for path in sdk if path.startswith(musa)})
    files.update({cuda: fact.sdk for cuda, fact in facts.items() if fact.sdk})
    found = {}
    for cuda, candidates in files.items():
        existing = next((path for path in candidates if path in sdk), None)
        # Where both have one name and CUDA's needs no adapter, the SDK's own is used.
        if existing is not None and (cuda not in sdk or cuda in facts):
            found[cuda] = existing
    return found


def header(cuda: str, musa: str, fact: HeaderFacts, written: Collection[str], sdk: str) -> str:
    """Return the text of one header of CUDA.

    `written` are all headers that are written, `sdk` is the SDK's include folder.
    """
    # By its path where both have one name: a host compiler searches the toolkit's folder alone.
    included = f'"{sdk}/{musa}"' if cuda == musa else f"<{musa}>"
    guard = f"MUSA_CUDA_{re.sub(r'[^A-Za-z0-9]', '_', cuda).upper()}"
    lines = [
        f"/* Written by musa_build: {cuda} for MUSA. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        *_system_includes(fact.system),
        f"#include <{_OWN}/tags.h>",
        f"#include {included}",
        f"#include <{_OWN}/names.h>",
        f"#include <{_OWN}/constants.h>",
        f"#include <{_OWN}/version.h>",
        *(f"#include <{name}>" for name in fact.includes if name in written),
        *([f"#include <{_OWN}/adapters/{fact.adapter}>"] if fact.adapter else []),
    ]
    if cuda.startswith("cuda/"):
        lines.append(f"#include <{_OWN}/libcudacxx.h>")
    for name in fact.guards:
        lines += [f"#ifndef {name}", f"#define {name}", "#endif"]
    return "\n".join([*lines, "#endif", ""])


def _system_includes(names: Sequence[str]) -> Iterator[str]:
    """Include headers of the C library, then those of the C++ library for C++ alone."""
    yield from (f"#include <{name}>" for name in ("limits.h", "stddef.h", *names) if name.endswith(".h"))
    only_cxx = [f"#include <{name}>" for name in names if not name.endswith(".h")]
    if only_cxx:
        yield from ("#if defined(__cplusplus)", *only_cxx, "#endif")


#: A program may define CUDA's macro before it includes a header. On nvcc's command line both are defined.
_PER_THREAD_STREAM = (
    "#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(MUSA_API_PER_THREAD_DEFAULT_STREAM)",
    "#define MUSA_API_PER_THREAD_DEFAULT_STREAM 1",
    "#endif",
)


def own_headers(names: CudaNames, constants: Constants, version: Sequence[int]) -> dict[str, str]:
    """Return the texts of musa_cuda/: CUDA's names, the version, and what nvcc includes before every source."""
    major, minor, build = version
    number = major * 1000 + minor * 10
    aliases = (f"#define {cuda} {musa}" for cuda, musa in sorted(names.aliases.items()))
    tags = (f"#define {musa} {cuda}" for cuda, musa in sorted(names.tags.items()))
    return {
        f"{_OWN}/names.h": _once("NAMES", *aliases),
        f"{_OWN}/tags.h": _once("TAGS", *tags, *_PER_THREAD_STREAM),
        f"{_OWN}/constants.h": _once("CONSTANTS", _VALUE, *_declared(constants, names)),
        f"{_OWN}/version.h": _once(
            "VERSION",
            *(
                line
                for name in ("CUDA_VERSION", "CUDART_VERSION", "__CUDART_API_VERSION")
                for line in (f"#undef {name}", f"#define {name} {number}")
            ),
        ),
        f"{_OWN}/libcudacxx.h": _once(
            "LIBCUDACXX",
            "#if defined(__cplusplus)",
            "namespace musa { namespace std {} }",
            "namespace cuda { using namespace ::musa; namespace std { using namespace ::musa::std; } }",
            "#endif",
        ),
        f"{_OWN}/prelude.h": _once(
            "PRELUDE",
            "/* The tags are on nvcc's command line: they must come before the header that mcc includes first. */",
            "#define MUSA_CUDA_TAGS_H",
            f"#include <{_OWN}/capability.h>",
            "#undef __CUDA__",
            "#undef __CUDA_ARCH__",
            "#if defined(MUSA_CUDA_ARCH)",
            "#define __CUDA_ARCH__ MUSA_CUDA_ARCH",
            "#endif",
            "#define __CUDACC__ 1",
            "#define __NVCC__ 1",
            "#define __CUDACC_EXTENDED_LAMBDA__ 1",
            "#define __CUDACC_RELAXED_CONSTEXPR__ 1",
            "/* clang shows the host what a lambda for the device returns: libraries need no other way. */",
            "#define __nv_is_extended_device_lambda_closure_type(type) false",
            "#define __nv_is_extended_host_device_lambda_closure_type(type) false",
            "#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false",
            f"#define __CUDACC_VER_MAJOR__ {major}",
            f"#define __CUDACC_VER_MINOR__ {minor}",
            f"#define __CUDACC_VER_BUILD__ {build}",
            "#include <cuda_runtime.h>",
            "/* NVIDIA's own Thrust, which a project may bring, has this header and its own thrust::cuda. */",
            "#if defined(__cplusplus) && !__has_include(<thrust/detail/config.h>)",
            "namespace thrust { namespace musa {} namespace cuda = musa; }",
            "#endif",
        ),
    }


def _declared(constants: Constants, names: CudaNames) -> Iterator[str]:
    """Declare the constants that the SDK has no counterpart of, with their types where it has none of these either."""
    for kind, values in constants.items():
        missing = {name: value for name, value in values.items() if name not in names.aliases}
        plain = kind.removeprefix("enum ")
        if kind == NUMBERS:
            yield from (f"#define {name} {value}" for name, value in missing.items())
        elif plain in names.aliases:
            yield from (f"#define {name} MUSA_CUDA_VALUE({kind}, {value})" for name, value in missing.items())
        elif missing:
            tag = f"{plain}_enum" if plain.startswith("CU") else plain
            enumerators = ", ".join(f"{name} = {value}" for name, value in missing.items())
            yield f"typedef enum {tag} {{ {enumerators} }} {plain};"


def _once(name: str, *lines: str) -> str:
    guard = f"MUSA_CUDA_{name}_H"
    return "\n".join((f"#ifndef {guard}", f"#define {guard}", *lines, "#endif", ""))
