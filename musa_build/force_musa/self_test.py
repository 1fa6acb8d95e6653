"""The self-test of an installed package: which extensions load, which operators have code for MUSA, what is missing.

`python -m musa_build.force_musa.self_test DISTRIBUTION` runs it in a process of its own and prints a JSON object. It
loads extensions by their files, because the package's Python may need dependencies that are not installed yet.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

_MUSA_KEY = "PrivateUse1"
# The code of an operator that may run on MUSA: its own; one for all devices, and the registration does not show whether
# it only calls other operators or needs a CPU; or none.
MUSA, ALL_DEVICES, NONE = "musa", "all devices", "none"


def main(distribution: str) -> dict[str, Any]:
    """Test an installed distribution and return the results.

    "extensions" has the functions of each extension, or the error of loading it. "operators" has the code that MUSA has
    for each operator that they register with PyTorch: MUSA, ALL_DEVICES or NONE.
    """
    torch = _torch_with_its_device()
    before = _operators(torch)
    extensions = {}
    for path in _libraries(distribution):
        try:
            extensions[str(path)] = {"functions": _load(torch, path), "error": ""}
        except Exception as error:  # the summary shows any error
            extensions[str(path)] = {"functions": [], "error": f"{type(error).__name__}: {error}".splitlines()[0]}
    operators = {name: code_for_musa(torch, name) for name in sorted(_operators(torch) - before)}
    return {
        "extensions": extensions,
        "operators": operators,
        "missing": missing_dependencies(distribution),
        "device": hasattr(torch, "Tensor") and hasattr(torch.Tensor, "musa"),
    }


def _torch_with_its_device() -> Any:
    """Import PyTorch with its device. Return None where there is none: packages of CMake may not need it."""
    if importlib.util.find_spec("torch") is None:
        return None
    torch = importlib.import_module("torch")
    importlib.import_module("torch_musa")
    return torch


def _libraries(distribution: str) -> list[Path]:
    listed = importlib.metadata.files(distribution) or []
    return sorted(Path(str(file.locate())) for file in listed if file.name.endswith(".so"))


def missing_dependencies(distribution: str) -> list[str]:
    """Return the dependencies for this Python and platform that are not installed, or in an unsuitable version."""
    wanted = map(Requirement, importlib.metadata.requires(distribution) or ())
    here = [item for item in wanted if item.marker is None or item.marker.evaluate({"extra": ""})]
    return [f"{item.name}{item.specifier}" for item in here if not _is_installed(item)]


def _is_installed(requirement: Requirement) -> bool:
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return requirement.specifier.contains(version, prereleases=True)


def _load(torch: Any, path: Path) -> list[str]:
    name = path.name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        if "module export function" not in str(error):
            raise
        # no module, but a library: one of operators, or one that ctypes loads
        torch.ops.load_library(str(path)) if torch else ctypes.CDLL(str(path))
        return []
    return sorted(name for name in vars(module) if not name.startswith("_"))


def _operators(torch: Any) -> set[str]:
    """Return the names of all operators, if this PyTorch has its private list of them; there is no public one."""
    names = getattr(torch._C, "_dispatch_get_all_op_names", set) if torch else set
    return set(names())


def code_for_musa(torch: Any, operator: str) -> str:
    """Return the code that a MUSA tensor gets from an operator with this full name (torchvision::nms)."""
    ask = getattr(torch._C, "_dispatch_has_kernel_for_dispatch_key", None)
    if ask is None or ask(operator, _MUSA_KEY):
        return MUSA if ask is not None else NONE
    keys = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")
    return ALL_DEVICES if any(ask(operator, key) for key in keys) else NONE


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
