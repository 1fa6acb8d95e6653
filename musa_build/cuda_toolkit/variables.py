"""The environment in which build systems find the toolkit. This module is pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..system.host_machine import cuda_target
from .loadable import FOLDER

_FOLDER_VARIABLES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "CUDAToolkit_ROOT")


def exported(root: Path, sdk: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that select the toolkit in `root`, on top of an environment.

    Programs with CUDA's static runtime need no run path. Here they need the SDK's: LDFLAGS gives it, and LD_RUN_PATH
    where a Makefile sets LDFLAGS by itself. Programs that load a library by its name get those with CUDA's symbols.
    """
    run_path = f"-Wl,-rpath,{sdk / 'lib'}"
    link_flags = environment.get("LDFLAGS", "")

    def before(variable: str, *folders: Path) -> str:
        first = [str(folder) for folder in folders]
        return ":".join(
            [*first, *(part for part in environment.get(variable, "").split(":") if part not in ("", *first))]
        )

    return {
        **dict.fromkeys(_FOLDER_VARIABLES, str(root)),
        "NCCL_ROOT": str(root / "targets" / cuda_target()),  # projects look for NCCL in a folder of its own
        "CUDACXX": str(root / "bin" / "nvcc"),
        "MUSA_HOME": str(sdk),
        "PATH": before("PATH", root / "bin"),
        "LDFLAGS": link_flags if run_path in link_flags.split() else f"{link_flags} {run_path}".lstrip(),
        "LIBRARY_PATH": before("LIBRARY_PATH", root / "lib64"),
        "LD_RUN_PATH": before("LD_RUN_PATH", sdk / "lib"),
        "LD_LIBRARY_PATH": before("LD_LIBRARY_PATH", root / FOLDER, sdk / "lib"),
    }
