"""Write musa_build/cuda_toolkit/tables/constants.toml from the headers of a CUDA toolkit.

    python tests/cuda_toolkit/cuda_constants.py INCLUDE [INCLUDE ...] > musa_build/cuda_toolkit/tables/constants.toml

The first INCLUDE has cuda.h, the others have the headers that it includes and those of the libraries: the folders of
nvidia-cuda-runtime-cu12 12.4.127, nvidia-cuda-nvcc-cu12 12.4.131, the wheels of the libraries (nvidia-cublas-cu12
12.4.5.8 ...), nvidia-nvjitlink-cu12 and nvidia-cuda-cccl-cu12. g++ computes the values. Names and numbers alone are
taken: names that do not begin like CUDA's are the SDK's too.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Headers with enumerations, and those whose macros with a number are taken too.
HEADERS = ("cuda.h", "driver_types.h", "surface_types.h", "texture_types.h", "library_types.h", "cuda_runtime_api.h")
LIBRARIES = ("cublas_v2.h", "cublasLt.h", "cufftXt.h", "curand.h", "cusolverDn.h", "cusparse.h", "nvrtc.h")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENUM = re.compile(r"\benum\s+(?:__attribute__\s*\(\(\w*\)\)\s*)?(\w*)\s*\{(.*?)\}\s*(\w*)", re.DOTALL)
_MACRO = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(CU_\w+|CUDA_[A-Z]\w+|cuda[A-Z]\w+)[ \t]+\(?(?:0x[0-9a-fA-F]+|\d+)\)?[ \t]*$", re.M
)
#: Macros that tell a version or choose among functions: the toolkit has its own.
_OWN = re.compile(r"CUDA_VERSION|CUDART_VERSION|CUDA_API_\w+|\w+_VERSION\w*|CUDA_CB|CUDARTAPI\w*")
HEAD = """\
# The enumerators and numbers of CUDA {version}'s driver, runtime and libraries, by type.
# The toolkit declares those that an SDK has no counterpart of: a program may name a value that it never asks for, and
# the SDK refuses a value that it does not know. Written by tests/cuda_toolkit/cuda_constants.py.
"""


def enumerations(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the type of each enumeration, as C spells it, and its enumerators."""
    for tag, body, name in _ENUM.findall(text):
        found = re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", re.sub(r"\([^()]*\)", "", body))
        if name or tag:
            yield (name or f"enum {tag}"), found


def preprocessed(includes: Sequence[Path], headers: Sequence[str] = HEADERS) -> str:
    """Return the headers after g++'s preprocessor, without comments."""
    command = ["g++", *map("-I{}".format, includes), "-E", "-P", "-w", "-x", "c++", "-"]
    lines = "".join(f"#include <{name}>\n" for name in headers)
    return subprocess.run(command, input=lines, check=True, capture_output=True, text=True).stdout


def values(includes: Sequence[Path], names: Sequence[str], headers: Sequence[str] = HEADERS) -> dict[str, int]:
    """Return the values of names, as g++ computes them."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "values.cpp", Path(folder) / "values"
        lines = (f'    std::printf("%lld\\n", (long long)({name}));\n' for name in names)
        included = "".join(f"#include <{name}>\n" for name in ("cstdio", *headers))
        source.write_text(f"{included}int main() {{\n{''.join(lines)}}}\n")
        subprocess.run(["g++", *map("-I{}".format, includes), "-w", source, "-o", program], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict(zip(names, map(int, printed.split())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("include", type=Path, nargs="+")
    includes: list[Path] = parser.parse_args().include
    texts = [(includes[0] / name).read_text(encoding="utf-8", errors="replace") for name in HEADERS]
    types: dict[str, list[str]] = {}
    for kind, names in enumerations(preprocessed(includes, (*HEADERS, *LIBRARIES))):
        types.setdefault(kind, []).extend(name for name in names if name.startswith(("CU", "cu", "NVRTC")))
    numbers = [name for text in texts for name in _MACRO.findall(_COMMENT.sub("", text)) if not _OWN.fullmatch(name)]
    types["macros"] = list(dict.fromkeys(numbers))
    known = values(includes, [name for names in types.values() for name in names], (*HEADERS, *LIBRARIES))
    version = values(includes, ["CUDA_VERSION"])["CUDA_VERSION"]
    print(HEAD.format(version=f"{version // 1000}.{version % 1000 // 10}"), end="")
    for kind, names in types.items():
        if names:
            print(f'\n["{kind}"]')
            for name in names:
                print(f"{name} = {known[name]}")


if __name__ == "__main__":
    main()
