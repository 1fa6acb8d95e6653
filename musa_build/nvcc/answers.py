"""Answers to the questions of build systems. This module is pure.

CMake reads the lines of a dry run: the folder of the toolkit, the libraries, and the link command, in which the text of
LIBRARIES must appear as it is. Names and order are those that CMake 3.22 to 4.4 and PyTorch look for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..system.host_machine import cuda_target
from .toolkit import Toolkit

#: The CUDA architectures that CUDA 12.4's nvcc compiles for.
CUDA_ARCHITECTURES = ("50", "52", "53", "60", "61", "62", "70", "72", "75", "80", "86", "87", "89", "90", "90a")
#: The architecture of a command that names none.
DEFAULT_CUDA_ARCHITECTURE = "52"


def version(toolkit: Toolkit) -> str:
    """Return the answer to `nvcc --version`. It has NVIDIA's five lines: programs read the fourth by its number."""
    release = toolkit.version
    return (
        "nvcc: NVIDIA (R) Cuda compiler driver\n"
        "(musa_build's: sources are compiled for MUSA by mcc)\n"
        "Built on mcc\n"
        f"Cuda compilation tools, release {release}, V{release}.{toolkit.build}\n"
        f"Build cuda_{release}.r{release}/musa_build\n"
    )


def architectures(prefix: str) -> str:
    """Return the answer to --list-gpu-arch (prefix "compute") or --list-gpu-code ("sm")."""
    return "".join(f"{prefix}_{name}\n" for name in CUDA_ARCHITECTURES)


def libraries(toolkit: Toolkit) -> str:
    """Return the text of LIBRARIES: in its own line, and in the link command."""
    return f'"-L{toolkit.root}/lib64/stubs" "-L{toolkit.root}/lib64"'


def surroundings(toolkit: Toolkit, path: str, library_path: str) -> Iterator[str]:
    """Yield the lines that begin the report of -v and --dryrun."""
    root = toolkit.root
    yield "_NVVM_BRANCH_=nvvm"
    yield "_SPACE_= "
    yield "_CUDART_=cudart"
    yield f"_HERE_={root}/bin"
    yield f"_THERE_={root}/bin"
    yield "_TARGET_SIZE_="
    yield "_TARGET_DIR_="
    yield f"_TARGET_DIR_=targets/{cuda_target()}"
    yield f"TOP={root}/bin/.."
    yield f"NVVMIR_LIBRARY_DIR={root}/bin/../nvvm/libdevice"
    yield f"LD_LIBRARY_PATH={root}/bin/../lib:{library_path}"
    yield f"PATH={root}/bin:{path}"
    yield f'INCLUDES="-I{root}/bin/../targets/{cuda_target()}/include"  '
    yield f"LIBRARIES=  {libraries(toolkit)}"
    yield "CUDAFE_FLAGS="
    yield "PTXAS_FLAGS="


HELP = """\
Usage  : nvcc [options] <inputfile>

nvcc's command line in front of MUSA's compiler mcc. The options are those of CUDA's nvcc; the code is compiled for the
architectures of TORCH_MUSA_ARCH_LIST, whatever -gencode says.

  -c, -dc, -E, -M, -MM, -ptx, -cubin, -fatbin, -dlink, -lib, -link, -run    what is made
  -o FILE, -odir DIRECTORY                                                   where to
  -MD, -MMD, -MP, -MF FILE, -MT TARGET                                       dependencies beside a compile
  -ccbin COMPILER, -Xcompiler OPTIONS, -Xlinker OPTIONS                      other programs
  --dryrun, -v, --keep, --version, --list-gpu-arch, --list-gpu-code          about a run

Examples:
  nvcc -O3 -o saxpy saxpy.cu -lcublas
  nvcc -std=c++17 -Xcompiler=-fPIC -MD -c kernels.cu -o kernels.o

"Build any CUDA project" in musa_build's documentation has the rest.
"""
