"""The headers of the C and C++ libraries that CUDA's headers bring: programs rely on them.

    python tests/cuda_toolkit/system_headers.py INCLUDE    # writes system_headers.json from a CUDA toolkit's headers

The recorded ones are from the wheels of CUDA 12.4, with g++ 12.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

RECORD = Path(__file__).with_suffix(".json")
HEADERS = (
    *("cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "builtin_types.h", "cuda_device_runtime_api.h"),
    *("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuComplex.h", "library_types.h", "cuda_occupancy.h", "mma.h"),
    *("cublas.h", "cublas_v2.h", "cublasLt.h", "cusparse.h", "cusparse_v2.h", "cusolverDn.h", "cusolver_common.h"),
    *("curand.h", "curand_kernel.h", "cufft.h", "cufftXt.h", "nvrtc.h", "nvtx3/nvToolsExt.h", "cuda_gl_interop.h"),
)
LANGUAGES = {"c": ("gcc", "-std=c11"), "c++": ("g++", "-std=c++17")}
_LIBRARY = re.compile(r"/usr/include/(\w+\.h)|/usr/include/c\+\+/\d+/(\w+)|\S*/gcc/\S*/include/(\w+\.h)")
#: Parts of glibc that no program includes by name
_INTERNAL = {"features.h", "stdc-predef.h", "features-time64.h", "endian.h", "alloca.h", "syslimits.h"}


def brought(include: str, header: str, language: str) -> set[str]:
    """Return the library's headers that a host compiler reads for one of CUDA's."""
    compiler, standard = LANGUAGES[language]
    command = [compiler, "-x", language, standard, "-I", include, "-M", "-"]
    text = subprocess.run(command, input=f"#include <{header}>\n", check=True, capture_output=True, text=True).stdout
    matches = (_LIBRARY.fullmatch(path) for path in text.replace("\\\n", " ").split())
    return {next(filter(None, match.groups())) for match in matches if match} - _INTERNAL


def main() -> None:
    """Write the record."""
    found = {
        name: {language: sorted(brought(sys.argv[1], name, language)) for language in LANGUAGES} for name in HEADERS
    }
    RECORD.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
