"""An imitation of Moore Threads' torch_musa as pip installs it: the files that its setup.py and CMakeLists.txt name.

The names are theirs (release 2.7.1), the content is ours. Libraries are real but empty ones.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = ("musa_python", "musa_kernels", "_ext_musa_kernels")
SHARED = (
    "generated_cuda_compatible/aten/src/ATen/musa/MUSAContext.h",
    "generated_cuda_compatible/include/ATen/ATen.h",
    "generated_cuda_compatible/include/torch/csrc/api/include/torch/torch.h",
    "torch_musa_codegen/torch_musa/csrc/aten/ops/MusaFunctions.h",
    "cmake/TorchMusa/TorchMusaConfig.cmake",
)

#: mcc, as far as a build sees it: it writes an object and the file of dependencies
MCC = """\
#!/bin/sh
[ "$1" = --version ] && { echo "mcc version 4.3.0"; exit; }
for word; do
    [ "$before" = -o ] && output=$word
    [ "$before" = -MF ] && list=$word
    before=$word
done
[ -z "$list" ] || echo "$output:" > "$list"
echo 'int musa_nothing;' | cc -x c -fPIC -c -o "$output" -
"""


def library(path: Path, *options: str, source: str = "") -> Path:
    """Compiles a shared library, empty but for `source`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ["cc", "-x", "c", "-shared", "-fPIC", "-o", str(path), "-", "-x", "none", *options]
    subprocess.run(command, input=source, text=True, check=True)
    return path


@dataclass(frozen=True)
class InstalledTorchMusa:
    """The imitation in the folder `site`, which belongs on PYTHONPATH."""

    site: Path

    @property
    def root(self) -> Path:
        return self.site / "torch_musa"

    @classmethod
    def make(cls, site: Path, *, code: str = "", version: str = "2.7.1") -> InstalledTorchMusa:
        """Makes the tree. `code` is what its __init__.py does after its version is known."""
        made = cls(site)
        for name in ("csrc/core/MUSAStream.h", *(f"share/{name}" for name in SHARED), "utils/__init__.py"):
            (made.root / name).parent.mkdir(parents=True, exist_ok=True)
            (made.root / name).touch()
        (made.root / "version.py").write_text(f"__version__ = '{version}+0bc05bf'\n")
        (made.root / "__init__.py").write_text(f"from .version import __version__\n{code}\n")
        for name in LIBRARIES:
            library(made.root / "lib" / f"lib{name}.so")
        return made

    def add_torch(self, version: str) -> None:
        """Adds a torch of this version that can be imported, and does nothing."""
        (self.site / "torch").mkdir()
        (self.site / "torch" / "__init__.py").write_text("from .version import __version__\n")
        (self.site / "torch" / "version.py").write_text(f"__version__ = '{version}'\n")


def make_sdk(root: Path, *libraries: str, runtime: Sequence[str] = (), source: str = "") -> Path:
    """Makes a MUSA SDK with the imitated mcc. `source` and the options `runtime` are for its libmusart."""
    for name in ("bin", "include", "lib"):
        (root / name).mkdir(parents=True)
    (root / "bin" / "mcc").write_text(MCC)
    (root / "bin" / "mcc").chmod(0o755)
    (root / "version.json").write_text('{"musa_toolkits": {"version": "4.3.0"}}')
    for name in libraries:
        library(root / "lib" / f"lib{name}.so")
    library(root / "lib" / "libmusart.so", *runtime, source=source)
    return root
