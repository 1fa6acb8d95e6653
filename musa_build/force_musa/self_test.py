"""Run after an install, in a process of its own: do the new extensions load, which operators have code for MUSA, and
which dependencies are missing?

`python -m musa_build.force_musa.self_test DISTRIBUTION` prints a JSON object. Extensions are loaded by their files, for
the package's Python may need dependencies that are not installed yet.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

_MUSA_KEY = "PrivateUse1"
# What an operator has that may run on MUSA: code of its own; one for all devices, of which nobody can tell by looking
# whether it only calls other operators or a CPU's code; or nothing.
MUSA, ALL_DEVICES, NONE = "musa", "all devices", "none"


def main(distribution: str) -> dict[str, Any]:
    """What there is to say about an installed distribution: for each extension its functions, or why it does not load;
    for each operator that it registers with PyTorch which code MUSA has for it (MUSA, ALL_DEVICES or NONE)."""
    import torch

    importlib.import_module("torch_musa")  # for its device

    tensor_type: Any = torch.Tensor
    before = _operators(torch)
    extensions = {}
    for path in _libraries(distribution):
        try:
            extensions[str(path)] = {"functions": _load(torch, path), "error": ""}
        except Exception as error:  # whatever it is, it belongs into the summary
            extensions[str(path)] = {"functions": [], "error": f"{type(error).__name__}: {error}".splitlines()[0]}
    operators = {name: code_for_musa(torch, name) for name in sorted(_operators(torch) - before)}
    return {
        "extensions": extensions,
        "operators": operators,
        "missing": missing_dependencies(distribution),
        "device": hasattr(tensor_type, "musa"),
    }


def _libraries(distribution: str) -> list[Path]:
    listed = importlib.metadata.files(distribution) or []
    return sorted(Path(str(file.locate())) for file in listed if file.name.endswith(".so"))


def missing_dependencies(distribution: str) -> list[str]:
    """Dependencies for this Python and platform that are not installed, or not in a version that will do."""
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
        torch.ops.load_library(str(path))  # a library of operators, no module
        return []
    return sorted(name for name in vars(module) if not name.startswith("_"))


def _operators(torch: Any) -> set[str]:
    """The names of all operators; PyTorch has no public list of them, and may lose this one."""
    names = getattr(torch._C, "_dispatch_get_all_op_names", set)
    return set(names())


def code_for_musa(torch: Any, operator: str) -> str:
    """Which code a MUSA tensor gets from an operator that is called by its full name (torchvision::nms)."""
    ask = getattr(torch._C, "_dispatch_has_kernel_for_dispatch_key", None)
    if ask is None or ask(operator, _MUSA_KEY):
        return MUSA if ask is not None else NONE
    keys = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")
    return ALL_DEVICES if any(ask(operator, key) for key in keys) else NONE


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
